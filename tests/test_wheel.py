"""The wheel: complete, and the DuckDB mode works from it alone, without Spark."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ("LICENSE", "README.md", "pyproject.toml", "setup.cfg", "sql", "migrations", "xpubsub")
SCRIPT = """
import sys
import xpubsub
from xpubsub.sqlfiles import folder
with xpubsub.connect("store.duckdb") as broker:
    broker.subscribe("s1", "/stock[symbol='YHOO']/price > 50")
    result = broker.publish([("m1", "<stock><symbol>YHOO</symbol><price>60</price></stock>")])
print(result.notifications.to_pylist())
print(xpubsub.__file__, folder("sql"), folder("migrations"), sep="\\n")
print("pyspark" in sys.modules)
"""


def run(*command: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), cwd=source)
    return next(out.glob("xpubsub-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(wheel), cwd=target)
    return target


def test_the_wheel_holds_every_file(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "xpubsub").rglob("*.py")}
    files = [*ROOT.glob("sql/*.sql"), *ROOT.glob("migrations/*.sql")]
    statements = {f"xpubsub/{path.relative_to(ROOT)}" for path in files}
    missing = (modules | statements | {"xpubsub/py.typed"}) - names
    assert not missing
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "sql/"))]


def test_the_library_works_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    lines = run(sys.executable, "-c", SCRIPT, cwd=tmp_path, PYTHONPATH=str(installed)).splitlines()
    assert lines[0] == "[{'message_id': 'm1', 'subscription_id': 's1', 'output': None}]"
    assert all(line.startswith(str(installed)) for line in lines[1:4])
    assert lines[4] == "False"


def test_the_command_works_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    printed = run(sys.executable, "-m", "xpubsub", "init", "store.duckdb", cwd=tmp_path, PYTHONPATH=str(installed))
    assert printed.endswith("store.duckdb is ready\n")
    assert (installed / "bin" / "xpubsub").exists()
