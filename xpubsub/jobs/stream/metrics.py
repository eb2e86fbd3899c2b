"""The figures of a running job in Prometheus' text form, at http://127.0.0.1:PORT/metrics."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from xpubsub.errors import Error
from xpubsub.jobs.stream.figures import Figures, SpillFigures

_HELP = {
    "messages": "Messages read from the source.", "notifications": "Notifications delivered.",
    "rejected": "Messages rejected.", "failed": "Queries that failed in a message.", "batches": "Batches published.",
    "seconds": "Seconds spent on publishing and delivering.",
}
_SHARES = (0.5, 0.9, 0.99)
_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_text(figures: Figures) -> str:
    """Return the figures in Prometheus' text form."""
    lines: list[str] = []
    for name, text in _HELP.items():
        lines += _metric(f"xpubsub_{name}_total", "counter", text, [("", getattr(figures, name))])
    if figures.backlog is not None:
        lines += _metric("xpubsub_backlog", "gauge", "Messages known to wait in the source.", [("", figures.backlog)])
    lines += _spill_lines(figures.spills) if figures.spills is not None else []
    delays = [(f'{{max_delay="{name}",quantile="{share}"}}', figures.delays.quantile(name, share))
              for name in figures.delays.classes for share in _SHARES]
    lines += _metric("xpubsub_delay_seconds", "gauge", "Delay of notifications, by the delay accepted.", delays)
    if (memory := resident_memory()) is not None:
        lines += _metric("xpubsub_resident_bytes", "gauge", "Resident memory of the process.", [("", memory)])
    return "\n".join(lines) + "\n"


def _spill_lines(spills: SpillFigures) -> list[str]:
    """Return the figures of a job that may spill."""
    age = 0.0 if spills.oldest is None else max(0.0, time.time() - spills.oldest)
    paths = [(f'{{path="{_escaped(path)}"}}', 1.0) for path in spills.paths]
    return [
        *_metric("xpubsub_spilled_total", "counter", "Messages spilled.", [("", spills.spilled)]),
        *_metric("xpubsub_completed_total", "counter", "Spilled messages completed.", [("", spills.completed)]),
        *_metric("xpubsub_spilled_waiting", "gauge", "Spilled messages to be completed.", [("", spills.waiting)]),
        *_metric("xpubsub_spilled_bytes", "gauge", "Size of their files.", [("", spills.bytes)]),
        *_metric("xpubsub_spilled_age_seconds", "gauge", "Age of the oldest of them.", [("", age)]),
        *_metric("xpubsub_spilling", "gauge", "Whether the last batch was spilled.", [("", int(spills.active))]),
        *_metric("xpubsub_spilled_path", "gauge", "Paths that were spilled from the last batch.", paths)]


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _metric(name: str, kind: str, text: str, samples: list[tuple[str, float]]) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *(f"{name}{labels} {value}" for labels, value in samples)]


def resident_memory() -> int | None:
    """Return the resident memory of this process in bytes; None where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


@contextmanager
def serving_metrics(port: int | None, figures: Figures) -> Iterator[None]:
    """Serve the figures on the loopback interface inside the block, unless the port is None."""
    if port is None:
        yield
        return

    class Handler(BaseHTTPRequestHandler):
        """Answers GET /metrics."""

        def do_GET(self) -> None:
            """Send the figures."""
            body = metrics_text(figures).encode() if self.path == "/metrics" else b"see /metrics\n"
            self.send_response(200 if self.path == "/metrics" else 404)
            self.send_header("Content-Type", _TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except (OSError, OverflowError) as error:
        raise Error(f"metrics cannot be served on port {port}: {error}") from error
    Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
