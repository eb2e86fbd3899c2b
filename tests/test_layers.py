"""Every layer imports only downwards, and an engine is never asked for its name."""

from __future__ import annotations

import ast
import sys
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pytest

import xpubsub
from xpubsub.engines.duckdb import DuckDBEngine

PACKAGE = Path(__file__).parent.parent / "xpubsub"
BASE = {"errors", "ids", "limits", "step", "sqlfiles", "arrow", "checks", "collector", "hashed", "processes", "rows"}
READERS = {"language", "schema"}
"""What reads texts: subscriptions, DTDs and XML schemas."""
MAKERS = {"match", "arrange", "output", "shred", "compile", "spill"}
"""What turns trees and messages into rows, rows into XML, and chooses what to spill."""
MAY_IMPORT = {
    "language": BASE,
    "schema": BASE | {"language"},
    "match": BASE | {"language"},
    "arrange": BASE | {"language"},
    "output": BASE | {"language", "match"},
    "shred": BASE | {"language", "match", "arrange"},
    "compile": BASE | {"language", "match", "output"},
    "spill": BASE | {"language", "match"},
    "plan": BASE | READERS | {"arrange"},
    "engines": BASE,
    "store": BASE | {"engines"},
    "jobs": BASE | READERS | MAKERS | {"plan", "engines", "store"},
    "open_store": BASE | {"plan", "engines", "store", "jobs"},
    "publishing": BASE | READERS | {"shred", "jobs", "open_store"},
    "streaming": BASE | READERS | {"shred", "jobs", "open_store"},
    "broker": BASE | READERS | MAKERS | {"plan", "engines", "store", "jobs", "open_store", "publishing", "streaming"},
    "remote": BASE | READERS | {"engines", "store", "jobs", "open_store", "broker"},
    "connecting": BASE | {"arrange", "engines", "store", "jobs", "broker", "remote"},
    "cli": BASE | {"open_store", "broker", "connecting", "jobs", "store", "language", "plan", "spill", "__init__"},
    "__main__": {"cli"},
    "__init__": BASE | {"broker", "connecting", "jobs"},
    **dict.fromkeys(BASE, BASE),
}
JOBS = {
    "arranging": set(),
    "durable_files": set(),
    "locking": set(),
    "paths": set(),
    "schemas": set(),
    "reference": set(),
    "control": {"reference", "subscribe"},
    "overload": {"durable_files", "locking"},
    "publish": {"overload", "paths", "reference", "schemas"},
    "split": {"durable_files", "publish"},
    "stream": {"durable_files", "locking", "overload", "publish"},
    "subscribe": {"arranging", "paths", "publish"},
    "explain": {"publish", "subscribe"},
    "gc": {"arranging"},
    "batch": {"gc", "publish"},
}
"""Which parts of `jobs/` each of them may import."""
FILES = sorted(PACKAGE.rglob("*.py"))


def layer_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def is_module(package: str, name: str) -> bool:
    folder = PACKAGE.parent.joinpath(*package.split("."))
    return (folder / name).is_dir() or (folder / f"{name}.py").is_file()


def imported(path: Path) -> set[str]:
    """The modules of the package that a file imports, wherever in the file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: a relative import"
            found.update(f"{node.module}.{alias.name}" if is_module(node.module, alias.name) else node.module
                         for alias in node.names)
    return {name for name in found if name.split(".")[0] == "xpubsub"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downwards(path: Path) -> None:
    relative = path.relative_to(PACKAGE)
    layer = relative.parts[0].removesuffix(".py")
    for module in imported(path):
        target = layer_of(module)
        assert target == layer or target in MAY_IMPORT[layer], f"{relative} imports {module}"


@pytest.mark.parametrize("path", [path for path in FILES if path.parts[-2:] != ("jobs", "__init__.py") and PACKAGE / "jobs" in path.parents],
                         ids=lambda path: str(path.relative_to(PACKAGE)))
def test_jobs_import_one_another_in_one_direction(path: Path) -> None:
    part = path.relative_to(PACKAGE / "jobs").parts[0].removesuffix(".py")
    parts = {module.split(".")[2] for module in imported(path) if module.startswith("xpubsub.jobs.")}
    assert parts - {part} <= JOBS[part], f"{path.relative_to(PACKAGE)} imports {parts}"


def test_no_job_reaches_itself() -> None:
    TopologicalSorter(JOBS).prepare()


def test_only_the_spark_engine_and_its_jobs_import_spark() -> None:
    users = {
        str(path.relative_to(PACKAGE)) for path in FILES
        if any(line.startswith(("import pyspark", "from pyspark")) for line in path.read_text().splitlines())
    }
    names = ("spark", "spark_frames", "spark_jobs", "spark_session", "spark_tables", "spark_waiting")
    assert users == {f"engines/{name}.py" for name in names}


def test_no_engine_is_asked_for_its_name() -> None:
    askers = [path for path in FILES if "engine.NAME" in path.read_text() or ".DIALECT ==" in path.read_text()]
    assert askers == []


def test_jobs_build_no_sql() -> None:
    builders = [path.name for path in FILES if "jobs" in path.parts and "select " in path.read_text()]
    assert builders == []


SHARED_NAMES = {"main", "subscribe", "unsubscribe", "explain"}
"""Entry points, and commands of the shell that are called as the job they do."""


def defined(path: Path) -> set[str]:
    """The public names that a module defines."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update(name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name))
    return {name for name in found if not name.startswith("_")}


def test_a_public_name_has_one_meaning() -> None:
    modules: dict[str, list[str]] = {}
    for path in FILES:
        for name in defined(path) - SHARED_NAMES:
            modules.setdefault(name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}


MOST_FUNCTIONS = 12


def callers() -> list[str]:
    """The functions of the package between the broker's `publish` and the caller of this function, if it calls."""
    found: list[str] = []
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_qualname != "PublishingCalls.publish":
        if frame.f_globals.get("__name__", "").startswith("xpubsub."):
            found.append(frame.f_code.co_qualname)
        frame = frame.f_back
    return found[::-1]


def test_few_functions_lie_between_the_broker_and_its_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever debugs `publish` passes through a dozen functions at most, whichever SQL it is."""
    seen: list[list[str]] = []
    execute = DuckDBEngine._execute

    def watched(engine: DuckDBEngine, *given: Any) -> Any:
        seen.append(callers())
        return execute(engine, *given)

    with xpubsub.connect(":memory:") as broker:
        broker.subscribe("s", "//a[b = 1]/c")
        monkeypatch.setattr(DuckDBEngine, "_execute", watched)
        broker.publish([("m1", "<a><b>1</b><c/></a>"), ("m2", "<a/>")])
    assert seen and all("Publisher.publish" in path for path in seen)
    assert max(map(len, seen)) <= MOST_FUNCTIONS, max(seen, key=len)
