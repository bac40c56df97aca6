"""Keys that the guide of Annotate names are those of the action table, or of a view, list or form."""

from __future__ import annotations

import re
from pathlib import Path

from annotator.domain import task_set_files
from widgets.actions import ACTIONS

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "annotate.md"
KEY = re.compile(
    r"((Ctrl|Shift|Alt)\+)*"
    r"([A-Z0-9,.<>+\-←→↑↓]|F\d+|PgUp|PgDn|Home|End|Enter|Esc|Space|Del|Backspace|Tab|Up|Down|Left|Right)"
)
NAMES = {"PgDown": "PgDn", "Return": "Enter", "Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
OF_VIEWS = {
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-", "Backspace", "Enter", "Shift+Enter", "Tab", "↑",
    "↓", "←", "→", "Ctrl+←", "Ctrl+→", "Shift", "Ctrl", "Alt", "Space",
}  # fmt: skip
"""Digits, and keys that views, lists and forms process without an action."""
OF_FORM = {"A", "R", "P", "V", "K", "Backspace", "Ctrl+Enter", "G", "D"}
"""Keys of the event-level form and of the flight form."""


def _named(key: str) -> str:
    for long, short in NAMES.items():
        key = re.sub(rf"\b{long}$", short, key)
    return key


def test_guide_when_it_names_a_key_then_an_action_a_view_or_a_form_has_it() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    named = {_named(found) for found in re.findall(r"`([^`\n]+)`", text) if KEY.fullmatch(found)}
    assert len(named) > 100
    of_actions = {_named(action.key) for action in ACTIONS if action.key}
    of_fields = {field.key for field in task_set_files.builtin("aircop").form_fields}
    assert named - of_actions - OF_VIEWS - OF_FORM - of_fields == set()


def test_guide_when_the_actions_of_annotate_have_keys_then_it_names_each() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    named = {_named(found) for found in re.findall(r"`([^`\n]+)`", text)}
    ranges = {f"Alt+{digit}" for digit in range(9)}
    keys = {
        action.id: _named(action.key)
        for action in ACTIONS
        if action.key and (action.context == "stage" or action.id.startswith("annotate."))
    }
    assert {name: key for name, key in keys.items() if key not in named | ranges} == {}
