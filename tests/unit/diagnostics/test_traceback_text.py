from __future__ import annotations

import json
import sqlite3
from importlib import import_module

import pytest

from annotator.diagnostics.traceback_text import MAX_CHAIN, format_exception, short_path, signature, type_name

SECRET = "Where is the red car near the bridge?"


def caught(call: object) -> BaseException:
    with pytest.raises(BaseException) as info:  # noqa: PT011 - any exception that the call raises
        call()  # type: ignore[operator]
    return info.value


def fail(value: str) -> None:
    raise KeyError(value)


def fail_twice() -> None:
    try:
        fail(SECRET)
    except KeyError as error:
        raise ValueError(f"cannot find {SECRET}") from error


def test_traceback_when_messages_hold_item_text_then_holds_types_and_places_alone() -> None:
    text = format_exception(caught(fail_twice))
    assert SECRET not in text
    assert "red car" not in text
    assert text.index("KeyError") < text.index("ValueError")
    assert 'File "tests/unit/diagnostics/test_traceback_text.py", line' in text
    assert "in fail_twice" in text
    assert "raise KeyError(value)" in text


def test_traceback_when_a_library_raised_then_its_path_begins_at_the_package() -> None:
    text = format_exception(caught(lambda: json.loads("{" + SECRET)))
    assert "red car" not in text
    assert 'File "decoder.py"' in text
    assert short_path("/data/li/.venv/lib/python3.11/site-packages/av/error.py") == "av/error.py"


def test_traceback_when_exceptions_are_grouped_then_has_each() -> None:
    def fail_together() -> None:
        raise ExceptionGroup(SECRET, [KeyError(SECRET), OSError(28, SECRET)])

    text = format_exception(caught(fail_together))
    assert "red car" not in text.replace("SECRET", "")
    assert "  | KeyError" in text
    assert "  | OSError [ENOSPC]" in text


def test_traceback_when_the_chain_has_no_end_then_ends() -> None:
    one, two = KeyError("a"), ValueError("b")
    one.__context__, two.__context__ = two, one
    assert format_exception(one).count("Traceback") == MAX_CHAIN


def test_type_name_when_the_error_has_a_code_then_shows_it() -> None:
    assert type_name(OSError(28, "/data/li/x")) == "OSError [ENOSPC]"
    assert type_name(caught(lambda: sqlite3.connect(":memory:").execute("SELECT x"))) == (
        "sqlite3.OperationalError [SQLITE_ERROR]"
    )
    assert type_name(caught(lambda: "".missing)) == "AttributeError [missing]"  # type: ignore[attr-defined]


def test_type_name_when_the_name_is_data_and_not_code_then_is_left_out() -> None:
    name = "_".join(SECRET.split())
    assert type_name(caught(lambda: getattr("", name))) == "AttributeError"
    assert type_name(caught(lambda: import_module(name))) == "ModuleNotFoundError"
    assert name not in format_exception(caught(lambda: getattr("", name)))


def test_signature_when_type_and_place_are_the_same_then_is_the_same() -> None:
    assert signature(caught(lambda: fail("a"))) == signature(caught(lambda: fail("b")))
    assert signature(caught(lambda: fail("a"))) != signature(caught(fail_twice))
