"""What a task calls at its end is a method, or asks whether its screen still exists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
LONGER_LIVED = {
    # They close or take over the project of a task, also where the window is gone by then.
    "widgets/project_controller.py",
    "widgets/project_opener.py",
}
ENDS = {"stepped", "finished", "failed"}


def unguarded_connections(source: str) -> list[int]:
    """Return the lines on which a partial function or a lambda is connected to a signal of a task."""
    if "partial(" not in source and "lambda" not in source:
        return []
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "connect"
        and isinstance(node.func.value, ast.Attribute)
        and node.func.value.attr in ENDS
        and any(map(_is_made_here, node.args))
    ]


def _is_made_here(connected: ast.expr) -> bool:
    """Return whether Qt cannot know which object a function acts on."""
    is_partial = isinstance(connected, ast.Call) and ast.unparse(connected.func) == "partial"
    return is_partial or isinstance(connected, ast.Lambda)


def test_tasks_when_the_widgets_are_read_then_no_connection_outlives_its_screen() -> None:
    files = {path.relative_to(REPO).as_posix(): path for path in (REPO / "widgets").rglob("*.py")}
    assert set(files) >= LONGER_LIVED
    found = {
        name: lines
        for name, path in files.items()
        if name not in LONGER_LIVED and (lines := unguarded_connections(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("work.finished.connect(partial(self._on_done, item))", [1]),
        ("self._execute(command).failed.connect(lambda error: give_back())", [1]),
        ("work.failed.connect(while_exists(self, partial(self._on_failed, item)))", []),
        ("work.finished.connect(self._on_done)", []),
        ("button.clicked.connect(partial(self.choose, 1))", []),
    ],
)
def test_tasks_when_a_connection_is_not_guarded_then_its_line_is_found(source: str, lines: list[int]) -> None:
    assert unguarded_connections(source) == lines
