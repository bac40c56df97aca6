"""Variants of items: what they ask, how they are linked, and that none is made twice."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from annotator.commands.item_edits import SetAnswerKey, SetQuestion
from annotator.commands.item_repairs import repair_of
from annotator.commands.item_states import ChangeState
from annotator.commands.variants import MakeVariants, UpdateVariant, VariantReport
from annotator.domain.item import Item, ItemState, Option, VariantKind
from annotator.domain.item_variants import without_answer_form
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.draft.variants.variant_rule import VariantSettings
from annotator.errors import UserError
from annotator.quality.live_checks import run_live_checks
from annotator.quality.run import run_checks
from annotator.session import Session
from tests.unit.store.making import (
    ANNA,
    changed,
    created,
    problems,
    twin_projects,
    visible_state,
    write,
)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    with Session.create(folder / "p.vantage", actor=ANNA) as session:
        yield session


def a_medium(name: str, *, size: tuple[int, int] = (1920, 1080), **fields: object) -> Medium:
    sound = {"id": new_id(), "name": name, "path": name, "width_px": size[0], "height_px": size[1]}
    return Medium(**(sound | fields))


def an_item(name: str, *, task: str, answer_format: str, key: str, **fields: object) -> Item:
    sound = {
        "id": new_id(),
        "name": name,
        "task_set": "spatialuav",
        "task": task,
        "question": "Where does it lie? Answer formatted exactly like `2 o'clock`.",
        "answer_format": answer_format,
        "answer_key": key,
    }
    return Item(**(sound | fields))


def clocks(count: int) -> list[Item]:
    return [
        an_item(
            f"Direction_Recognition_{n:05}",
            task="direction_recognition",
            answer_format="clock",
            key=f"{n % 12 + 1} o'clock",
        )
        for n in range(count)
    ]


def add(session: Session, *records: Item | Medium | Region | Scene) -> None:
    write(session, *(created(type(record).table.entity, record) for record in records))


def make(session: Session, *items: Item, kind: VariantKind = "choice", **settings: object) -> VariantReport:
    command = MakeVariants(
        items=tuple(item.id for item in items),
        settings=VariantSettings(kind=kind, **settings),
        roots=session.roots,
    )
    session.execute(command).result()
    return command.report


def variants(session: Session) -> list[Item]:
    return [item for item in session.reader.records(Item) if item.variant is not None]


def right_text(item: Item) -> str:
    return next(option.text for option in item.options if option.letter == item.answer_key)


def test_choices_when_made_then_are_drafts_linked_to_their_sources_in_one_step(session: Session) -> None:
    items = clocks(8)
    add(session, *items)
    before = visible_state(session.path)
    report = make(session, *items)
    assert (len(report.made), report.known, report.short) == (8, 0, 0)
    for source, variant in zip(items, variants(session), strict=True):
        assert variant.variant is not None
        assert (variant.variant.kind, variant.variant.source) == ("choice", source.id)
        assert variant.name == f"{source.name}-choice"
        assert (variant.state, variant.answer_format, variant.question) == (
            "drafted",
            "option_letter",
            "Where does it lie?",
        )
        assert "".join(option.letter for option in variant.options) == "ABCD"
        assert right_text(variant) == source.answer_key
    assert not problems(session.path)
    session.undo().result()
    assert visible_state(session.path) == before


def test_choices_when_made_again_then_nothing_changes(session: Session) -> None:
    items = clocks(4)
    add(session, *items)
    make(session, *items)
    before = visible_state(session.path)
    report = make(session, *items, *variants(session), seed=5)
    assert (report.changes, report.known) == (0, 4)
    assert report.skipped == {"the item is a variant itself": 4}
    assert visible_state(session.path) == before


def test_choices_when_their_items_are_of_one_scene_then_each_letter_comes_equally_often(
    session: Session,
) -> None:
    items = [msgspec.structs.replace(item, scene="f" * 32) for item in clocks(8)]
    add(session, *items)
    make(session, *items)
    assert Counter(item.answer_key for item in variants(session)) == dict.fromkeys("ABCD", 2)


def test_choices_when_an_earlier_version_drew_them_then_are_drawn_again_with_other_letters(
    session: Session,
) -> None:
    items = clocks(24)
    add(session, *items)
    make(session, *items)
    for item in variants(session):
        older = msgspec.structs.replace(item.provenance, is_keyed=False)
        write(session, *changed("item", item.id, provenance=older, answer_key="A"))
    report = make(session, *items)
    assert len(report.updated) == 24
    assert all(item.provenance.is_keyed for item in variants(session))
    assert len({item.answer_key for item in variants(session)}) == 4
    assert [right_text(item) for item in variants(session)] == [item.answer_key for item in items]
    assert make(session, *items).known == 24


def test_choices_when_made_in_a_copy_then_are_the_same_and_another_seed_or_project_differs(
    session: Session, folder: Path
) -> None:
    def shown(other: Session) -> list[tuple[str, tuple[Option, ...], str]]:
        return [(item.name, item.options, item.answer_key) for item in variants(other)]

    add(session, *clocks(12))
    make(session, *session.reader.records(Item))
    texts = []
    one, two = twin_projects(folder)
    again = shutil.copy(one, folder / "again.vantage")
    for path, seed, items in ((one, 0, clocks(12)), (again, 0, clocks(12)[::-1]), (two, 7, clocks(12))):
        with Session.open(Path(path), actor=ANNA) as other:
            add(other, *items)
            make(other, *other.reader.records(Item), seed=seed)
            texts.append(sorted(shown(other)))
    assert texts[0] == texts[1]
    assert texts[2] != texts[0]
    assert sorted(shown(session)) != texts[0]


def test_letters_when_variants_are_made_one_at_a_time_then_differ(session: Session) -> None:
    items = clocks(24)
    add(session, *items)
    for item in items:
        make(session, item)
    assert len({item.answer_key for item in variants(session)}) == 4


def test_items_when_no_choice_is_possible_then_are_counted_by_reason(session: Session) -> None:
    items = [
        an_item("a", task="motion_understanding", answer_format="free_text", key="The drone rises."),
        an_item("b", task="camera_transformation", answer_format="angle", key="to the left"),
        an_item("c", task="direction_recognition", answer_format="clock", key="3 o'clock", state="rejected"),
        an_item("d", task="collaboration_recognition", answer_format="option_letter", key="A"),
        an_item("e", task="x", answer_format="trajectory", key="flight 1"),
    ]
    add(session, *items)
    report = make(session, *items)
    assert not report.changes
    assert sorted(report.skipped) == [
        "the answer is free text, and no changed form of it is certainly wrong",
        "the answer key is missing or not valid",
        "the answer key is no text, but a record",
        "the item is a multiple-choice question already",
        "the item is rejected",
    ]


def test_options_when_their_number_is_not_possible_then_nothing_is_made(session: Session) -> None:
    add(session, *clocks(1))
    with pytest.raises(UserError, match="cannot have 1 options"):
        make(session, *session.reader.records(Item), options=1)
    assert not variants(session)


def test_regions_when_few_are_marked_then_options_are_those_and_fewer(session: Session) -> None:
    medium = a_medium("one.jpg")
    marked = [
        Region(id=new_id(), medium=medium.id, number=number, box=Box(x1=0, y1=0, x2=9, y2=9))
        for number in (1, 2, 7)
    ]
    item = an_item(
        "Distance_Comparison_00001",
        task="distance_comparison",
        answer_format="region_label",
        key="Region 2",
        media=(medium.id,),
    )
    add(session, medium, *marked, item)
    report = make(session, item)
    assert report.short == 1
    (variant,) = variants(session)
    assert {option.text for option in variant.options} == {"Region 1", "Region 2", "Region 7"}


def test_variant_when_its_source_changes_then_is_flagged_and_made_again_on_the_same_letter(
    session: Session,
) -> None:
    (item,) = clocks(1)
    add(session, item)
    make(session, item)
    (before,) = variants(session)
    assert not [one for one in run_checks(session.reader) if one.check == "stale_variant"]
    session.execute(SetAnswerKey(item=item.id, text="7 o'clock")).result()
    (finding,) = [one for one in run_checks(session.reader) if one.check == "stale_variant"]
    assert (finding.target, finding.severity) == (before.id, "error")
    assert finding.message == f"The source item {item.name} has changed since the variant was made."
    (live,) = [
        one for one in run_live_checks(session.reader, before).findings if one.check == "stale_variant"
    ]
    repair = repair_of(live, before)
    assert repair == UpdateVariant(item=before.id)
    session.execute(repair).result()
    (after,) = variants(session)
    assert right_text(after) == "7 o'clock"
    assert (after.answer_key, after.name, after.state) == (before.answer_key, before.name, "in_refinement")
    assert not [one for one in run_checks(session.reader) if one.check == "stale_variant"]
    session.undo().result()
    assert variants(session) == [before]


def test_variants_when_their_source_changes_then_the_command_makes_only_them_again(session: Session) -> None:
    items = clocks(3)
    add(session, *items)
    make(session, *items)
    session.execute(SetAnswerKey(item=items[1].id, text="12 o'clock")).result()
    report = make(session, *items)
    assert ([source.id for source, _ in report.updated], report.known) == ([items[1].id], 2)
    assert right_text(variants(session)[1]) == "12 o'clock"


def test_variant_when_made_again_with_another_seed_then_names_the_seed_of_its_options(
    session: Session,
) -> None:
    (item,) = clocks(1)
    add(session, item)
    make(session, item, seed=1)
    session.execute(SetAnswerKey(item=item.id, text="7 o'clock")).result()
    make(session, item, seed=2)
    (again,) = variants(session)
    assert again.provenance.seed == 2
    # Whoever repairs it draws with that seed.
    session.execute(SetAnswerKey(item=item.id, text="8 o'clock")).result()
    session.execute(UpdateVariant(item=again.id)).result()
    (repaired,) = variants(session)
    assert repaired.provenance == again.provenance


def twice(session: Session, *, states: tuple[ItemState, ItemState]) -> tuple[Item, Item, Item]:
    """Return an item with two variants of one kind, as after a merge: the item, the older and the younger."""
    (item,) = clocks(1)
    add(session, item)
    make(session, item)
    (older,) = variants(session)
    younger = msgspec.structs.replace(older, id=new_id(), name=f"{older.name}-2", state=states[1])
    older = msgspec.structs.replace(older, state=states[0])
    write(session, *changed("item", older.id, state=states[0]))
    add(session, younger)
    return item, older, younger


@pytest.mark.parametrize(
    ("states", "rejected", "skipped"),
    [
        (("drafted", "drafted"), "younger", 0),
        (("drafted", "in_refinement"), "older", 0),
        (("in_refinement", "filtered"), "younger", 0),
        (("refined", "refined"), "", 1),
        (("rejected", "drafted"), "older", 0),
    ],
)
def test_variants_when_a_merge_left_two_then_one_that_nobody_worked_on_is_rejected_in_one_step(
    session: Session, states: tuple[ItemState, ItemState], rejected: str, skipped: int
) -> None:
    item, older, younger = twice(session, states=states)
    before = variants(session)
    report = make(session, item)
    after = {each.id: each.state for each in variants(session)}
    names = {"older": older, "younger": younger}
    assert [name for name, each in names.items() if after[each.id] == "rejected"] == [
        name for name in names if name == rejected
    ]
    assert report.skipped.total() == skipped
    assert make(session, item).changes == 0
    if report.changes:
        session.undo().result()
        assert variants(session) == before


def test_variant_when_its_source_is_rejected_then_is_flagged_without_a_repair(session: Session) -> None:
    (item,) = clocks(1)
    add(session, item)
    make(session, item)
    session.execute(ChangeState(items=(item.id,), state="rejected", reason="Blurred.")).result()
    (finding,) = [one for one in run_checks(session.reader) if one.check == "stale_variant"]
    assert finding.message == f"The source item {item.name} was rejected."
    (variant,) = variants(session)
    assert repair_of(finding, variant) is None
    with pytest.raises(UserError, match="has no source any more"):
        session.execute(UpdateVariant(item=variant.id)).result()


def test_variants_when_compared_with_their_sources_then_are_no_near_duplicates(session: Session) -> None:
    medium = a_medium("one.jpg")
    question = "In which direction from the drone does the red car beside the fountain lie?"
    one, two = (
        an_item(
            f"Direction_Recognition_0000{n}",
            task="direction_recognition",
            answer_format="clock",
            key="2 o'clock",
            question=question,
            media=(medium.id,),
        )
        for n in (1, 2)
    )
    add(session, medium, one)
    make(session, one)
    assert not [found for found in run_checks(session.reader) if found.check == "near_duplicate"]
    (variant,) = variants(session)
    assert not run_live_checks(session.reader, variant).duplicates
    # Another item of the same words is one all the same.
    add(session, two)
    found = [each.target for each in run_checks(session.reader) if each.check == "near_duplicate"]
    assert {one.id, two.id} <= set(found)


QUESTIONS = {
    "Which regions contain a parking lot? Answer formatted exactly like `Region 1, 2`.": (
        "Which regions contain a parking lot?"
    ),
    "Where is it?\nReply with one hour, formatted exactly like: 2 o'clock\nand nothing else.": "Where is it?",
    "Which one? Your answer must be in the form `Region 3`. Do not explain.": "Which one?",
    "Where is the car? Give its box.": "Where is the car? Give its box.",
    "Which answer is right?": "Which answer is right?",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_question_when_it_prescribes_the_form_of_answers_then_loses_that(question: str) -> None:
    assert without_answer_form(question) == QUESTIONS[question]


def a_pair(session: Session) -> tuple[Medium, Medium, Item]:
    small = a_medium("street_1280x720.jpg", size=(1280, 720), dataset="small")
    large = a_medium("street.JPG", size=(3840, 2160), dataset="full")
    region = Region(
        id=new_id(),
        medium=small.id,
        number=3,
        box=Box(x1=10, y1=20, x2=30, y2=40),
        polygon=((10.0, 20.0), (30.0, 20.0), (30.0, 40.0)),
    )
    item = an_item(
        "A2A_Object_Matching_00001",
        task="object_matching",
        answer_format="bbox",
        key="[100, 50, 200, 150]",
        question="Where is the object of the box [10, 20, 30, 40]?",
        media=(small.id,),
    )
    add(session, small, large, region, item)
    return small, large, item


def test_resolution_when_a_larger_image_is_known_then_coordinates_and_regions_are_enlarged(
    session: Session,
) -> None:
    _, large, item = a_pair(session)
    before = visible_state(session.path)
    make(session, item, kind="resolution")
    (variant,) = variants(session)
    assert variant.media == (large.id,)
    assert variant.question == "Where is the object of the box [30, 60, 90, 120]?"
    assert variant.answer_key == "[300, 150, 600, 450]"
    assert variant.name == "A2A_Object_Matching_00001-highres"
    (region,) = session.reader.find(Region, medium=large.id)
    assert (region.number, region.box) == (3, Box(x1=30, y1=60, x2=90, y2=120))
    assert region.polygon == ((30.0, 60.0), (90.0, 60.0), (90.0, 120.0))
    assert not problems(session.path)
    session.undo().result()
    assert visible_state(session.path) == before


def test_resolution_when_no_larger_image_fits_then_says_why(session: Session) -> None:
    small, large, item = a_pair(session)
    add(
        session,
        a_medium("other_small.jpg", size=(100, 100)),
        a_medium("other.jpg", size=(400, 300)),
        *(found := [an_item("b", task="x", answer_format="clock", key="2 o'clock", media=(new_id(),))]),
    )
    other = next(session.reader.find(Medium, name="other_small.jpg"))
    distorted = an_item("c", task="x", answer_format="clock", key="2 o'clock", media=(other.id,))
    pair = an_item(
        "d",
        task="x",
        answer_format="bbox",
        key="[1, 2, 3, 4]",
        question="The box [1, 2, 3, 4] of image 1?",
        media=(small.id, other.id),
    )
    numbered = Region(id=new_id(), medium=large.id, number=9, box=Box(x1=0, y1=0, x2=9, y2=9))
    add(session, distorted, pair, numbered)
    report = make(session, item, *found, distorted, pair, kind="resolution")
    assert dict(report.skipped) == {
        "the larger image has regions with other numbers": 1,
        "an image is missing in the project": 1,
        "no larger image is known": 1,
        "the question gives a box, and its images are enlarged by different factors": 1,
    }


def test_resolution_when_the_original_lies_in_a_folder_then_it_becomes_a_medium(session: Session) -> None:
    folder = session.roots.own / "originals"
    folder.mkdir(parents=True)
    Image.new("RGB", (400, 200), "green").save(folder / "field.png")
    small = a_medium("field_small.jpg", size=(100, 50), licence="CC0-1.0")
    items = [
        an_item(
            f"Direction_Recognition_0000{n}",
            task="x",
            answer_format="clock",
            key="2 o'clock",
            media=(small.id,),
        )
        for n in (1, 2)
    ]
    add(session, small, *items)
    assert make(session, *items, kind="resolution").skipped == {"no larger image is known": 2}
    make(session, *items, kind="resolution", originals="originals")
    large = next(session.reader.find(Medium, path="originals/field.png"))
    assert (large.width_px, large.height_px, large.licence) == (400, 200, "CC0-1.0")
    assert large.sha256
    assert [item.media for item in variants(session)] == [(large.id,)] * 2
    assert len(list(session.reader.records(Medium))) == 2


def photograph(path: Path, *, seed: int, size: tuple[int, int]) -> None:
    """Write a picture of coarse random blocks, the same ones at each size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks = np.random.default_rng(seed).integers(0, 256, (9, 16, 3), dtype=np.uint8)
    Image.fromarray(blocks).resize(size, Image.Resampling.NEAREST).save(path)


def test_resolution_when_images_have_one_name_then_only_the_one_that_shows_the_same_is_used(
    session: Session,
) -> None:
    sizes = {"small": (160, 90), "same": (320, 180), "other": (640, 360)}
    media = {
        name: a_medium("0001.png", size=size, dataset=name, path=f"{name}/0001.png")
        for name, size in sizes.items()
    }
    for name, medium in media.items():
        photograph(session.roots.own / medium.path, seed=int(name == "other"), size=sizes[name])
    item = an_item("a", task="x", answer_format="clock", key="2 o'clock", media=(media["small"].id,))
    add(session, *media.values(), item)
    make(session, item, kind="resolution")
    assert [variant.media for variant in variants(session)] == [(media["same"].id,)]


def test_resolution_when_files_of_one_name_are_missing_then_are_not_taken_for_the_same(
    session: Session,
) -> None:
    small, large = (a_medium("0001.png", size=(n, n), dataset=str(n)) for n in (100, 400))
    item = an_item("a", task="x", answer_format="clock", key="2 o'clock", media=(small.id,))
    add(session, small, large, item)
    assert make(session, item, kind="resolution").skipped == {"no larger image is known": 1}


def maps(*, colours: bool = True) -> tuple[Scene, dict[str, Medium], list[Region]]:
    media = {
        kind: a_medium(f"flat-{kind}.png", size=(500, 400), media_type="map")
        for kind in ("realistic", "semantic")
    }
    views = tuple(SceneView(name=kind, medium=medium.id) for kind, medium in media.items())
    facts = {"colours": {"bed": "ff0000", "floor": "eeeeee"}} if colours else {}
    scene = Scene(id=new_id(), name="flat", views=views, metadata=facts)
    bed = Region(
        id=new_id(),
        medium=media["realistic"].id,
        number=1,
        box=Box(x1=50, y1=50, x2=200, y2=200),
        category="bed",
    )
    return scene, media, [bed]


def a_map_item(name: str, *, scene: Scene, medium: Medium, view: str, question: str) -> Item:
    texts = ("bed", "sofa", "sink", "chair")
    return an_item(
        name,
        task="object_recognition",
        answer_format="option_letter",
        key="A",
        task_set="topviewrs",
        question=question,
        options=tuple(Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=True)),
        scene=scene.id,
        view=view,
        media=(medium.id,),
    )


def test_maps_when_one_half_is_missing_then_is_made_with_the_colours(session: Session) -> None:
    scene, media, marked = maps()
    item = a_map_item(
        "realistic_12", scene=scene, medium=media["realistic"], view="realistic", question="What is there?"
    )
    add(session, *media.values(), scene, *marked, item)
    make(session, item, kind="map")
    (variant,) = variants(session)
    assert (variant.name, variant.view, variant.media) == ("semantic_12", "semantic", (media["semantic"].id,))
    assert variant.question.startswith("What is there? Colours: bed #ff0000, chair #")
    # An option without a colour would be known not to be on the map.
    assert all(f"{option.text} #" in variant.question for option in variant.options)
    assert right_text(variant) == "bed"


def test_maps_when_the_semantic_half_is_the_source_then_the_colours_are_left_out(session: Session) -> None:
    scene, media, marked = maps()
    question = "What is there? Colours: bed #ff0000, floor #eeeeee."
    item = a_map_item("s", scene=scene, medium=media["semantic"], view="semantic", question=question)
    add(session, *media.values(), scene, *marked, item)
    make(session, item, kind="map")
    (variant,) = variants(session)
    assert (variant.view, variant.question, variant.name) == ("realistic", "What is there?", "s-map")


def test_maps_when_both_halves_exist_then_are_linked_once(session: Session) -> None:
    scene, media, marked = maps()
    question = "What is there?"
    one = a_map_item("r", scene=scene, medium=media["realistic"], view="realistic", question=question)
    legend = f"{question} Colours: bed #ff0000."
    two = a_map_item("a", scene=scene, medium=media["semantic"], view="semantic", question=legend)
    add(session, *media.values(), scene, *marked, one, two)
    report = make(session, one, two, kind="map")
    assert [(source.id, variant.id) for source, variant in report.linked] == [(one.id, two.id)]
    (linked,) = variants(session)
    assert linked.variant is not None
    assert (linked.id, linked.variant.source, linked.variant.kind) == (two.id, one.id, "map")
    assert len(list(session.reader.records(Item))) == 2
    assert make(session, one, two, kind="map").changes == 0


def test_maps_when_there_is_no_other_map_then_says_why(session: Session) -> None:
    scene, media, marked = maps()
    alone = Scene(id=new_id(), name="alone", views=scene.views[:1])
    item = a_map_item(
        "r", scene=alone, medium=media["realistic"], view="realistic", question="What is there?"
    )
    add(session, *media.values(), alone, *marked, item, *(other := clocks(1)))
    report = make(session, item, *other, kind="map")
    assert dict(report.skipped) == {
        "the scene has no map of the other kind of the same size": 1,
        "the item does not show one realistic or semantic map of a scene": 1,
    }


def test_question_of_the_source_when_edited_then_the_variant_follows_it(session: Session) -> None:
    (item,) = clocks(1)
    add(session, item)
    make(session, item)
    session.execute(SetQuestion(item=item.id, text="Where does the bus lie?")).result()
    make(session, item)
    assert [one.question for one in variants(session)] == ["Where does the bus lie?"]
