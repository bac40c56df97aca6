"""The checks of one item while it is edited: fields, severities, what is said when nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.quality.live_checks import read_live_context, run_live_checks
from annotator.session import Session
from tests.unit.store.making import ANNA, created, write

MakeItem = Callable[..., Item]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as opened:
        write(
            opened,
            created("medium", Medium(id="seen", name="seen.jpg", sha256="ab" * 32)),
            *(
                created(
                    "region", Region(id=f"r{n}", medium="seen", number=n, box=Box(x1=0, y1=0, x2=9, y2=9))
                )
                for n in (3, 4)
            ),
        )
        yield opened


def said(session: Session, item: Item) -> dict[str, str]:
    """Return the field of each finding by its check."""
    return {finding.check: finding.field_path for finding in run_live_checks(session.reader, item).findings}


def test_run_live_checks_when_an_item_is_sound_then_each_topic_has_passed(
    session: Session, make_item: MakeItem
) -> None:
    checks = run_live_checks(session.reader, make_item())
    assert checks.findings == ()
    assert checks.passed == ("answer", "options", "text", "media", "duplicates")
    regions = make_item(question="Which car is in Region 3 of this image?")
    assert "regions" in run_live_checks(session.reader, regions).passed


@pytest.mark.parametrize(
    ("texts", "fields", "expected"),
    [
        (("a", "red", "Red.", "d"), {}, {"duplicate_options": "options[2]"}),
        (("a", "red", "Red.", "d"), {"answer_key": "C"}, {"duplicate_options": "options[1]"}),
        (("one", "two", "the [object]", "d"), {}, {"unfilled_slot": "options[2]"}),
        (("one", "two", "three", "d "), {}, {"stray_characters": "options[3]"}),
        ((), {"question": "Which of\u202e these cars can be seen here?"}, {"stray_characters": "question"}),
        ((), {"answer_key": "E"}, {"key_in_options": "answer_key"}),
        ((), {"question": ""}, {"required_fields": "question"}),
        ((), {"media": ("gone",)}, {"missing_media": "media"}),
    ],
)
def test_run_live_checks_when_one_thing_is_wrong_then_its_very_field_is_named(
    session: Session, make_item: MakeItem, texts: tuple[str, ...], fields: dict[str, object], expected: dict
) -> None:
    assert said(session, make_item(*texts, **fields)) == expected


def test_run_live_checks_when_the_answer_is_not_in_its_format_then_the_key_is_named_once(
    session: Session, make_item: MakeItem
) -> None:
    plain = {"task_set": "spatialuav", "options": (), "question": "In which direction does it lie from here?"}
    clock = make_item(**plain, task="direction_recognition", answer_format="clock", answer_key="13 o'clock")
    assert said(session, clock)["answer_unreadable"] == "answer_key"
    region = make_item(
        **plain, task="region_recognition", answer_format="region_set", answer_key="Region 3, 9"
    )
    # The regions say already that Region 9 does not exist.
    assert said(session, region) == {"unknown_region": "answer_key"}


def test_run_live_checks_when_errors_and_warnings_are_found_then_errors_come_first(
    session: Session, make_item: MakeItem
) -> None:
    item = make_item("a", "a", "c", "d", question=" short", answer_key="A")
    severities = [finding.severity for finding in run_live_checks(session.reader, item).findings]
    assert severities == ["error", "warning", "warning"]


def test_run_live_checks_when_another_item_asks_the_same_then_it_is_named(
    session: Session, make_item: MakeItem
) -> None:
    write(session, created("item", make_item(id="other", name="other_name")))
    checks = run_live_checks(session.reader, make_item(question=make_item().question.lower()))
    (finding,) = checks.of_field("question")
    assert (finding.check, finding.message) == ("near_duplicate", "The same question as other_name.")
    assert checks.duplicates[0].item == "other"
    assert "duplicates" not in checks.passed


def test_run_live_checks_when_an_item_has_no_options_yet_then_nothing_breaks(
    session: Session, make_item: MakeItem
) -> None:
    empty = make_item(options=(), question="", answer_key="", media=(), task="", task_set="")
    assert "required_fields" in said(session, empty)
    odd = make_item(options=(Option(letter="", text="\u200b"),), answer_format="trajectory")
    assert said(session, odd)


def test_read_live_context_when_items_of_the_task_have_letters_then_their_shares_are_given(
    session: Session, make_item: MakeItem
) -> None:
    items = [make_item(id=f"i{n}", name=f"n{n}", answer_key="AAAB"[n]) for n in range(4)]
    write(session, *(created("item", item) for item in items))
    context = read_live_context(session.reader, items[0])
    assert context.items == 4
    assert context.balance is not None
    assert context.balance.letters == (3, 1, 0, 0)
    assert context.balance.shares[0] == 0.75
    assert context.blind is None
