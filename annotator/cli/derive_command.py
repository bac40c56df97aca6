"""The command ``derive``: degraded images of a project, and the scenes that show them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from annotator.cli.console import Console
from annotator.cli.options import execute, json_option, open_session, project_argument
from annotator.domain.image_recipe import AIRCOP_NOISE, RULES, ImageRecipe, read_step
from annotator.domain.scene import Scene
from annotator.errors import UserError

if TYPE_CHECKING:
    from annotator.queries.derived_targets import DerivedScene
    from annotator.queries.reader import Reader

PRESETS = {"aircop-noise": AIRCOP_NOISE}


@click.command()
@project_argument
@click.option("--scene", "scene_names", multiple=True, help="Name of a scene; repeatable.")
@click.option("--dataset", default="", help="All scenes of a dataset, or the dataset of the named ones.")
@click.option("--all", "is_all", is_flag=True, help="All scenes.")
@click.option("--view", "view_names", multiple=True, help="Degrade only this view; repeatable. Default: all.")
@click.option(
    "--step",
    "steps",
    multiple=True,
    metavar="KIND=AMOUNT",
    help=f"A step: {', '.join(RULES)}. In this order.",
)
@click.option("--preset", type=click.Choice(sorted(PRESETS)), help="A published recipe instead of --step.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random draws.")
@click.option(
    "--with-labels", is_flag=True, help="Copy event labels; every answer has to be confirmed by a person."
)
@click.option("--with-regions", is_flag=True, help="Copy regions, paths and links.")
@json_option
def derive(project: Path, console: Console, **choice: Any) -> None:  # noqa: ANN401 - click hands options over by name
    """Make degraded images of PROJECT, and scenes in which they replace the clean images.

    The same recipe, seed and source give the same pixels on every machine. Labels and regions of the clean
    images are not shared unless they are copied. Steps: gaussian_noise=SIGMA, salt_pepper=SHARE,
    block_loss=SHARE/SIZE, row_loss=SHARE/HEIGHT, gaussian_blur=RADIUS, motion_blur=RADIUS@ANGLE.
    """
    from annotator.commands.derived_images import DeriveImages

    recipe = _recipe(choice)
    with open_session(project) as session:
        scenes = _scenes(session.reader, choice)
        if not scenes:
            raise UserError("No scene has an image to degrade.", hint="Choose scenes with --scene or --all.")
        command = DeriveImages(
            scenes=scenes,
            recipe=recipe,
            roots=session.roots,
            with_labels=choice["with_labels"],
            with_regions=choice["with_regions"],
        )
        execute(session, command, console=console)
    report = command.report
    result = {"images": report.images, "known": report.known, "scenes": report.scenes}
    console.result(result, print_text=lambda: _print_report(result, console=console))


def _recipe(choice: dict[str, Any]) -> ImageRecipe:
    if bool(choice["steps"]) == bool(choice["preset"]):
        raise click.UsageError("Set either --step or --preset.")
    steps = PRESETS[choice["preset"]] if choice["preset"] else tuple(map(read_step, choice["steps"]))
    recipe = ImageRecipe(steps=steps, seed=choice["seed"])
    recipe.require_valid()
    return recipe


def _scenes(reader: Reader, choice: dict[str, Any]) -> tuple[DerivedScene, ...]:
    from annotator.queries.derived_targets import clean_views, derived_scenes

    if not (choice["scene_names"] or choice["dataset"] or choice["is_all"]):
        raise click.UsageError("Set --scene, --dataset or --all.")
    views = clean_views(reader, scenes=(scene.id for scene in _chosen(reader, choice)))
    names = choice["view_names"]
    return derived_scenes(view for view in views if not names or view.view in names)[0]


def _chosen(reader: Reader, choice: dict[str, Any]) -> Iterator[Scene]:
    """Yield the scenes that the options name; derived scenes only by their names.

    Raises:
        UserError: There is no scene of a name.
    """
    names, dataset = choice["scene_names"], choice["dataset"]
    if not names:
        scenes = reader.records(Scene)
        yield from (scene for scene in scenes if dataset in ("", scene.dataset) and not scene.is_derived)
        return
    for name in names:
        found = [scene for scene in reader.find(Scene, name=name) if dataset in ("", scene.dataset)]
        if not found:
            raise UserError(f"There is no scene named {name}.", hint="Check the name and the dataset.")
        yield from found


def _print_report(result: dict[str, Any], *, console: Console) -> None:
    for name in result["scenes"]:
        console.print(name)
    console.print(
        f"{len(result['images']):,} images made, {result['known']:,} present already, "
        f"{len(result['scenes']):,} new scenes."
    )


VERBS = (derive,)
