from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from annotator.domain.contradictions import find_contradictions
from annotator.domain.event_label import EventLabel
from annotator.domain.item import Item, Option, Provenance
from annotator.domain.medium import Medium
from annotator.domain.record import FieldCorrection, Record, new_id
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.e2e.conftest import Open, Person
from tests.item_fields import SetItemField
from tests.windows import make_flag, make_item, make_project
from widgets.settings import Settings

CODE = re.compile(r"\b[a-z]+_[a-z_]+\b|[{}\[\]]|\b[0-9a-f]{32}\b|\baircop\b")


def contradictory() -> list[Record]:
    """Return a scene whose label contradicts itself in every way, with its flags and an item of it."""
    medium = Medium(id=new_id(), name="0001-UAV1.png", path="0001-UAV1.png")
    views = (SceneView(name="UAV1", medium=medium.id),)
    scene = Scene(
        id=new_id(), name="0001", views=views, metadata={"wind_speed": 4.5, "sun": {"height_deg": 30}}
    )
    label = EventLabel(
        id=new_id(),
        scene=scene.id,
        view="UAV1",
        medium=medium.id,
        quality=5,
        usable=False,
        degradations=("out_of_fov", "occlusion", "shadow", "small_target", "others"),
        when=False,
        who=("UAV9",),
        why=("out_of_fov",),
        corrections=(FieldCorrection(field="other_degradation", original=None, value="fog", reason="text"),),
    )
    flags = [
        make_flag("event_label", label.id, found.kind, message=found.message, field=found.field)
        for found in find_contradictions(label, views=("UAV1",))
    ]
    item = make_item(
        1,
        name="counting 1",
        scene=scene.id,
        media=(medium.id,),
        provenance=Provenance(made_by="rule", maker="object_counting@2"),
    )
    raised = [
        make_flag("item", item.id, "duplicate_options", message="Duplicate options: 4.", raised_by=by)
        for by in ("blind", "consensus")
    ]
    return [medium, scene, label, *flags, item, *raised]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = make_project(tmp_path / "codes.vantage", contradictory())
    with Session.open(path) as session:
        item = next(session.reader.records(Item))
        options = (Option(letter="A", text="3"), Option(letter="B", text="7"))
        for field, value in (("options", options), ("answer_key", "A"), ("answer_format", "single_number")):
            session.execute(SetItemField(item=item.id, field=field, value=value)).result()
    return path


def texts(root: QWidget) -> list[str]:
    """Return the texts that are on the screen."""
    parts = [part for part in root.findChildren(QLabel) if part.isVisible()]
    buttons = [part for part in root.findChildren(QAbstractButton) if part.isVisible()]
    return [part.text() for part in (*parts, *buttons)]


def inspected(person: Person) -> list[str]:
    """Return the texts of the inspector's tabs for every record of every list."""
    found = []
    for key in ("Alt+I", "Alt+S", "Alt+M"):
        person.press(key)
        person.settle()
        for index in range(person.library.listing().model.rowCount()):
            person.library.listing().table.choose_row(index)
            person.settle()
            for tab in range(len(person.library.inspector.tabs)):
                person.library.inspector.choose_tab(tab)
                person.settle()
                found += texts(person.library.inspector)
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_inspector_when_every_tab_of_every_record_is_shown_then_no_code_is_on_the_screen(
    project: Path, open_window: Open, settings: Settings, language: str
) -> None:
    settings.keep("language", language)
    person = open_window(project)
    found = inspected(person)
    assert len(found) > 40
    assert [text for text in found if CODE.search(text)] == []


def test_flags_when_a_card_stands_for_several_then_cards_and_tab_add_up_to_the_same_number(
    tmp_path: Path, open_window: Open
) -> None:
    medium = Medium(id=new_id(), name="0001-UAV1.png")
    scene = Scene(id=new_id(), name="0001", views=(SceneView(name="UAV1", medium=medium.id),))
    items = [make_item(n, scene=scene.id) for n in range(3)]
    flags = [make_flag("item", item.id, "duplicate_options") for item in items]
    other = make_flag("item", items[0].id, "missing_media")
    own = make_flag("scene", scene.id, "incomplete_scene")
    records = [medium, scene, *items, *flags, other, own]
    person = open_window(make_project(tmp_path / "cards.vantage", records))
    person.press("Alt+S")
    person.settle()
    inspector = person.library.inspector
    person.qtbot.waitUntil(lambda: inspector.detail is not None and inspector.detail.entity == "scene")
    inspector.choose_tab(1)
    person.settle()
    # Apart from those of its items: a case of Review is about those of the scene alone.
    assert inspector.tabs[1].text() == "Flags 1 + 4"
    assert "1 of this record, 4 of its media, labels, links and items" in inspector.tabs[1].toolTip()
    cards = {card.flag.kind: card for card in inspector.flags.cards}
    assert sum(len(card.ids) for card in cards.values()) == 5
    assert "3 flags" in texts(cards["duplicate_options"])
    assert "1 flag" not in texts(cards["missing_media"])
