"""The verb derive: which images it makes, and what it says of wrong options."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from annotator.domain.image_recipe import AIRCOP_NOISE, ImageRecipe, RecipeStep
from annotator.domain.medium import Medium
from annotator.domain.region import Box, Region
from annotator.domain.scene import Scene, SceneView
from annotator.session import Session
from tests.bench.numbered_videos import picture_of
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import created, write


@pytest.fixture
def town(project: Path) -> Path:
    """Give a project with two scenes of two images, the second with a video beside one."""
    with Session.open(project) as session:
        session.media_root.mkdir(parents=True)
        for location in (1, 2):
            views = []
            for number in (1, 2):
                name = f"{location}-UAV{number}.jpg"
                Image.fromarray(picture_of(location, size_px=(96, 64))).save(session.media_root / name)
                medium = Medium(id=f"{location}{number}" * 16, name=name, dataset="town", path=name)
                write(session, created("medium", medium))
                views.append(SceneView(name=f"UAV{number}", medium=medium.id))
            scene = Scene(id=f"{location}" * 32, name=f"{location}", dataset="town", views=tuple(views))
            write(session, created("scene", scene))
        region = Region(id="8" * 32, medium="11" * 16, number=0, box=Box(x1=1, y1=1, x2=9, y2=9))
        write(session, created("region", region))
    return project


def test_derive_when_one_view_is_named_then_each_scene_gets_a_degraded_twin(town: Path, verb: Verb) -> None:
    said = verb("derive", town, "--all", "--view", "UAV1", "--preset", "aircop-noise", "--seed", 5, "--json")
    assert (said.status, said.json) == (
        0,
        {
            "images": ["1-UAV1-noise.png", "2-UAV1-noise.png"],
            "known": 0,
            "scenes": ["1 (noise UAV1)", "2 (noise UAV1)"],
        },
    )
    # A second time, the twins are neither made again nor degraded themselves.
    said = verb("derive", town, "--all", "--view", "UAV1", "--preset", "aircop-noise", "--seed", 5)
    assert said.out.endswith("0 images made, 2 present already, 0 new scenes.\n")
    with Session.open(town) as session:
        (medium,) = session.reader.find(Medium, name="1-UAV1-noise.png")
        assert medium.recipe == ImageRecipe(steps=AIRCOP_NOISE, seed=5)
        assert not list(session.reader.find(Region, medium=medium.id))


def test_derive_when_steps_are_given_then_are_applied_in_order_and_regions_come_along(
    town: Path, verb: Verb
) -> None:
    steps = ("--step", "motion_blur=3@90", "--step", "block_loss=0.3/16")
    said = verb("derive", town, "--scene", "1", *steps, "--with-regions", "--json")
    assert said.json["scenes"] == ["1 (blur-loss)"]
    with Session.open(town) as session:
        (medium,) = session.reader.find(Medium, name="1-UAV1-blur-loss.png")
        assert medium.recipe == ImageRecipe(
            steps=(
                RecipeStep(kind="motion_blur", amount=3, angle_deg=90),
                RecipeStep(kind="block_loss", amount=0.3, size_px=16),
            )
        )
        assert len(list(session.reader.find(Region, medium=medium.id))) == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--all",), "Set either --step or --preset."),
        (("--preset", "aircop-noise"), "Set --scene, --dataset or --all."),
        (("--all", "--step", "fog=1"), "'fog=1' is not a step of a recipe."),
        (("--scene", "9", "--step", "row_loss"), "There is no scene named 9."),
        (("--all", "--view", "UAV7", "--step", "row_loss"), "No scene has an image to degrade."),
        (("--all", "--step", "row_loss", "--seed", "-1"), "The seed must be between"),
    ],
)
def test_derive_when_options_are_wrong_then_says_so_and_makes_nothing(
    options: tuple[str, ...], text: str, town: Path, verb: Verb
) -> None:
    said = verb("derive", town, *options)
    assert (said.status, said.out) == (2, "")
    assert text in said.err
    assert not list(town.parent.rglob("derived"))
