from __future__ import annotations

import importlib
import pkgutil
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator import domain
from annotator.domain.item import Item, Option
from annotator.domain.record import Record, new_id, to_json


def _record_types() -> list[type[Record]]:
    for info in pkgutil.iter_modules(domain.__path__):
        importlib.import_module(f"{domain.__name__}.{info.name}")
    return sorted(
        (kind for kind in Record.__subclasses__() if kind.__module__.startswith("annotator.")),
        key=lambda kind: kind.__name__,
    )


def test_new_id_when_many_are_made_then_are_unique_hex_and_in_order_of_time() -> None:
    ids = [new_id() for _ in range(5000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    # Version 7, variant 1 (RFC 9562, section 5.7).
    assert all(re.fullmatch(r"[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}", made) for made in ids)


def test_to_json_when_a_record_has_defaults_then_leaves_them_out() -> None:
    item = Item(id="1", name="n", task_set="t")
    assert to_json(item) == '{"id":"1","name":"n","task_set":"t"}'


def test_to_json_when_written_then_keeps_the_order_of_declaration_and_raw_text() -> None:
    item = Item(task_set="t", name="停", id="1", answer_key="A", original=msgspec.Raw(b'{"b": 1,  "a":2}'))
    assert (
        to_json(item) == '{"id":"1","name":"停","task_set":"t","answer_key":"A","original":{"b": 1,  "a":2}}'
    )


def test_to_json_when_a_number_is_not_finite_then_is_no_nan() -> None:
    assert to_json([float("nan"), float("inf")]) == "[null,null]"


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_to_json_when_read_again_then_is_the_same_record(text: str) -> None:
    item = Item(
        id="1", name=text, task_set="t", options=(Option(letter="A", text=text),), extras={text: [text]}
    )
    again = msgspec.json.decode(to_json(item), type=Item)
    assert to_json(again) == to_json(item)
    assert (again.name, again.options, again.extras) == (text, item.options, {text: [text]})


@pytest.mark.parametrize("kind", _record_types(), ids=lambda kind: kind.__name__)
def test_record_when_of_any_kind_then_is_frozen_by_name_and_short(kind: type[Record]) -> None:
    settings = kind.__struct_config__
    assert settings.frozen
    with pytest.raises(TypeError, match="positional"):
        kind("1")
    assert settings.omit_defaults
    assert kind.__struct_fields__[0] == "id"


def test_record_types_when_listed_then_are_all_the_entities() -> None:
    names = {kind.__name__ for kind in _record_types()}
    assert names >= {
        "Item",
        "Scene",
        "Medium",
        "EventLabel",
        "Flag",
        "Region",
        "Link",
        "Trajectory",
        "Release",
    }
