"""The verb ``review``: what it lists, and that it decides as the window does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.commands.assignments import AssignRecords
from annotator.commands.item_states import ChangeState
from annotator.commands.review import KeepRecord, SendBack
from annotator.commands.scene_states import FinishScene
from annotator.domain.event_label import ObjectCount
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.response import Response
from annotator.domain.review import PHRASES
from annotator.progress import Progress
from annotator.session import Session
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import (
    ANNA,
    BEN,
    a_flag,
    a_label,
    a_medium,
    a_scene,
    an_item,
    changed,
    created,
    write,
)

OPTIONS = tuple(Option(letter=letter, text=f"{letter} text") for letter in "ABCD")


def an_item_of_rule(number: int, **fields: Any) -> Item:
    values = {
        "id": f"i{number}", "name": f"item_{number}", "task": "object_counting", "state": "refined",
        "question": f"How many, number {number}?", "options": OPTIONS, "answer_key": "B",
        "provenance": Provenance(made_by="rule"),
    }  # fmt: skip
    return an_item(**{**values, **fields})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project where people doubt one item and models another, and a check a third."""
    path = tmp_path / "p.vantage"
    about_key = {"field": "answer_key", "severity": "warning"}
    flags = [
        a_flag("i0", id="f0", kind="people_disagree", raised_by="response", **about_key,
               evidence={"responses": ["r1", "r2"]}),
        a_flag("i1", id="f1", kind="consensus_against_key", raised_by="consensus", **about_key),
        a_flag("i2", id="f2", kind="option_style", raised_by="check", severity="note"),
    ]  # fmt: skip
    with Session.create(path) as session:
        write(session, *(created("item", an_item_of_rule(n)) for n in range(4)))
        write(session, *(created("flag", flag) for flag in flags))
        write(
            session,
            created("actor", BEN),
            created("response", Response(id="r1", item="i0", answer="A", person=BEN.id)),
        )
    return path


def stored(project: Path, number: int) -> Item:
    with Session.open_for_reading(project) as session:
        return session.reader.require(Item, f"i{number}")


def flag(project: Path, flag_id: str) -> tuple[str, str]:
    with Session.open_for_reading(project) as session:
        found = session.reader.require(Flag, flag_id)
        return found.state, found.resolution


def test_review_when_no_subcommand_is_given_then_lists_the_queue_by_worth(project: Path, verb: Verb) -> None:
    said = verb("review", project)
    assert said.status == 0
    assert said.out.index("item_0") < said.out.index("item_1") < said.out.index("item_2")
    assert "3 cases" in said.out
    result = verb("review", project, "--json").json
    assert (result["count"], [case["worth"] for case in result["cases"]]) == (
        3,
        [0.75, 0.5, pytest.approx(0.1)],
    )
    assert result["facets"]["reason"] == {"failed_check": 1, "models_against_key": 1, "people_disagree": 1}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--because", "models_against_key"), ["item_1"]),
        (("--severity", "note"), ["item_2"]),
        (("--kind", "people_disagree"), ["item_0"]),
        (("--person", "ben"), ["item_0"]),
        (("--task", "aircop/object_counting", "--limit", "2"), ["item_0", "item_1"]),
        (("--state", "rejected"), []),
        (("--limit", "0"), ["item_0", "item_1", "item_2"]),
    ],
)
def test_list_when_filtered_then_has_only_those_cases(
    project: Path, verb: Verb, options: tuple[str, ...], expected: list[str]
) -> None:
    result = verb("review", project, "list", *options, "--json").json
    assert [case["name"] for case in result["cases"]] == expected


def test_keep_when_done_then_the_flag_is_dismissed_and_the_item_accepted(project: Path, verb: Verb) -> None:
    said = verb("review", project, "keep", "item_0", "--reason", "2 of 3 saw it.", "--accept", "--json")
    assert said.json == {"entity": "item", "id": "i0", "state": "accepted", "open_flags": 0, "forks": 0}
    assert flag(project, "f0") == ("dismissed", "2 of 3 saw it.")


def test_reason_when_it_is_a_number_then_is_that_phrase_of_the_project(project: Path, verb: Verb) -> None:
    verb("review", project, "keep", "item_0", "--reason", "1")
    assert flag(project, "f0") == ("dismissed", PHRASES[0])
    verb("review", project, "rules", "--phrase", "Our own reason.")
    verb("review", project, "keep", "item_1", "--reason", "1")
    assert flag(project, "f1") == ("dismissed", "Our own reason.")


def test_key_when_set_then_is_canonical_and_its_flags_are_resolved(project: Path, verb: Verb) -> None:
    said = verb("review", project, "set-key", "item_1", "c", "--reason", "3")
    assert said.status == 0, said.err
    assert (stored(project, 1).answer_key, flag(project, "f1")) == ("C", ("resolved", PHRASES[2]))
    refused = verb("review", project, "set-key", "item_1", "Z", "--reason", "3")
    assert (refused.status, "'Z' is not an answer" in refused.err) == (2, True)


def test_resolve_when_done_then_the_flags_of_the_record_are_resolved(project: Path, verb: Verb) -> None:
    assert verb("review", project, "resolve", "i2", "--reason", "Mended.").status == 0
    assert flag(project, "f2") == ("resolved", "Mended.")


def test_item_when_sent_back_and_rejected_then_has_those_states(project: Path, verb: Verb) -> None:
    assert verb("review", project, "send-back", "item_0", "--reason", "Look at B.").status == 0
    assert verb("review", project, "reject", "item_1", "--reason", "Two are right.").status == 0
    assert (stored(project, 0).state, stored(project, 1).state) == ("in_refinement", "rejected")
    assert verb("review", project, "--json").json["count"] == 1


def test_decision_when_the_record_is_unknown_or_the_reason_empty_then_says_so(
    project: Path, verb: Verb
) -> None:
    said = verb("review", project, "keep", "nothing", "--reason", "x")
    assert (said.status, "Nothing waits for a decision named 'nothing'." in said.err) == (2, True)
    said = verb("review", project, "keep", "item_0", "--reason", " ")
    assert (said.status, "A decision needs a reason." in said.err) == (2, True)


def test_accept_when_a_flag_is_left_then_is_refused(project: Path, verb: Verb) -> None:
    said = verb("items", project, "set", "--name", "item_0", "--to-state", "accepted")
    assert (said.status, "open flags: 1 (people_disagree)" in said.err) == (2, True)


def test_rules_when_set_then_are_printed(project: Path, verb: Verb) -> None:
    assert verb("review", project, "rules", "--json").json == {
        "separate_acceptance": "auto",
        "phrases": list(PHRASES),
    }
    said = verb(
        "review", project, "rules", "--separate-acceptance", "on", "--phrase", "a", "--phrase", "b", "--json"
    )
    assert said.json == {"separate_acceptance": "on", "phrases": ["a", "b"]}
    assert verb("review", project, "rules", "--usual-phrases", "--json").json["phrases"] == list(PHRASES)
    assert "Separate acceptance: on" in verb("review", project, "rules").out


def test_forks_when_merged_then_have_the_chosen_values(project: Path, verb: Verb, tmp_path: Path) -> None:
    first, second = tmp_path / "a.vantage-bundle", tmp_path / "b.vantage-bundle"
    with Session.open(project) as session:
        session.export_bundle(first, progress=Progress())
        with Session.create_from_bundle(tmp_path / "other.vantage", first, actor=ANNA) as other:
            write(other, *changed("item", "i3", question="Anna?"))
            write(session, *changed("item", "i3", question="Mine?"))
            other.export_bundle(second, progress=Progress())
        session.merge(second, progress=Progress()).result()
    listed = verb("review", project, "--because", "fork", "--json").json
    assert [case["name"] for case in listed["cases"]] == ["item_3"]
    (fork,) = verb("forks", project, "--json").json["forks"]
    (event,) = [one["event"] for one in fork["values"] if one["value"] == '"Anna?"']
    wrong = verb("review", project, "merge-forks", "item_3", "--keep", "x", "--reason", "1")
    assert (wrong.status, "A fork has no value of that event." in wrong.err) == (2, True)
    said = verb("review", project, "merge-forks", "item_3", "--keep", event, "--reason", "1", "--json")
    assert (said.status, said.json["forks"], stored(project, 3).question) == (0, 0, "Anna?")


def test_outcomes_when_people_decide_then_count_each_item_once_without_what_was_undone(
    project: Path, verb: Verb
) -> None:
    with Session.open(project, actor=ANNA) as anna, Session.open(project, actor=BEN) as ben:
        anna.execute(KeepRecord(target="i0", reason="x", accept=True)).result()
        anna.execute(SendBack(target="i1", reason="x")).result()
        ben.execute(ChangeState(items=("i2", "i3"), state="accepted")).result()
        ben.execute(ChangeState(items=("i3",), state="in_refinement", reason="x")).result()
        ben.execute(ChangeState(items=("i3",), state="refined")).result()
        ben.execute(ChangeState(items=("i3",), state="accepted")).result()
        ben.execute(ChangeState(items=("i2",), state="rejected", reason="x")).result()
        ben.undo().result()
    found = verb("review", project, "outcomes", "--json").json["outcomes"]
    counts = [(one["name"], one["accepted"], one["sent_back"], one["rejected"]) for one in found]
    assert counts == [("Anna", 1, 1, 0), ("Ben", 2, 1, 0)]
    assert {one["task"] for one in found} == {"object_counting"}
    assert "Ben" in verb("review", project, "outcomes").out
    progress = verb("progress", project, "--json").json
    assert progress["decisions"] == found
    assert "Decisions on items" in verb("progress", project).out


@pytest.fixture
def labelled(project: Path) -> Path:
    """Let two persons hand in a view with different labels; the case has the id ``l1``."""
    scene = a_scene("m1", id="s1")
    answers = {"usable": True, "object_types": ("vehicles",), "degradations": (), "when": False}
    with Session.open(project, actor=ANNA) as session:
        write(session, created("medium", a_medium(id="m1")), created("scene", scene))
        pairs = tuple((scene.id, person.id) for person in (ANNA, BEN))
        session.execute(AssignRecords(entity="scene", role="annotate", pairs=pairs)).result()
        for number, person in enumerate((ANNA, BEN), start=1):
            session.use_actor(person)
            counted = {"quality": 3 + number, "count": ObjectCount(value=number)}
            label = a_label(id=f"l{number}", scene="s1", view="UAV1", medium="m1", **answers, **counted)
            write(session, created("event_label", label))
            session.execute(FinishScene(scene=scene.id, person=person.id)).result()
    return project


def test_labels_when_decided_then_the_view_has_one_with_the_answers_of_the_persons(
    labelled: Path, verb: Verb
) -> None:
    chosen = ("--keep", "ben", "--field", "count=Anna", "--reason", "1")
    said = verb("review", labelled, "decide-labels", "l1", *chosen, "--json")
    assert said.json["open_flags"] == 0
    with Session.open_for_reading(labelled) as session:
        [label] = session.reader.labels_of("s1")
    assert (label.quality, label.count, label.decided_from) == (5, ObjectCount(value=1), ("l1", "l2"))


def test_labels_when_the_person_has_none_then_says_whose_there_are(labelled: Path, verb: Verb) -> None:
    refused = verb("review", labelled, "decide-labels", "l1", "--keep", "Cara", "--reason", "1")
    assert refused.status == 2
    assert "Cara has 0 event labels of this view." in refused.err
    assert "Labels are by: Anna, Ben." in refused.err
