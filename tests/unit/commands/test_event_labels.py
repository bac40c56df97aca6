"""Edits of the event-level form: what each changes, that it is undone, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.commands.event_label_steps import ConfirmCopied, CopyAnswers, FinishLabel, ProposeAnswers
from annotator.commands.event_labels import (
    LabelEdit,
    SetDegradations,
    SetNeed,
    SetObjectCount,
    SetObjectTypes,
    SetOtherDegradation,
    SetPartners,
    SetQuality,
    SetReasons,
    SetUsable,
)
from annotator.commands.label_boxes import ChangeLabelBox, RemoveLabelBox, ToggleLabelBox
from annotator.domain.event_form import ANSWERS
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.flag import Flag
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.errors import UserError
from annotator.session import Session
from tests.unit.store.making import ANNA, created, write

BOX = PercentBox(x=1, y=1, width=5, height=5, labels=("occluded",))
RELABELLED = PercentBox(x=1, y=1, width=5, height=5, labels=("too_small",))
MOVED = PercentBox(x=2, y=1, width=5, height=5, labels=("too_small",))
WHAT = PercentBox(x=1, y=1, width=5, height=5, labels=("more_information",))
SCENE = Scene(
    id="5" * 32, name="s", views=tuple(SceneView(name=f"UAV{n}", medium=f"{n}" * 32) for n in (1, 2, 3))
)
LABEL = EventLabel(
    id="1" * 32,
    scene=SCENE.id,
    view="UAV1",
    medium="1" * 32,
    quality=3,
    usable=True,
    object_types=("vehicles",),
    count=ObjectCount(value=7),
    degradations=("occlusion", "others"),
    other_degradation="fog",
    issue_boxes=(BOX,),
    when=True,
    what_boxes=(WHAT,),
    who=("UAV2",),
    why=("occlusion",),
)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage", actor=ANNA) as session:
        write(session, created("scene", SCENE))
        yield session


@pytest.fixture
def labelled(session: Session) -> Session:
    """Give a project with a complete label of UAV1."""
    write(session, created("event_label", LABEL))
    return session


def _labels(session: Session) -> list[EventLabel]:
    return list(session.reader.records(EventLabel))


def _stored(session: Session) -> EventLabel:
    [label] = _labels(session)
    return label


def _make(kind: type[LabelEdit], **fields: object) -> LabelEdit:
    return kind(**({"scene": SCENE.id, "view": "UAV1"} | fields))


EDITS: dict[str, tuple[Callable[[], LabelEdit], dict[str, object]]] = {
    "quality": (lambda: _make(SetQuality, level=5), {"quality": 5}),
    "no quality": (lambda: _make(SetQuality, level=None), {"quality": None}),
    "usability": (lambda: _make(SetUsable, is_usable=False), {"usable": False}),
    "types": (lambda: _make(SetObjectTypes, types=("drones", "drones")), {"object_types": ("drones",)}),
    "count": (
        lambda: _make(SetObjectCount, count=ObjectCount(value=60, approximate=True)),
        {"count": ObjectCount(value=60, approximate=True)},
    ),
    "degradations": (
        lambda: _make(SetDegradations, degradations=("noise",)),
        {"degradations": ("noise",), "other_degradation": None},
    ),
    "other": (lambda: _make(SetOtherDegradation, text="smoke"), {"other_degradation": "smoke"}),
    "need": (
        lambda: _make(SetNeed, needs_help=False),
        {"when": False, "what_boxes": None, "who": None, "why": None},
    ),
    "partners": (lambda: _make(SetPartners, partners=("UAV3", "UAV2")), {"who": ("UAV2", "UAV3")}),
    "reasons": (lambda: _make(SetReasons, reasons=("noise", "loss")), {"why": ("noise", "loss")}),
    "issue box": (
        lambda: _make(ToggleLabelBox, field="issue_boxes", box=MOVED),
        {"issue_boxes": (BOX, MOVED)},
    ),
    "what box": (lambda: _make(ToggleLabelBox, field="what_boxes", box=WHAT), {"what_boxes": ()}),
    "relabelled box": (
        lambda: _make(ToggleLabelBox, field="issue_boxes", box=RELABELLED),
        {"issue_boxes": (RELABELLED,)},
    ),
    "removed box": (lambda: _make(ToggleLabelBox, field="issue_boxes", box=BOX), {"issue_boxes": ()}),
    "moved box": (
        lambda: _make(ChangeLabelBox, field="issue_boxes", index=0, box=MOVED),
        {"issue_boxes": (MOVED,)},
    ),
    "no box": (lambda: _make(RemoveLabelBox, field="issue_boxes", index=0), {"issue_boxes": ()}),
}


@pytest.mark.parametrize("name", EDITS)
def test_edit_when_done_undone_and_redone_then_the_label_follows(labelled: Session, name: str) -> None:
    make, fields = EDITS[name]
    after = msgspec.structs.replace(LABEL, **fields, state="open")
    labelled.execute(make()).result()
    assert _stored(labelled) == after
    labelled.undo().result()
    assert _stored(labelled) == LABEL
    labelled.redo().result()
    assert _stored(labelled) == after


def test_edit_when_the_view_has_no_label_then_the_first_answer_creates_one(session: Session) -> None:
    session.execute(_make(SetQuality, level=4)).result()
    label = _stored(session)
    assert (label.scene, label.view, label.medium) == (SCENE.id, "UAV1", "1" * 32)
    assert (label.quality, label.state) == (4, "open")
    session.execute(_make(SetUsable, is_usable=True)).result()
    assert _stored(session).id == label.id
    session.undo().result()
    session.undo().result()
    assert _labels(session) == []


def test_edit_when_keys_of_one_gesture_follow_each_other_then_they_are_one_step(labelled: Session) -> None:
    for text in ("s", "sm", "smoke"):
        labelled.execute(_make(SetOtherDegradation, text=text, gesture="1")).result()
    labelled.undo().result()
    assert _stored(labelled) == LABEL


REFUSED: dict[str, tuple[Callable[[], LabelEdit], dict[str, object], str]] = {
    "level": (lambda: _make(SetQuality, level=6), {}, "not a level"),
    "count": (lambda: _make(SetObjectCount, count=ObjectCount(value=-1)), {}, "not a whole number"),
    "type": (lambda: _make(SetObjectTypes, types=("ships",)), {}, "ships is not in the list"),
    "degradation": (lambda: _make(SetDegradations, degradations=("smear",)), {}, "smear is not in the list"),
    "reason": (lambda: _make(SetReasons, reasons=("because",)), {}, "because is not in the list"),
    "other": (lambda: _make(SetOtherDegradation, text="x"), {"degradations": ()}, "not selected"),
    "partner": (lambda: _make(SetPartners, partners=("UAV1",)), {}, "UAV1 is not another view"),
    "who": (lambda: _make(SetPartners, partners=("UAV2",)), {"when": None}, "does not need another view"),
    "why": (lambda: _make(SetReasons, reasons=("loss",)), {"when": False}, "does not need another view"),
    "what": (
        lambda: _make(ToggleLabelBox, field="what_boxes", box=WHAT),
        {"when": None},
        "does not need another view",
    ),
    "box": (lambda: _make(RemoveLabelBox, field="issue_boxes", index=1), {}, "no box 2"),
    "view": (lambda: _make(SetQuality, level=1, view="UAV7"), {}, "no view 'UAV7'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_edit_when_it_does_not_fit_then_it_is_refused_and_nothing_changes(
    session: Session, name: str
) -> None:
    make, fields, message = REFUSED[name]
    label = msgspec.structs.replace(LABEL, **fields)
    write(session, created("event_label", label))
    with pytest.raises(UserError, match=message):
        session.execute(make()).result()
    assert _stored(session) == label


def test_edit_when_a_view_has_two_labels_then_one_must_be_chosen(labelled: Session) -> None:
    other = msgspec.structs.replace(LABEL, id="2" * 32)
    write(labelled, created("event_label", other))
    with pytest.raises(UserError, match="2 event labels"):
        labelled.execute(_make(SetQuality, level=1)).result()
    labelled.execute(_make(SetQuality, level=1, label=other.id)).result()
    assert [label.quality for label in _labels(labelled)] == [3, 1]


def test_edit_when_an_imported_text_is_not_in_the_list_then_it_can_be_kept(session: Session) -> None:
    write(session, created("event_label", msgspec.structs.replace(LABEL, degradations=("smear", "others"))))
    session.execute(_make(SetDegradations, degradations=("smear", "others", "noise"))).result()
    assert _stored(session).degradations == ("smear", "others", "noise")


def test_copied_answers_when_confirmed_or_answered_again_then_the_mark_goes(labelled: Session) -> None:
    copy = _make(CopyAnswers, view="UAV2", source=LABEL.id)
    labelled.execute(copy).result()
    label = _labels(labelled)[1]
    assert (label.view, label.quality, label.who, label.state) == ("UAV2", 3, ("UAV1",), "open")
    assert {"quality", "usable", "who"} <= set(label.copied)
    labelled.execute(_make(SetQuality, view="UAV2", level=3)).result()
    labelled.execute(_make(SetUsable, view="UAV2", is_usable=False)).result()
    assert not {"quality", "usable"} & set(_labels(labelled)[1].copied)
    labelled.execute(_make(ConfirmCopied, view="UAV2", fields=("who",))).result()
    assert "who" not in _labels(labelled)[1].copied
    labelled.execute(_make(ConfirmCopied, view="UAV2")).result()
    assert _labels(labelled)[1].copied == ()


def test_finish_when_a_problem_is_open_then_the_label_is_kept_and_not_finished(session: Session) -> None:
    write(session, created("event_label", msgspec.structs.replace(LABEL, why=())))
    with pytest.raises(UserError, match="cannot be finished"):
        session.execute(_make(FinishLabel)).result()
    session.execute(_make(SetReasons, reasons=("occlusion",))).result()
    session.execute(_make(FinishLabel)).result()
    assert _stored(session).state == "finished"
    session.execute(_make(SetQuality, level=2)).result()
    assert _stored(session).state == "open"


def test_finish_when_the_import_flagged_what_is_corrected_now_then_the_flag_is_resolved(
    labelled: Session,
) -> None:
    for number, kind in enumerate(("why_missing", "annotated_twice")):
        flag = Flag(id=f"{number}" * 32, entity="event_label", target=LABEL.id, kind=kind)
        write(labelled, created("flag", flag))
    labelled.execute(_make(FinishLabel)).result()
    states = {flag.kind: flag.state for flag in labelled.reader.flags_of(LABEL.id)}
    assert states == {"why_missing": "resolved", "annotated_twice": "open"}
    labelled.undo().result()
    assert {flag.state for flag in labelled.reader.flags_of(LABEL.id)} == {"open"}


def _view_of_regions(session: Session) -> None:
    """Enter three regions of UAV1, of which the first is linked to UAV3."""
    boxes = ((100.0, 100.0, 110.0, 110.0), (0.0, 200.0, 80.0, 260.0), (300.0, 300.0, 400.0, 400.0))
    here = SCENE.views[0].medium
    for view in SCENE.views:
        write(
            session, created("medium", Medium(id=view.medium, name=view.name, width_px=1000, height_px=500))
        )
    for number, (x1, y1, x2, y2) in enumerate(boxes):
        box = Box(x1=x1, y1=y1, x2=x2, y2=y2)
        # Regions that a detector proposes count: the answers are proposals themselves.
        region = Region(
            id=f"a{number}", medium=here, number=number, box=box, category="car", is_proposed=number == 1
        )
        write(session, created("region", region))
    there = Region(id="c0", medium=SCENE.views[2].medium, number=0, box=Box(x1=1, y1=1, x2=9, y2=9))
    write(session, created("region", there))
    write(session, created("link", Link(id="l", scene=SCENE.id, regions=("a0", "c0"))))


def test_proposed_answers_when_the_view_has_regions_then_they_come_from_them_and_from_the_other_label(
    session: Session,
) -> None:
    _view_of_regions(session)
    before = msgspec.structs.replace(LABEL, id="9" * 32, scene="8" * 32)
    write(session, created("event_label", before))
    session.execute(_make(ProposeAnswers, source=before.id)).result()
    label = _labels(session)[1]
    assert (label.count, label.object_types) == (ObjectCount(value=3), ("vehicles",))
    assert [box.labels for box in label.issue_boxes or ()] == [("too_small",), ("out_of_fov",)]
    assert (label.degradations, label.why) == (("small_target", "out_of_fov"),) * 2
    assert (label.when, label.who, label.quality, label.usable) == (True, ("UAV3",), 3, True)
    assert [(box.x, box.labels) for box in label.what_boxes or ()] == [(10.0, ("more_information",))]
    assert set(label.copied) == {name for name in ANSWERS if getattr(label, name) is not None}
    session.execute(_make(ConfirmCopied)).result()
    session.execute(_make(FinishLabel)).result()
    assert _labels(session)[1].state == "finished"


def test_proposed_answers_when_a_box_is_relabelled_then_the_unconfirmed_answers_follow(
    session: Session,
) -> None:
    _view_of_regions(session)
    session.execute(_make(ProposeAnswers)).result()
    boxes = _stored(session).issue_boxes or ()
    occluded = msgspec.structs.replace(boxes[0], labels=("occluded",))
    session.execute(_make(ToggleLabelBox, field="issue_boxes", box=occluded)).result()
    label = _stored(session)
    assert (label.degradations, label.why) == (("occlusion", "out_of_fov"),) * 2
    assert "issue_boxes" not in label.copied
    assert {"degradations", "why", "who"} <= set(label.copied)
    session.execute(_make(SetReasons, reasons=("loss",))).result()
    session.execute(_make(ToggleLabelBox, field="issue_boxes", box=occluded)).result()
    label = _stored(session)
    assert (label.degradations, label.why) == (("out_of_fov",), ("loss",))
    assert label.what_boxes == ()
    for _ in range(4):
        session.undo().result()
    assert _labels(session) == []


def test_proposed_answers_when_nothing_is_known_of_the_view_then_it_says_what_to_do(session: Session) -> None:
    write(session, created("medium", Medium(id=SCENE.views[0].medium, name="UAV1")))
    with pytest.raises(UserError, match="No answer can be proposed") as refused:
        session.execute(_make(ProposeAnswers)).result()
    assert "run a detector" in (refused.value.hint or "")
    assert _labels(session) == []
