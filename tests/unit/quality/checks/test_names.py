from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from annotator.domain.item import Item
from annotator.quality.checks import names
from annotator.quality.checks.names import NameCollector


def _run(items: list[Item]) -> list[tuple[str, str, str]]:
    collector = NameCollector()
    for item in items:
        collector.add(item)
    if collector.wants_second_pass:
        for item in items:
            collector.add_again(item)
    return [(entity, target, hit.message) for entity, target, hit in collector.findings()]


def test_duplicate_id_when_names_differ_then_one_pass_is_enough(make_item: Callable[..., Item]) -> None:
    collector = NameCollector()
    for n in range(3):
        collector.add(make_item(id=str(n), name=f"MDMT_OC_UAV1_{n}"))
    assert not collector.wants_second_pass
    assert list(collector.findings()) == []


def test_duplicate_id_when_a_name_stands_twice_then_both_items_are_found(
    make_item: Callable[..., Item],
) -> None:
    items = [make_item(id=str(n), name=f"MDMT_OC_UAV1_{n % 2}") for n in range(3)]
    assert _run(items) == [
        ("item", "0", "2 items have the name 'MDMT_OC_UAV1_0'."),
        ("item", "2", "2 items have the name 'MDMT_OC_UAV1_0'."),
    ]


def test_duplicate_id_when_two_sets_share_a_name_then_nothing_is_said(make_item: Callable[..., Item]) -> None:
    assert _run([make_item(id="1"), make_item(id="2", task_set="urbanvideo")]) == []


def test_duplicate_id_when_names_are_empty_then_required_fields_says_so(
    make_item: Callable[..., Item],
) -> None:
    assert _run([make_item(id="1", name=""), make_item(id="2", name="")]) == []


def test_duplicate_id_when_only_digests_collide_then_nothing_is_said(
    make_item: Callable[..., Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "_digest", lambda _: 7)
    assert _run([make_item(id="1", name="one"), make_item(id="2", name="two")]) == []


def test_duplicate_id_when_there_are_many_items_then_memory_is_eight_bytes_an_item(
    make_item: Callable[..., Item],
) -> None:
    item = make_item()
    collector = NameCollector()
    tracemalloc.start()
    for _ in range(100_000):
        collector.add(item)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 100_000 * 8 * 2
