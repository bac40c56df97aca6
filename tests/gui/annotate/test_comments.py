"""Comments beside the stage: written by keys, pinned to the image, read and answered."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from annotator.commands.comments import WriteComment
from annotator.commands.regions import AddRegion
from annotator.commands.tags import ChangeTags
from annotator.domain.actor import Actor
from annotator.domain.comment import Comment, CommentPin
from annotator.domain.region import Box
from annotator.domain.scene import Scene
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.gui.annotate.annotate_person import AnnotatePerson
from tests.gui.annotate.flight_person import FlightPerson
from tests.gui.person import WindowPerson
from widgets.comment_actions import CommentActions
from widgets.comments.comments_panel import CommentsPanel
from widgets.settings import Settings
from widgets.stage.comment_pins import STEM_PX
from widgets.window import build

BEN = Actor(id="b" * 32, name="Ben")


def actions(person: WindowPerson) -> CommentActions:
    assert person.window.project is not None
    return person.window.project.comments


def panel(person: WindowPerson) -> CommentsPanel:
    return actions(person).panel


def write(text: str) -> None:
    QTest.keyClicks(QApplication.focusWidget(), text)


def comments(person: WindowPerson) -> list[Comment]:
    return list(person.session.reader.records(Comment))


def scene(person: WindowPerson, name: str) -> Scene:
    (found,) = person.session.reader.find(Scene, name=name)
    return found


def by_ben(person: WindowPerson, **fields: Any) -> None:
    """Let another person comment while the window is open, as a merge does."""
    me = person.session.actor
    person.session.use_actor(BEN)
    person.session.execute(WriteComment(**{"entity": "scene", "person": BEN.id, **fields})).result()
    person.session.use_actor(me)
    person.settle()


def texts(person: WindowPerson) -> list[str]:
    return [card.row.text for card in panel(person).cards]


def test_comment_when_written_by_keys_then_is_stored_shown_and_undone(person: AnnotatePerson) -> None:
    person.press("Ctrl+M")
    write("The left edge is blurred.")
    person.press("Ctrl+Return")
    (made,) = comments(person)
    assert (made.entity, made.target, made.text) == (
        "scene",
        scene(person, "0001").id,
        "The left edge is blurred.",
    )
    assert made.person == person.session.actor.id
    assert texts(person) == [made.text]
    assert panel(person).form.field.text() == ""
    person.window.registry.run("edit.undo")
    person.settle()
    assert (comments(person), texts(person)) == ([], [])
    person.press("Escape")
    assert panel(person).isHidden()
    assert person.annotate.stage.canvases[0].hasFocus()


def test_name_when_begun_after_a_sign_then_is_completed_by_enter_and_the_person_is_mentioned(
    person: AnnotatePerson,
) -> None:
    by_ben(person, target=scene(person, "0002").id, text="hm")
    person.press("Ctrl+M")
    write("See @be")
    field = panel(person).form.field
    assert [field.names.item(at).text() for at in range(field.names.count())] == ["Ben"]
    assert not field.names.isHidden()
    person.press("Return")
    write("now")
    person.press("Ctrl+Return")
    made = comments(person)[-1]
    assert made.text == "See @Ben now"
    assert [one.person for one in made.mentions] == [BEN.id]


def test_name_when_begun_between_an_emoji_and_text_then_is_completed(person: AnnotatePerson) -> None:
    by_ben(person, target=scene(person, "0002").id, text="hm")
    person.press("Ctrl+M")
    field = panel(person).form.field
    field.edit.insertPlainText("\N{HELICOPTER} .")
    field.edit.moveCursor(QTextCursor.MoveOperation.Left)
    write("@be")
    assert [field.names.item(at).text() for at in range(field.names.count())] == ["Ben"]
    person.press("Return")
    assert field.text() == "\N{HELICOPTER} @Ben ."


def test_names_when_escape_is_pressed_then_close_first_and_the_panel_stays(person: AnnotatePerson) -> None:
    by_ben(person, target=scene(person, "0002").id, text="hm")
    person.press("Ctrl+M")
    write("@b")
    person.press("Escape")
    assert panel(person).form.field.names.isHidden()
    assert panel(person).isVisible()
    assert panel(person).form.field.text() == "@b"


def test_pin_when_clicked_in_the_image_then_is_stored_in_image_pixels_and_painted_with_its_number(
    person: AnnotatePerson,
) -> None:
    stage = person.annotate.stage
    person.press("V")
    before = stage.tool
    person.press("Alt+C")
    assert "Click the place" in stage.tool.hint
    canvas = stage.canvases[1]
    person.hands.click(100, 80, view=1)
    person.settle()
    assert stage.tool is before
    write("Which car?")
    person.press("Ctrl+Return")
    (made,) = comments(person)
    assert made.pin is not None
    assert made.pin.medium == canvas.medium
    assert abs(made.pin.x - 100) < 2
    assert abs(made.pin.y - 80) < 2
    (mark,) = stage.pins.at(canvas.medium, None)
    assert mark.number == 1
    assert list(stage.pins.at(stage.canvases[0].medium, None)) == []
    with_pin = canvas.grab().toImage()
    stage.pins.show(())
    assert canvas.grab().toImage() != with_pin
    panel(person).close_button.click()
    assert stage.pins.marks == ()


def test_pin_when_clicked_on_the_stage_then_chooses_its_comment_unless_a_tool_draws_there(
    person: AnnotatePerson,
) -> None:
    stage = person.annotate.stage
    for at, text in enumerate(("here", "there")):
        pin = CommentPin(medium=stage.canvases[0].medium, x=60.0 + 100 * at, y=90.0)
        by_ben(person, target=scene(person, "0001").id, text=text, pin=pin)
    person.press("V")
    actions(person).open()
    person.settle()
    selected = stage.selected
    canvas = stage.canvases[0]
    mark = person.hands.point(160, 90) - QPoint(0, STEM_PX)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=mark)
    person.settle()
    assert panel(person).cards[1].hasFocus()
    assert [one.is_current for one in stage.pins.at(canvas.medium, None)] == [False, True]
    assert stage.selected == selected
    stage.choose_tool("box")
    stage.focus_view()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=mark)
    person.settle()
    assert canvas.hasFocus()


def test_panel_when_the_project_is_opened_again_then_is_open_or_closed_as_it_was(
    person: AnnotatePerson, settings: Settings, qtbot: PatientBot
) -> None:
    by_ben(person, target=scene(person, "0001").id, text="here")
    path = person.session.path

    def is_open_again() -> bool:
        window = build(Session.open(path), settings=settings)
        qtbot.addWidget(window)
        with qtbot.waitExposed(window):
            window.show()
        again = WindowPerson(window, qtbot, workspace="annotate")
        is_open = bool(panel(again).isVisible())
        assert texts(again) == (["here"] if is_open else [])
        window.close()
        return is_open

    actions(person).open()
    person.settle()
    person.window.close()
    assert is_open_again()
    settings.keep("comments/open", False)
    assert not is_open_again()


def test_pin_when_the_model_input_is_shown_then_is_not_painted(person: AnnotatePerson) -> None:
    stage = person.annotate.stage
    pin = CommentPin(medium=stage.canvases[0].medium, x=60.0, y=60.0)
    by_ben(person, target=scene(person, "0001").id, text="here", pin=pin)
    stage.toggle_model()
    person.settle()
    canvas = stage.canvases[0]
    assert canvas.is_model_input
    plain = canvas.grab().toImage()
    actions(person).open()
    person.settle()
    assert len(stage.pins.at(canvas.medium, None)) == 1
    # Compared in the same size: the panel has made the stage narrower.
    panel(person).hide()
    person.settle()
    assert canvas.grab().toImage() == plain


def test_pin_tool_when_escape_or_enter_is_pressed_then_cancels_or_takes_the_centre(
    person: AnnotatePerson,
) -> None:
    stage = person.annotate.stage
    person.press("Alt+C")
    person.press("Escape")
    assert panel(person).form.pin is None
    assert stage.tool.id == "select"
    person.press("Alt+C")
    person.press("Return")
    pin = panel(person).form.pin
    assert pin is not None
    size = stage.canvases[0].image_size
    assert abs(pin.x - size.width() / 2) < 3
    assert abs(pin.y - size.height() / 2) < 3
    # Esc in the field first drops the pin, then closes the panel.
    person.press("Escape")
    assert panel(person).form.pin is None
    assert panel(person).isVisible()


def test_comment_when_one_region_is_selected_then_is_about_the_region(person: AnnotatePerson) -> None:
    medium = person.annotate.stage.canvases[0].medium
    command = AddRegion(medium=medium, box=Box(x1=10.0, y1=10.0, x2=60.0, y2=60.0))
    person.session.execute(command).result()
    person.settle()
    person.annotate.stage.select([command.id])
    person.press("Ctrl+M")
    assert panel(person).form.purpose.text() == "About Region 0"
    write("A van?")
    person.press("Ctrl+Return")
    (made,) = comments(person)
    assert (made.entity, made.target) == ("region", command.id)
    assert texts(person) == ["A van?"]


def test_comment_of_another_person_when_it_arrives_then_is_listed_marked_new_and_counted_as_read(
    person: AnnotatePerson,
) -> None:
    person.press("Ctrl+M")
    write("unfinished")
    by_ben(person, target=scene(person, "0001").id, text="Look here")
    (card,) = panel(person).cards
    assert card.is_unread
    assert set(card.buttons) == {"reply"}
    assert panel(person).form.field.text() == "unfinished"
    assert actions(person).unread.rows == ()
    assert not person.window.top_bar.unread.isVisible()


def test_unread_when_another_person_comments_then_is_counted_marked_and_shown_by_the_key(
    person: AnnotatePerson,
) -> None:
    other = scene(person, "0002")
    # The project knows the name of a person from the own first change on.
    person.session.execute(ChangeTags(scenes=(other.id,), added=("day",))).result()
    by_ben(person, target=other.id, text="first")
    by_ben(person, target=scene(person, "0001").id, text=f"@{person.session.actor.name}, second")
    button = person.window.top_bar.unread
    assert (button.isVisible(), button.text()) == (True, "2")
    assert other.id in person.annotate.queue.listing.model.unread
    # Those that mention the person come first.
    person.press("Alt+U")
    assert (person.window.workspace, texts(person)[-1][-6:]) == ("library", "second")
    assert button.text() == "1"
    button.click()
    person.settle()
    assert texts(person) == ["first"]
    assert not button.isVisible()
    library = person.window.library
    assert library is not None
    assert library.listings["scene"].model.unread == frozenset()


def test_text_when_another_scene_is_shown_then_stays_with_its_scene(person: AnnotatePerson) -> None:
    person.press("Ctrl+M")
    write("about the first")
    person.annotate.queue.step_scene("1")
    person.settle()
    assert panel(person).name.text() == "0002"
    assert panel(person).form.field.text() == ""
    person.annotate.queue.step_scene("-1")
    person.settle()
    assert panel(person).form.field.text() == "about the first"


def test_reply_when_another_scene_is_shown_then_is_still_a_reply_and_a_question(
    person: AnnotatePerson,
) -> None:
    by_ben(person, target=scene(person, "0001").id, text="Is this a truck?")
    person.press("Ctrl+M")
    form = panel(person).form
    form.answer(panel(person).cards[0].row)
    write("a van")
    form.is_question.setChecked(True)
    person.annotate.queue.step_scene("1")
    person.settle()
    assert not form.is_question.isChecked()
    person.annotate.queue.step_scene("-1")
    person.settle()
    form.submit()
    person.settle()
    (reply,) = (one for one in comments(person) if one.text == "a van")
    assert reply.parent
    assert reply.flag


def test_comment_when_it_is_begun_and_another_one_is_edited_then_comes_back_afterwards(
    person: AnnotatePerson,
) -> None:
    person.press("Ctrl+M")
    write("first")
    person.press("Ctrl+Return")
    person.settle()
    write("the second one")
    form = panel(person).form
    form.edit(panel(person).cards[0].row)
    assert form.field.text() == "first"
    form.begin()
    assert form.field.text() == "the second one"


def test_comment_when_it_cannot_be_stored_then_stands_in_the_field_again(person: AnnotatePerson) -> None:
    person.press("Ctrl+M")
    form = panel(person).form
    long = "x" * 10_001
    form.field.show_text(long)
    form.submit()
    form.field.show_text("next")
    person.settle()
    assert comments(person) == []
    assert form.field.text() == f"{long}\nnext"


def test_pin_of_a_video_when_its_comment_is_chosen_then_shows_the_frame(flight_person: FlightPerson) -> None:
    person = flight_person
    medium = person.annotate.stage.canvases[0].medium
    pin = CommentPin(medium=medium, x=50.0, y=40.0, frame=29)
    by_ben(person, target=scene(person, "0001").id, text="smoke", pin=pin)
    actions(person).open()
    person.settle()
    stage = person.annotate.stage
    assert list(stage.pins.at(medium, stage.canvases[0].frame)) == []
    panel(person).cards[0].buttons["pin"].click()
    person.settle()
    assert person.frame == 29
    assert [mark.is_current for mark in stage.pins.at(medium, 29)] == [True]


def test_panel_when_the_second_look_is_opened_then_shows_no_comments(person: AnnotatePerson) -> None:
    by_ben(person, target=scene(person, "0001").id, text="The key is B.")
    actions(person).open()
    person.settle()
    assert texts(person) == ["The key is B."]
    person.window.show_workspace("second_look")
    person.settle()
    assert texts(person) == []
    assert not panel(person).form.isEnabled()


def test_panel_when_the_language_changes_then_is_made_anew_and_works(person: AnnotatePerson) -> None:
    actions(person).open()
    person.window.set_language("zh")
    person.settle()
    actions(person).open()
    panel(person).form.field.show_text("ok")
    panel(person).form.submit()
    person.settle()
    assert texts(person) == ["ok"]
    assert panel(person).form.send.text() == "评论"


def test_panel_when_it_is_taken_down_while_comments_are_read_then_they_are_shown_nowhere(
    person: AnnotatePerson,
) -> None:
    made = actions(person)
    made.open()
    made._read()
    assert person.window.bridge.is_waiting((id(made), "comments"))
    made.leave()
    # The owner of the panel lives for a moment longer than the panel.
    assert not person.window.bridge.is_waiting((id(made), "comments"))
