"""Steps through the frames to annotate, in the real window."""

from __future__ import annotations

import pytest

from annotator.commands.projects import SetFrameSteps
from annotator.domain.event_label import EventLabel, ObjectCount
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.scene import Scene, SceneView
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.gui.stage.hands import HEIGHT, WIDTH, write_picture
from tests.unit.store.making import created, write
from widgets.annotate.frame_steps_dialog import FrameStepsDialog


@pytest.fixture
def frames(person: AnnotatePerson) -> AnnotatePerson:
    """Give four more frames of a sequence, of which the last one looks different."""
    folder, records = person.session.media_root, []
    for number, seed in ((1, 7), (2, 7), (3, 7), (4, 90)):
        file = write_picture(folder / f"s-{number}.png", seed=seed)
        medium = Medium(id=new_id(), name=file.name, path=file.name, width_px=WIDTH, height_px=HEIGHT)
        views = (SceneView(name="UAV1", medium=medium.id),)
        records += [medium, Scene(id=new_id(), name=f"s-{number}", views=views)]
    write(person.session, *(created(record.table.entity, record) for record in records))
    person.qtbot.waitUntil(lambda: person.annotate.queue.listing.model.rowCount() == 7)
    person.settle()
    person.annotate.queue.grid.choose(3)
    person.settle()
    person.annotate.stage.focus_view()
    assert shown(person) == "s-1"
    return person


def shown(person: AnnotatePerson) -> str:
    scene = person.annotate.stage.shown
    return scene.scene.name if scene is not None else ""


def label_of(person: AnnotatePerson, name: str) -> EventLabel | None:
    scene = next(one for one in person.session.reader.records(Scene) if one.name == name)
    return next(iter(person.session.reader.labels_of(scene.id)), None)


def test_unfinished_when_every_third_frame_is_annotated_then_the_others_come_after_them(
    frames: AnnotatePerson,
) -> None:
    frames.session.execute(SetFrameSteps(step=3, difference=3.0)).result()
    frames.press("Shift+PgDown")
    frames.qtbot.waitUntil(lambda: shown(frames) == "s-4")
    frames.press("Shift+PgUp")
    frames.qtbot.waitUntil(lambda: shown(frames) == "s-1")
    for _scene in range(7):
        frames.press("Ctrl+E")
        frames.qtbot.waitUntil(lambda: "Reopen" in frames.annotate.finish.button.text())
        frames.press("Shift+PgDown")
        frames.settle()
    assert "7 of 7" in frames.annotate.queue.count.text() or "No other" in frames.annotate.queue.count.text()


def test_finish_when_a_frame_is_annotated_then_one_key_confirms_the_carried_answers(
    frames: AnnotatePerson,
) -> None:
    frames.session.execute(SetFrameSteps(step=3, difference=3.0)).result()
    stage = frames.annotate.stage
    label = EventLabel(
        id=new_id(),
        scene=stage.scene,
        view="UAV1",
        medium=stage.canvases[0].medium,
        quality=4,
        usable=True,
        count=ObjectCount(value=2),
        when=False,
        state="open",
    )
    write(frames.session, created("event_label", label))
    frames.press("Ctrl+E")
    frames.qtbot.waitUntil(lambda: label_of(frames, "s-3") is not None)
    frames.press("PgDown")
    frames.press("Shift+F")
    form = frames.annotate.annotation_panel.form
    frames.qtbot.waitUntil(lambda: form.is_settled() and bool(form.rows))
    assert form.hint.text() == "The answers were carried from s-1. Confirm them, or correct them."
    assert form.hint.isVisible()
    frames.press("Ctrl+J")
    frames.qtbot.waitUntil(lambda: not form.hint.isVisible())
    found = label_of(frames, "s-2")
    assert found is not None
    assert found.copied == ()


def test_labels_when_carried_by_the_action_then_the_frames_between_have_them(frames: AnnotatePerson) -> None:
    frames.session.execute(SetFrameSteps(step=3, difference=3.0)).result()
    stage = frames.annotate.stage
    label = EventLabel(
        id=new_id(), scene=stage.scene, view="UAV1", medium=stage.canvases[0].medium, quality=4, state="open"
    )
    write(frames.session, created("event_label", label))
    frames.settle()
    frames.window.registry.run("annotate.carry_labels")
    frames.qtbot.waitUntil(lambda: label_of(frames, "s-3") is not None)
    found = label_of(frames, "s-2")
    assert found is not None
    assert (found.quality, found.copied) == (4, ("quality",))


def test_different_when_the_next_frames_look_alike_then_shows_the_one_that_differs(
    frames: AnnotatePerson,
) -> None:
    # The pictures are noise: of small copies, little of their difference is left.
    frames.session.execute(SetFrameSteps(step=1, difference=0.5)).result()
    frames.press("Ctrl+PgDown")
    frames.qtbot.waitUntil(lambda: shown(frames) == "s-4")
    frames.press("Ctrl+PgDown")
    text = "No later frame of this list differs by 0.5 % or more"
    frames.qtbot.waitUntil(lambda: frames.annotate.queue.count.text() == text)
    assert shown(frames) == "s-4"


def test_dialog_when_numbers_are_entered_then_project_and_clock_have_them(frames: AnnotatePerson) -> None:
    frames.window.registry.run("annotate.frame_steps")
    frames.qtbot.waitUntil(lambda: frames.window.findChild(FrameStepsDialog) is not None)
    dialog = frames.window.findChild(FrameStepsDialog)
    for name, text in (("step", "8"), ("difference", "2.5"), ("idle_limit_s", "90")):
        dialog.fields[name].selectAll()
        frames.qtbot.keyClicks(dialog.fields[name], text)
    dialog.main.click()
    frames.qtbot.waitUntil(lambda: frames.session.reader.project.annotation_step == 8)
    assert frames.session.reader.project.frame_difference == 2.5
    assert frames.annotate.clock.active_time.idle_limit_s == 90
    frames.press("Ctrl+Z")
    frames.qtbot.waitUntil(lambda: frames.session.reader.project.annotation_step == 1)
