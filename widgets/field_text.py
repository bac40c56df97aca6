"""Display texts of record fields; they never show ids or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from widgets import display_text
from widgets.field_titles import field_title
from widgets.translation import join_texts, tr

LONGEST_VALUE = 160
"""Maximum number of displayed characters; longer values are truncated."""
_BEGINNING = re.compile(r'"(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*')
"""As much of a cut JSON text as can be read."""
CUT = object()
"""A list or object of which the log gives only the beginning."""

REFERENCES = frozenset(
    (
        "corrections",
        "import_key",
        "media",
        "medium",
        "original",
        "provenance",
        "scene",
        "source",
        "variant",
        "views",
    )
)
"""Fields with ids or copies of other records: only the fact of a change is displayed."""

VALUE_TITLES: dict[str, Callable[[str], str]] = {
    "answer_format": display_text.format_title,
    "degradations": lambda value: display_text.listed_value_title("degradation", value),
    "issue_classes": display_text.issue_class_title,
    "media_type": display_text.media_kind_title,
    "object_types": lambda value: display_text.listed_value_title("object_type", value),
    "state": display_text.item_state_title,
    "task": display_text.task_title,
    "task_set": display_text.task_set_title,
    "why": lambda value: display_text.listed_value_title("why", value),
}
"""Texts of the values of closed lists, by field."""


def value_text(field: str, value: object) -> str:
    """Return the value of a field on one line, "" if it has nothing to display.

    Args:
        field: The field.
        value: A JSON value.
    """
    if field in REFERENCES:
        return ""
    text = _text(value, title_of=VALUE_TITLES.get(field, str))
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} …"


def stored_value_text(field: str, value: str) -> str:
    """Return a value of the log on one line, "" if it has nothing to display.

    Args:
        field: The field.
        value: Its JSON, or the beginning of it; "" for a value that cannot be read.
    """
    if not value:
        return tr("this value cannot be read: it is damaged or larger than 256 MB. Verify the project")
    found = stored_value(value)
    return "" if found is CUT else value_text(field, found)


def stored_value(value: str) -> object:
    """Return a value of the log, of a cut text as much as is there, ``CUT`` for another cut value.

    Args:
        value: Its JSON, or the beginning of it.
    """
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        beginning = _BEGINNING.match(value)
        return json.loads(f'{beginning[0]}"') if beginning else CUT


def change_text(field: str, value: str) -> str:
    """Return the new value of a field in an event; the value is JSON, of a long one its beginning."""
    text = stored_value_text(field, value)
    return f"{field_title(field)} → {text}" if text else tr("{field} changed", field=field_title(field))


def _text(value: object, *, title_of: Callable[[str], str]) -> str:
    if isinstance(value, str):
        return title_of(value) if value else tr("empty")
    if isinstance(value, list):
        return join_texts(_text(part, title_of=title_of) for part in value) or tr("none")
    return _entry_text(value) if isinstance(value, dict) else _plain(value)


def _entry_text(value: dict[str, object]) -> str:
    if value.keys() == {"letter", "text"}:
        return f"{value['letter']}  {value['text']}"
    parts = [f"{display_text.plain(name)} {_text(part, title_of=str)}" for name, part in value.items()]
    return join_texts(parts) or tr("none")


def _plain(value: object) -> str:
    if value is None:
        return tr("none")
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return f"{value:g}" if isinstance(value, float) else str(value)


MADE_OF = re.compile(r"(?:[\w-]+[/.])*(?P<name>[\w-]+)@(?P<version>\w+)")


def maker_text(maker: str) -> str:
    """Return the origin of an item: the title of an import format, or a rule or prompt with its version."""
    from widgets.import_wizard.formats import format_title

    titled = format_title(maker)
    if titled != maker:
        return titled
    return MADE_OF.sub(
        lambda found: tr(
            "{name}, version {version}",
            name=display_text.plain(found["name"]),
            version=found["version"],
        ),
        maker,
    )
