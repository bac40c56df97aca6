"""Errors of background work reach somebody: no future of a pool or a thread is thrown away unread."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.contracts import layers

REPO = Path(__file__).resolve().parents[2]
HANDLED = {
    # What runs there never raises: errors are results, or logged.
    "annotator/media/media_service.py",
}
STARTING_CALLS = {"submit", "start_soon", "run_in_executor"}


def dropped_futures(source: str) -> list[int]:
    """Return the lines on which something is submitted and its future is not used."""
    if not any(call in source for call in STARTING_CALLS):
        # Few files have one, and to parse all takes seconds.
        return []
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in STARTING_CALLS
    ]


def test_futures_when_the_product_is_read_then_none_is_dropped() -> None:
    files = {path.relative_to(REPO).as_posix(): path for path in layers.product_files(REPO)}
    assert set(files) >= HANDLED
    found = {
        name: lines
        for name, path in files.items()
        if name not in HANDLED and (lines := dropped_futures(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("pool.submit(work)", [1]),
        ("def close(self):\n    self._lane.submit(self._end)", [2]),
        ("future = pool.submit(work)", []),
        ("bridge.wait_for(pool.submit(work), done=done)", []),
        ("pool.submit(work).result()", []),
    ],
)
def test_futures_when_one_is_dropped_then_its_line_is_found(source: str, lines: list[int]) -> None:
    assert dropped_futures(source) == lines
