"""The agreement of people about tasks and fields of the event form, from answers to coefficients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.answers import registry
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.domain.response import Response
from annotator.quality.agreement.project_agreement import LABEL_FIELDS, measure_project
from annotator.quality.agreement.ratings import Ratings
from annotator.quality.agreement.report import NO_SCALE, SubjectAgreement, measure_agreement
from annotator.session import Session
from tests.unit.store.making import ANNA, BEN, created, write


def _measured(format_id: str, rows: dict[str, tuple[str, ...]]) -> SubjectAgreement:
    """Return the agreement of people whose answers, one per unit, are given by name."""
    answers = registry.get(format_id)
    return measure_agreement(
        format_id,
        Ratings.of((unit, person, text) for person, texts in rows.items() for unit, text in enumerate(texts)),
        scale=answers.scale,
        on_scale=lambda text: answers.on_scale(answers.parse(text).value),
        score=answers.score,
    )


def test_agreement_when_it_is_given_names_then_pairs_are_in_their_order_whatever_the_ids() -> None:
    found = _measured("option_letter", {"id-1": ("A", "B"), "id-2": ("A", "B"), "id-3": ("B", "B")})
    named = found.with_names({"id-1": "Cem", "id-2": "Bo", "id-3": "Ann"})
    assert [pair.people for pair in named.pairs] == [("Ann", "Bo"), ("Ann", "Cem"), ("Bo", "Cem")]
    assert [pair.percent.value for pair in named.pairs] == [0.5, 0.5, 1.0]


def test_pairs_when_people_link_alike_in_part_then_score_is_the_f1_of_their_pairs() -> None:
    found = _measured("pair_list", {"ann": ("1-2, 3-4", "5-6"), "bob": ("1-2, 3-5", "5-6")})
    assert found.score is not None
    assert found.score.value == pytest.approx((0.5 + 1.0) / 2)
    assert found.percent.value == pytest.approx(0.5)
    assert found.alpha.value is not None


def test_angles_when_people_differ_around_north_then_differ_by_the_short_way() -> None:
    found = _measured(
        "angle", {"ann": ("355.0 degrees", "90.0 degrees"), "bob": ("5.0 degrees", "90.0 degrees")}
    )
    assert found.differences["angle_error_deg"].value == pytest.approx(5.0)
    low, high = found.differences["angle_error_deg"].low, found.differences["angle_error_deg"].high
    assert (low, high) == (0.0, 10.0)
    assert found.pairs[0].differences == found.differences
    assert found.alpha.value is not None
    assert found.alpha.value > 0.95


def test_distances_when_people_differ_then_their_mean_difference_is_told() -> None:
    rows = {"ann": ("10.0 degrees, 50.0 meters",), "bob": ("12.0 degrees, 56.0 meters",)}
    assert _measured("angle_distance", rows).differences["distance_error_m"].value == pytest.approx(6.0)


def test_recall_when_not_symmetric_then_each_person_is_the_key_once() -> None:
    # 'Region 1' has half of the regions of the other; the other has more than this one, which scores 0.
    found = _measured("region_set", {"ann": ("Region 1",), "bob": ("Region 1, 2",)})
    assert found.score is not None
    assert found.score.value == pytest.approx(0.25)


@pytest.mark.parametrize("format_id", sorted(registry.formats()))
def test_format_when_measured_then_its_example_is_on_its_scale(format_id: str) -> None:
    answers = registry.get(format_id)
    example = answers.docs.example.strip("`")
    if answers.scale is not None:
        value = answers.on_scale(answers.parse(example).value)
        assert isinstance(value, {"set": frozenset, "circular": float}.get(answers.scale, str))


def test_second_answer_of_a_person_when_measured_then_the_first_counts() -> None:
    ratings = Ratings.of([(1, "ann", "A"), (1, "bob", "A"), (1, "ann", "B")])
    assert measure_agreement("x", ratings, scale="nominal").percent.value == 1.0


def test_answer_when_it_has_no_value_on_the_scale_then_is_left_out() -> None:
    ratings = Ratings.of([(1, "ann", "5"), (1, "bob", "5"), (2, "ann", "many"), (2, "bob", "6")])
    found = measure_agreement(
        "x", ratings, scale="interval", on_scale=lambda text: float(text) if text.isdecimal() else None
    )
    assert (found.answers, found.units, found.unread) == (4, 2, 1)
    assert (found.alpha.units, found.percent.units) == (1, 2)
    assert found.percent.value == 0.5


def test_moves_when_only_the_distances_differ_then_only_alpha_takes_them_for_equal() -> None:
    answers = ("10.0 degrees, 50.0 meters", "90.0 degrees, 8.0 meters")
    found = _measured("angle_distance", {"ann": answers, "bob": (answers[0], "90.0 degrees, 400.0 meters")})
    assert (found.alpha.value, found.percent.value) == (1.0, 0.5)
    assert found.fleiss.value is not None
    assert found.fleiss.value < 1.0
    assert found.pairs[0].percent.value == 0.5


@pytest.mark.parametrize(
    "format_id", sorted(name for name in registry.formats() if not registry.get(name).scale)
)
def test_answers_without_a_scale_when_measured_then_percent_is_not_defined(format_id: str) -> None:
    text = registry.get(format_id).docs.example.strip("`")
    found = _measured(format_id, {"ann": (text,), "bob": (text,)})
    assert (found.percent.value, found.percent.reason, found.units) == (None, NO_SCALE, 1)
    assert (found.pairs[0].percent.reason, found.pairs[0].kappa.units) == (NO_SCALE, 1)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Three people who answered 30 items, two of whom labelled 20 views."""
    path = tmp_path / "p.vantage"
    with Session.create(path) as session:
        items = [
            Item(id=f"i{n}", name=f"n{n}", task_set="spatialuav", task="direction", answer_format="clock",
                 question="Where is Region 1?", answer_key=f"{n % 12 + 1} o'clock")
            for n in range(30)
        ]  # fmt: skip
        labels = [
            EventLabel(
                id=f"{person}{n}", scene=f"s{n}", medium=f"m{n}", annotator=person,
                quality=1 + (n + shift) % 5 // 2,
                usable=n % 3 > 0, object_types=("vehicles",), count=ObjectCount(value=n + shift),
                issue_boxes=(PercentBox(x=n, y=0, width=20, height=20 + shift),), when=None,
            )
            for person, shift in (("ann", 0), ("bob", 1))
            for n in range(20)
        ]  # fmt: skip
        write(session, *(created("item", item) for item in items))
        write(session, *(created("event_label", label) for label in labels))
        answers = [
            GivenAnswer(
                item=f"i{n}", person=person, answer=f"{(n + (person == 'cid' and n % 2)) % 12 + 1} o'clock"
            )
            for person in ("ann", "bob", "cid")
            for n in range(30)
        ]
        session.execute(AddResponses(answers=tuple(answers))).result()
    return path


def test_project_when_measured_then_has_each_task_and_each_answered_field(project: Path) -> None:
    with Session.open(project) as session:
        found = {one.subject: one for one in measure_project(session.reader)}
    assert list(found) == ["spatialuav/direction", *(
        f"event form: {name}" for name in ("quality", "usable", "object_types", "count", "issue_boxes")
    )]  # fmt: skip
    task = found["spatialuav/direction"]
    assert (task.people, task.answers, task.units) == (3, 90, 30)
    assert task.percent.value == pytest.approx(2 / 3)
    by_pair = {pair.people: pair for pair in task.pairs}
    assert by_pair["ann", "bob"].kappa.value == 1.0
    assert by_pair["ann", "cid"].percent.value == pytest.approx(0.5)
    assert task.alpha.low is not None
    assert task.alpha.low <= (task.alpha.value or 0) <= (task.alpha.high or 0)


def test_project_when_all_answer_alike_in_a_field_then_kappa_is_undefined_and_boxes_are_matched(
    project: Path,
) -> None:
    with Session.open(project) as session:
        found = {one.subject: one for one in measure_project(session.reader)}
    assert found["event form: object_types"].fleiss.value is None
    assert "All answers are equal" in found["event form: object_types"].fleiss.reason
    boxes = found["event form: issue_boxes"]
    assert boxes.score is not None
    assert boxes.score.value == 1.0
    assert boxes.differences["iou"].value == pytest.approx(20 / 21, abs=1e-4)
    assert found["event form: usable"].percent.value == 1.0
    assert (found["event form: count"].alpha.value or 0) > 0.9


def test_fields_when_listed_then_exist_on_the_label() -> None:
    assert {field.name for field in LABEL_FIELDS} <= set(EventLabel.__struct_fields__)


def test_fields_when_copied_and_not_confirmed_then_are_no_answer_of_the_annotator(tmp_path: Path) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        labels = [
            EventLabel(id=f"{person}{n}", medium=f"m{n}", annotator=person, quality=n + 1, usable=True,
                       copied=("quality",) if person == "bob" else ())
            for person in ("ann", "bob") for n in range(3)
        ]  # fmt: skip
        write(session, *(created("event_label", label) for label in labels))
        found = {one.subject: one for one in measure_project(session.reader)}
    assert (found["event form: quality"].people, found["event form: quality"].units) == (1, 0)
    assert (found["event form: usable"].people, found["event form: usable"].units) == (2, 3)


@pytest.mark.parametrize(
    ("format_id", "texts", "percent", "unread"),
    [
        ("angle", ("-5.0 degrees", "355.0 degrees"), 1.0, 0),
        ("angle_distance", ("-5.0 degrees, 3.0 meters", "355.0 degrees, 3 m"), 1.0, 0),
        ("angle_distance", ("-5.0 degrees, 3.0 meters", "355.0 degrees, 4 m"), 0.0, 0),
        ("clock", ("2 o'clock", "behind the house"), 0.0, 1),
    ],
)
def test_task_when_measured_then_equal_answers_are_equal_and_unread_ones_are_counted(
    tmp_path: Path, format_id: str, texts: tuple[str, str], percent: float, unread: int
) -> None:
    with Session.create(tmp_path / "p.vantage") as session:
        item = Item(id="i", name="n", task_set="t", task="where", answer_format=format_id, question="Where?")
        given = [
            Response(id=f"r{number}", item="i", person=f"p{number}", answer=text, shown="same")
            for number, text in enumerate(texts)
        ]
        write(session, created("item", item), *(created("response", one) for one in given))
        (found,) = measure_project(session.reader)
    assert (found.percent.value, found.unread, found.units) == (percent, unread, 1)


def test_labels_when_two_people_filled_in_the_form_of_one_view_then_are_compared_field_by_field(
    tmp_path: Path,
) -> None:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        write(session, *(created("event_label", _own_label(n, quality=1 + n % 3)) for n in range(6)))
        session.use_actor(BEN)
        write(session, *(created("event_label", _own_label(n, quality=1 + n % 2)) for n in range(6)))
        # Nobody here answered the questions of a label that was imported without an annotator.
        write(session, created("event_label", _own_label(0, quality=5, source="file", state="imported")))
        (found,) = measure_project(session.reader)
    assert (found.subject, found.people, found.units) == ("event form: quality", 2, 6)
    assert found.percent.value == pytest.approx(2 / 6)
    assert found.pairs[0].people == (ANNA.id, BEN.id)


def _own_label(n: int, **fields: Any) -> EventLabel:
    return EventLabel(**{"id": new_id(), "scene": f"s{n}", "medium": f"m{n}", "state": "open", **fields})


def test_task_when_many_people_answer_then_each_distinct_text_is_read_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = registry.get("clock")
    read: list[str] = []
    parse = type(answers).parse

    def counted(self: object, text: str, **fields: Any) -> Any:
        read.append(text)
        return parse(self, text, **fields)  # type: ignore[arg-type]

    monkeypatch.setattr(type(answers), "parse", counted)
    with Session.open(project) as session:
        (found,) = (one for one in measure_project(session.reader) if one.subject == "spatialuav/direction")
    assert sorted(read) == sorted(f"{hour} o'clock" for hour in range(1, 13))
    # The score of a pair of people is that of the format itself, whichever is the key.
    by_pair = {pair.people: pair for pair in found.pairs}
    assert found.score is not None
    assert (by_pair["ann", "cid"].score or found.score).value == pytest.approx(0.5)
    assert found.score.value == pytest.approx(2 / 3)
