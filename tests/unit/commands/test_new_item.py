from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.new_item import NewItem
from annotator.domain.event import CREATED, Edit
from annotator.domain.image_recipe import AIRCOP_NOISE, ImageRecipe
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import Record
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.session import Session

BOX = Box(x1=0, y1=0, x2=9, y2=9)
VIEWS = ("UAV1", "UAV2")


class Put(Command):
    """Put records into a project as they are."""

    summary = CommandSummary.of_text("Put")

    def __init__(self, *records: Record) -> None:
        self._records = records

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        for record in self._records:
            yield Edit(entity=record.table.entity, entity_id=record.id, field=CREATED, value=record)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    media = [Medium(id=f"m-{view}", name=f"{view}.jpg") for view in VIEWS]
    views = tuple(SceneView(name=view, medium=f"m-{view}") for view in VIEWS)
    scene = Scene(id="s", name="one", views=views)
    regions = [Region(id=f"r{n}", medium="m-UAV1", number=n, box=BOX) for n in (0, 3)]
    with Session.create(tmp_path / "p.vantage") as opened:
        opened.execute(Put(*media, scene, *regions)).result()
        yield opened


def _new(session: Session, **fields: object) -> Item:
    usual: dict[str, object] = {"scene": "s", "task_set": "spatialuav", "views": ("UAV1",)}
    command = NewItem(**(usual | fields))  # type: ignore[arg-type]
    session.execute(command).result()
    item = session.reader.require(Item, command.id)
    assert item.name == command.name
    return item


def test_new_item_when_slots_are_filled_then_it_is_drafted_by_hand_with_a_published_id(
    session: Session,
) -> None:
    item = _new(
        session,
        task="direction_recognition",
        slots={"region": "Region 3"},
        answer_key="3 o'clock.",
        evidence=("r3",),
    )
    assert item.question == "In which o'clock direction from the drone does Region 3 lie?"
    assert (item.name, item.state) == ("Direction_Recognition_00001", "drafted")
    assert (item.answer_format, item.answer_key) == ("clock", "3 o'clock")
    assert (item.scene, item.view, item.media) == ("s", "UAV1", ("m-UAV1",))
    assert (item.provenance.made_by, item.provenance.labels) == ("hand", ("r3",))
    session.undo().result()
    assert session.reader.get(Item, item.id) is None
    session.redo().result()
    assert session.reader.get(Item, item.id) == item


def test_new_item_when_the_task_asks_about_two_views_then_both_are_shown_in_order(session: Session) -> None:
    item = _new(session, task="a2a_shared_association", views=("UAV2", "UAV1"), answer_key="0-3")
    assert (item.view, item.media, item.answer_key) == ("", ("m-UAV2", "m-UAV1"), "0-3")


def test_new_item_when_a_template_has_a_format_of_its_own_then_it_counts(session: Session) -> None:
    item = _new(session, task="object_matching", template="region", views=VIEWS, slots={"region": "Region 0"})
    assert (item.answer_format, item.answer_key) == ("region_label", "")


def test_new_item_when_numbers_are_in_use_then_it_gets_the_next_free_one(session: Session) -> None:
    taken = [Item(id=f"i{n}", name=f"Anomaly_Detection_{n:05d}", task_set="spatialuav") for n in range(1, 38)]
    session.execute(Put(*taken)).result()
    assert _new(session, task="anomaly_detection").name == "Anomaly_Detection_00038"
    assert _new(session, task="anomaly_detection").name == "Anomaly_Detection_00039"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"task": "direction_recognition"}, "lacks the value of 'region'"),
        ({"task": "direction_recognition", "slots": {"region": "Region 7"}}, "has no Region 7"),
        ({"task": "direction_recognition", "slots": {"region": "the car"}}, "has no the car"),
        ({"task": "anomaly_detection", "answer_key": "somewhere"}, "answer cannot be read"),
        ({"task": "anomaly_detection", "views": ("UAV3",)}, "shows 1 different views"),
        ({"task": "anomaly_detection", "views": ()}, "shows 1 different views"),
        ({"task": "a2a_shared_association", "views": ("UAV1", "UAV1")}, "shows 2 different views"),
        ({"task": "a2a_collaboration_recognition"}, "shows 2 different views"),
        ({"task": "anomaly_detection", "template": "other"}, "has no template other"),
        ({"task": "anomaly_detection", "scene": "x"}, "There is no scene x"),
        ({"task": "flying"}, "has no task 'flying'"),
    ],
)
def test_new_item_when_something_is_missing_then_it_says_what_and_adds_nothing(
    session: Session, fields: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        _new(session, **fields)
    assert list(session.reader.records(Item)) == []


COLLABORATION = {"task": "a2a_collaboration_recognition", "views": VIEWS}


@pytest.fixture
def elsewhere(session: Session) -> tuple[str, ...]:
    media = [Medium(id=f"far{n}", name=f"far{n}.jpg", media_type="image") for n in range(3)]
    recipe = ImageRecipe(steps=AIRCOP_NOISE)
    noisy = Medium(id="noisy", name="UAV2-noise.png", derived_from="m-UAV2", recipe=recipe)
    session.execute(Put(*media, noisy, Medium(id="video", name="video.mp4", media_type="video"))).result()
    return tuple(medium.id for medium in media)


def test_new_item_when_candidates_are_picked_then_the_right_one_has_its_letter_and_undo_takes_it_back(
    session: Session, elsewhere: tuple[str, ...]
) -> None:
    items = [_new(session, **COLLABORATION, distractors=elsewhere) for _ in range(24)]
    for item in items:
        index = "ABCD".index(item.answer_key)
        assert item.media[0] == "m-UAV1"
        assert item.media[1 + index] == "m-UAV2"
        assert set(item.media[1:]) == {"m-UAV2", *elsewhere}
        assert [option.text for option in item.options][index] == "UAV2.jpg"
        assert item.view == "UAV1"
    assert items[0].name == "A2A_Collaboration_Recognition_00001"
    assert {item.answer_key for item in items} == set("ABCD")
    session.undo().result()
    assert len(list(session.reader.records(Item))) == 23


@pytest.mark.parametrize(
    ("distractors", "message"),
    [
        ((), "needs 3 different images"),
        (("far0", "far1"), "needs 3 different images"),
        (("far0", "far1", "far1"), "needs 3 different images"),
        (("far0", "far1", "m-UAV1"), r"UAV1\.jpg shows the scene itself"),
        (("far0", "far1", "noisy"), r"UAV2-noise\.png shows the scene itself"),
        (("far0", "far1", "video"), r"video\.mp4 is not an image"),
    ],
)
def test_new_item_when_candidates_do_not_fit_then_says_why(
    session: Session, elsewhere: tuple[str, ...], distractors: tuple[str, ...], message: str
) -> None:
    assert elsewhere
    with pytest.raises(UserError, match=message):
        _new(session, **COLLABORATION, distractors=distractors)
