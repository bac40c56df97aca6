"""Nothing on the screen tells the key, the author or other answers before a person has answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QWidget

from annotator.commands.assignments import AssignRecords
from annotator.commands.comments import WriteComment
from annotator.commands.item_edits import SetQuestion
from annotator.commands.responses import AddResponses, GivenAnswer
from annotator.domain.actor import Actor
from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item, Provenance
from annotator.domain.link import Link
from annotator.session import Session
from tests.gui.second_look.conftest import make_records, refined
from tests.gui.second_look.second_look_person import SecondLookPerson
from tests.windows import AddRecords, make_flag, option
from widgets.refine.item_view import read_item_view
from widgets.second_look.blind_view import HIDDEN_FIELDS, blind_item

CANARY = "canary"
"""Part of every text that must not be seen."""
SHOWN_FIELDS = {
    "id",
    "name",
    "task_set",
    "task",
    "question",
    "options",
    "answer_format",
    "scene",
    "view",
    "media",
}
"""Fields of an item that the question consists of."""
ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.StatusTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project in which all that must not be seen has the canary in its text."""
    item = refined(
        1,
        answer_format="free_text",
        options=(),
        answer_key="canarykey",
        issue_classes=("direction",),
        provenance=Provenance(made_by="rule", maker="canarymaker", locator="canarylocator"),
        original=msgspec.Raw(b'{"answer":"canaryoriginal"}'),
        extras={"explanation": "canaryextras"},
        question="canarydraft",
    )
    lettered = refined(2)
    records = make_records(tmp_path / "pilot.media", [item, lettered])
    records += [
        EventLabel(id="e1", scene="s1", view="UAV1", medium="m0", quality=4, other_degradation="canarylabel"),
        Link(id="l1", scene="s1", regions=("r01", "r12")),
        make_flag("item", item.id, "consensus_against_key", message="canaryflag"),
    ]
    path = tmp_path / "pilot.vantage"
    author, other = Actor(id="a" * 32, name="Canary Author"), Actor(id="b" * 32, name="Canary Person")
    with Session.create(path, title="pilot", actor=author) as session:
        session.execute(AddRecords(records=records)).result()
        session.execute(SetQuestion(item=item.id, text="What does the car do?")).result()
        given = GivenAnswer(item=item.id, person=other.id, answer="canaryresponse", reason="canaryreason")
        session.execute(AddResponses(answers=(given,), people=(other,))).result()
        session.execute(WriteComment(entity="item", target=item.id, text="canarycomment")).result()
    return path


def texts(widget: QWidget) -> Iterator[str]:
    """Yield every text of a widget that a person or a screen reader can get at."""
    for name in (
        "text",
        "toPlainText",
        "title",
        "placeholderText",
        "windowTitle",
        "toolTip",
        "statusTip",
        "whatsThis",
        "accessibleName",
        "accessibleDescription",
        "currentText",
    ):
        call = getattr(widget, name, None)
        value = call() if callable(call) else None
        if isinstance(value, str):
            yield value
    if isinstance(widget, QAbstractItemView):
        model = widget.model()
        for row in range(model.rowCount()):
            for column in range(model.columnCount()):
                yield from (str(model.index(row, column).data(role) or "") for role in ROLES)


def canaries(person: SecondLookPerson) -> set[str]:
    """Return what can be seen of what must not be seen: visible, or in a hidden part of the second look."""
    second_look = person.second_look
    found: list[str] = [person.window.windowTitle()]
    for widget in person.window.findChildren(QWidget):
        if widget.isVisible() or second_look.isAncestorOf(widget):
            found += texts(widget)
    for action in person.window.findChildren(QAction):
        found += (action.text(), action.toolTip(), action.statusTip())
    return {text for text in found if CANARY in text.lower()}


def test_window_when_an_item_is_answered_then_shows_neither_key_nor_author_nor_other_answers(
    person: SecondLookPerson,
) -> None:
    assert person.shown.item.question == "What does the car do?"
    assert canaries(person) == set()
    for _ in range(4):
        person.press("F6")
        assert canaries(person) == set()
    person.form.take_keyboard()
    person.write("It turns left")
    assert canaries(person) == set()
    person.press("Ctrl+Return")
    assert person.shown.phase == "key_shown"
    assert canaries(person) == {"canarykey"}
    person.press("K")
    assert person.shown.item.name == "item_00002"
    assert canaries(person) == set()


def test_stage_when_an_item_is_answered_then_has_no_categories_links_labels_or_flags(
    person: SecondLookPerson,
) -> None:
    shown = person.second_look.stage.shown
    assert shown is not None
    assert (shown.marks.links, shown.labels, shown.flags, shown.trajectories) == ((), (), (), ())
    person.press("PgDown")
    shown = person.second_look.stage.shown
    assert shown is not None
    # The regions are a part of the question of this item, and neutral.
    assert {region.category for region in shown.marks.regions} == {""}
    assert shown.marks.links == ()


def test_item_when_a_field_is_added_then_it_is_known_whether_it_tells_the_key(
    person: SecondLookPerson,
) -> None:
    """A new field of items has to be hidden, or named here as a part of the question."""
    assert set(Item.__struct_fields__) == SHOWN_FIELDS | set(HIDDEN_FIELDS)
    stored = next(one for one in person.session.reader.records(Item) if one.name == "item_00001")
    view = read_item_view(person.session.reader, item_id=stored.id, roots=person.session.roots)
    assert view is not None
    assert CANARY not in str(blind_item(view))


def test_library_when_it_is_opened_from_the_second_look_then_the_item_is_not_selected(
    person: SecondLookPerson,
) -> None:
    person.press("PgDown")
    assert person.shown.item.name == "item_00002"
    library = person.window.library
    assert library is not None
    before = library.listings["item"].table.current_position()
    person.press("Ctrl+1")
    assert library.listings["item"].table.current_position() == before
    person.press("Ctrl+7")
    assert person.shown.item.name == "item_00002"
    assert canaries(person) == set()


def test_comments_when_their_panel_is_open_then_those_on_the_item_are_not_shown(
    person: SecondLookPerson,
) -> None:
    person.press("Ctrl+1")
    person.window.registry.run("record.comment")
    person.settle()
    person.press("Ctrl+7")
    assert person.shown.item.name == "item_00001"
    assert canaries(person) == set()


def test_actions_when_an_item_is_answered_then_those_that_show_its_key_cannot_run(
    person: SecondLookPerson,
) -> None:
    revealing = (
        "item.reject",
        "record.comment",
        "refine.accept",
        "refine.draft",
        "go.inspect",
        "stage.link_table",
    )
    assert [name for name in revealing if person.window.registry.can_run(name)] == []


def test_candidates_when_they_are_images_then_no_name_of_a_view_or_file_tells_the_right_one(
    person: SecondLookPerson,
) -> None:
    """The right candidate is a view of the scene, so that the name of the view would be the answer."""
    item = refined(
        3,
        task_set="spatialuav",
        task="a2a_collaboration_recognition",
        media=("m0", "m1"),
        options=(option("A", "canaryfile.png"),),
        answer_key="A",
    )
    me = person.session.actor
    person.session.use_actor(Actor(id="a" * 32, name="Canary Author"))
    person.session.execute(AddRecords(records=[item])).result()
    person.session.use_actor(me)
    person.settle()
    pairs = ((item.id, me.id),)
    person.session.execute(AssignRecords(entity="item", role="validate", pairs=pairs)).result()
    person.press("Ctrl+3")
    person.press("Ctrl+7")
    assert person.shown.item.name == "item_00003"
    assert [one.text for one in person.shown.item.options] == ["Candidate A"]
    canvases = person.second_look.stage.canvases
    assert [canvas.shown.view for canvas in canvases] == ["Query", "Candidate A"]
    assert [canvas.shown.medium.name for canvas in canvases] == ["Query", "Candidate A"]
    assert all(canvas.showing is not None for canvas in canvases)
    assert canaries(person) == set()
    assert not any(
        "UAV2" in text for widget in person.second_look.findChildren(QWidget) for text in texts(widget)
    )
