"""Evaluation runs that are started together, one for each model and input variant: a study."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from annotator.domain.eval_settings import EvaluationInput, EvaluationSettings
from annotator.domain.input_variants import Variants
from annotator.domain.record import new_id
from annotator.domain.run import Run
from annotator.domain.work import RunOrder

SIGHTED_KINDS = ("consensus", "evaluation")
"""Runs whose models get the images."""


class ReleaseScope(msgspec.Struct, frozen=True, kw_only=True):
    """The items of a release.

    Attributes:
        given: The release and its images.
        items: Ids of the items in the project, in the order of the release.
        images: Number of images in the release, 0 for none.
        unknown: Items of the release that are not in the project.
    """

    given: EvaluationInput
    items: tuple[str, ...]
    images: int = 0
    unknown: int = 0


def study_orders(order: RunOrder, settings: EvaluationSettings, grid: Iterable[Variants]) -> list[RunOrder]:
    """Return one order for each model and variant, models first.

    Args:
        order: Models, title and cost limit; the limit is that of each run.
        settings: What all of them share.
        grid: The variants; at least one, which may be empty.
    """
    variants, study = list(grid), new_id()
    return [
        msgspec.structs.replace(
            order,
            models=(model,),
            settings=_settings(settings, one, study=study).to_json(),
        )
        for model in order.models
        for one in variants
    ]


def variants_of(run: Run) -> Variants:
    """Return how the images of a run differ from those of the model profile; () for other kinds of runs."""
    if run.kind != "evaluation":
        return ()
    return msgspec.convert(run.settings, EvaluationSettings).given.variants


def sends_images(run: Run) -> bool:
    """Return whether the models of a run get the images, no fewer than their profiles send."""
    return run.kind in SIGHTED_KINDS and not run.settings.get("given", {}).get("variants")


def _settings(settings: EvaluationSettings, variants: Variants, *, study: str) -> EvaluationSettings:
    given = msgspec.structs.replace(settings.given, variants=variants)
    return msgspec.structs.replace(settings, given=given, study=study)
