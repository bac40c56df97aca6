"""Derived images: their pixels, their scenes, what is copied and what is not, and what a failure leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from annotator.commands.derived_images import DeriveImages
from annotator.domain.event_form import find_form_problems
from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.image_recipe import AIRCOP_NOISE, ImageRecipe, RecipeStep
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import DERIVED_FROM, Scene, SceneView
from annotator.errors import Cancelled, EnvironmentFailure, UserError
from annotator.media import staged_files
from annotator.media.content_hash import content_digest
from annotator.media.degraded_images import degrade
from annotator.media.image_decoder import decode_image
from annotator.progress import Progress
from annotator.queries.derived_targets import DerivedScene
from annotator.session import Session
from tests.bench.numbered_videos import picture_of
from tests.unit.store.making import (
    created,
    removed,
    undo_label,
    visible_state,
    write,
)

SIZE = (192, 128)
NOISE = ImageRecipe(steps=AIRCOP_NOISE, seed=3)
LOSS = ImageRecipe(steps=(RecipeStep.usual("block_loss"),))
ANSWERED = ("quality", "usable", "object_types", "degradations", "issue_boxes", "when", "who", "why")


class StopsAfterOne(Progress):
    """Is cancelled once one image is written."""

    def step(self, n: int = 1) -> None:
        super().step(n)
        if n:
            self.cancel()


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Open a project with a scene of two views, with linked regions and a label of the first view."""
    with Session.create(tmp_path / "town.vantage") as made:
        made.media_root.mkdir()
        views = []
        for number in (1, 2):
            file = made.media_root / f"1-UAV{number}.jpg"
            Image.fromarray(picture_of(number, size_px=SIZE)).save(file, quality=95)
            medium = Medium(
                id=f"m{number}",
                name=file.name,
                dataset="town",
                path=file.name,
                sha256=content_digest(file, progress=Progress()),
                width_px=SIZE[0],
                height_px=SIZE[1],
                licence="CC BY 4.0",
                footage="real",
            )
            region = Region(
                id=f"r{number}",
                medium=medium.id,
                number=number,
                box=Box(x1=1, y1=2, x2=30, y2=40),
                category="car",
            )
            write(made, created("medium", medium), created("region", region))
            views.append(SceneView(name=f"UAV{number}", medium=medium.id))
        scene = Scene(id="s", name="1", dataset="town", views=tuple(views), metadata={"weather": "fog"})
        label = EventLabel(
            id="l",
            scene="s",
            view="UAV1",
            medium="m1",
            quality=4,
            usable=True,
            object_types=("vehicles",),
            degradations=("occlusion",),
            issue_boxes=(PercentBox(x=1, y=2, width=3, height=4, labels=("occluded",)),),
            when=True,
            who=("UAV2",),
            why=("occlusion",),
            state="finished",
        )
        link = Link(id="k", scene="s", regions=("r1", "r2"))
        write(made, created("scene", scene), created("event_label", label), created("link", link))
        yield made


def derive(session: Session, *media: str, recipe: ImageRecipe = NOISE, **options: bool) -> DeriveImages:
    command = DeriveImages(
        scenes=(DerivedScene(scene="s", media=media),), recipe=recipe, roots=session.roots, **options
    )
    session.execute(command).result()
    return command


def derived(session: Session, source: str = "m1") -> list[Medium]:
    return list(session.reader.find(Medium, derived_from=source))


def files(session: Session) -> list[str]:
    return sorted(path.name for path in (session.media_root / "derived").glob("*"))


def test_image_when_derived_then_is_the_recipe_s_and_linked_to_its_source(session: Session) -> None:
    command = derive(session, "m1")
    (medium,) = derived(session)
    assert (medium.name, medium.path) == ("1-UAV1-noise.png", "derived/1-UAV1-noise.png")
    assert (medium.recipe, medium.licence, medium.footage, medium.dataset) == (
        NOISE,
        "CC BY 4.0",
        "real",
        "town",
    )
    source = session.reader.require(Medium, "m1")
    wanted = degrade(decode_image(session.media_root / source.path), NOISE, content=source.sha256)
    file = session.media_root / medium.path
    assert np.array_equal(decode_image(file), wanted)
    assert (medium.sha256, medium.size_bytes) == (
        content_digest(file, progress=Progress()),
        file.stat().st_size,
    )
    assert command.report.images == ["1-UAV1-noise.png"]
    assert undo_label(session) == "Make 1 derived image (noise)"


def test_scene_when_derived_then_shows_the_degraded_view_among_the_clean_ones(session: Session) -> None:
    assert derive(session, "m1").report.scenes == ["1 (noise UAV1)"]
    (medium,) = derived(session)
    (scene,) = session.reader.find(Scene, name="1 (noise UAV1)")
    assert [(view.name, view.medium) for view in scene.views] == [("UAV1", medium.id), ("UAV2", "m2")]
    assert scene.metadata == {"weather": "fog", DERIVED_FROM: "1"}
    assert session.reader.scenes.showing("m1") == ["s"]
    # All views by another recipe: the name says so.
    assert derive(session, "m1", "m2", recipe=LOSS).report.scenes == ["1 (loss)"]


def test_labels_when_nothing_is_said_then_are_not_shared(session: Session) -> None:
    derive(session, "m1")
    (medium,) = derived(session)
    (scene,) = session.reader.find(Scene, name="1 (noise UAV1)")
    assert session.reader.labels_of(scene.id) == []
    assert not list(session.reader.find(Region, medium=medium.id))
    assert not list(session.reader.find(Link, scene=scene.id))


def test_labels_when_copied_then_each_answer_is_marked_until_it_is_confirmed(session: Session) -> None:
    derive(session, "m1", with_labels=True)
    (medium,) = derived(session)
    (scene,) = session.reader.find(Scene, name="1 (noise UAV1)")
    (label,) = session.reader.labels_of(scene.id)
    assert (label.view, label.medium, label.state) == ("UAV1", medium.id, "open")
    assert (label.quality, label.who, label.issue_boxes) == (
        4,
        ("UAV2",),
        session.reader.require(EventLabel, "l").issue_boxes,
    )
    assert set(label.copied) == set(ANSWERED)
    problems = find_form_problems(label, views=["UAV1", "UAV2"])
    assert {found.kind for name in ANSWERED for found in problems[name]} >= {"copied"}


def test_regions_when_copied_then_belong_to_the_derived_image_and_links_follow(session: Session) -> None:
    derive(session, "m1", with_regions=True)
    (medium,) = derived(session)
    (scene,) = session.reader.find(Scene, name="1 (noise UAV1)")
    (region,) = session.reader.find(Region, medium=medium.id)
    assert (region.number, region.category, region.box) == (1, "car", Box(x1=1, y1=2, x2=30, y2=40))
    (link,) = session.reader.find(Link, scene=scene.id)
    assert link.regions == (region.id, "r2")
    assert session.reader.require(Link, "k").regions == ("r1", "r2")


def test_regions_when_the_image_is_there_without_any_then_are_copied_once_with_links_and_labels(
    session: Session,
) -> None:
    derive(session, "m1")
    derive(session, "m1", with_regions=True, with_labels=True)
    (medium,) = derived(session)
    (scene,) = session.reader.find(Scene, name="1 (noise UAV1)")
    (region,) = session.reader.find(Region, medium=medium.id)
    (link,) = session.reader.find(Link, scene=scene.id)
    (label,) = session.reader.find(EventLabel, scene=scene.id)
    assert (region.number, link.regions, label.medium) == (1, (region.id, "r2"), medium.id)
    before = visible_state(session.path)
    derive(session, "m1", with_regions=True, with_labels=True)
    assert visible_state(session.path) == before


def test_links_when_only_the_scene_is_new_then_name_the_regions_that_the_image_has(session: Session) -> None:
    derive(session, "m1", with_regions=True)
    (scene,) = session.reader.find(Scene, name="1 (noise UAV1)")
    write(session, removed("scene", scene.id))
    derive(session, "m1", with_regions=True)
    (medium,) = derived(session)
    (region,) = session.reader.find(Region, medium=medium.id)
    (again,) = session.reader.find(Scene, name="1 (noise UAV1)")
    (link,) = session.reader.find(Link, scene=again.id)
    assert link.regions == (region.id, "r2")


def test_images_when_derived_again_then_nothing_is_made_twice(session: Session) -> None:
    derive(session, "m1")
    again = derive(session, "m1")
    assert (again.report.images, again.report.known, again.report.scenes) == ([], 1, [])
    other = derive(session, "m1", recipe=ImageRecipe(steps=AIRCOP_NOISE, seed=4))
    assert (other.report.images, other.report.scenes) == (["1-UAV1-noise-2.png"], ["1 (noise UAV1 2)"])
    assert len({medium.sha256 for medium in derived(session)}) == 2


def test_images_when_undone_then_their_files_stay_and_redo_shows_them(session: Session) -> None:
    derive(session, "m1")
    session.undo().result()
    assert (derived(session), files(session)) == ([], ["1-UAV1-noise.png"])
    session.redo().result()
    (medium,) = derived(session)
    assert (session.media_root / medium.path).exists()


def test_images_when_cancelled_or_the_disk_fails_then_nothing_is_left(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = StopsAfterOne()
    command = DeriveImages(
        scenes=(DerivedScene(scene="s", media=("m1", "m2")),), recipe=LOSS, roots=session.roots
    )
    with pytest.raises(Cancelled):
        session.execute(command, progress=progress).result()
    assert files(session) == []
    rename = Path.rename

    def full(path: Path, to: Path) -> Path:
        if "UAV2" in to.name:
            raise OSError(28, "No space left on device")
        return rename(path, to)

    monkeypatch.setattr(staged_files.Path, "rename", full)
    with pytest.raises(EnvironmentFailure, match="No space left on device"):
        derive(session, "m1", "m2")
    assert (files(session), derived(session)) == ([], [])


def test_images_when_a_medium_is_no_image_or_its_file_is_missing_then_says_so(session: Session) -> None:
    write(session, created("medium", Medium(id="v", name="a.mp4", media_type="video")))
    write(session, created("medium", Medium(id="x", name="lost.jpg")))
    for medium, text in (("v", "a.mp4 is not an image"), ("x", "The file of lost.jpg is missing")):
        command = DeriveImages(media=(medium,), recipe=NOISE, roots=session.roots)
        with pytest.raises(UserError, match=text):
            session.execute(command).result()
    with pytest.raises(UserError, match="No images are selected"):
        session.execute(DeriveImages(recipe=NOISE, roots=session.roots)).result()


def test_image_when_the_folder_is_a_link_out_of_the_project_then_nothing_is_written_there(
    session: Session, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (session.media_root / "derived").symlink_to(outside, target_is_directory=True)
    with pytest.raises(UserError, match="is a link that leads to"):
        derive(session, "m1")
    assert not list(outside.iterdir())
    assert not derived(session)
