"""The plan of a run that puts items to models: which items, and the jobs of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from annotator.domain.answers.box_scale import IS_SCALED
from annotator.domain.eval_settings import (
    EvalSettings,
    ExclusionReason,
    PromptVariant,
    item_for_model,
    prompt_digest,
    prompt_variants,
)
from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.domain.prompt_tokens import TOKENS_AROUND, text_tokens
from annotator.domain.work import JobPlan
from annotator.errors import UserError
from annotator.jobs.job_type import WorkerContext
from annotator.jobs.job_types.evaluation_boxes import box_scale, with_known_boxes
from annotator.jobs.job_types.evaluation_images import ImageDigests, ReleaseSource, rendering_of
from annotator.jobs.job_types.evaluation_input import InputSelector, ItemInput, items_of, whole_input
from annotator.jobs.job_types.evaluation_probe import can_be_probed
from annotator.jobs.job_types.evaluation_prompt import option_positions, prompt_of, question_text
from annotator.jobs.model_weights import deciding
from annotator.jobs.request_key import compute_request_key, digest
from annotator.progress import Progress
from annotator.quality.context import CheckContext

RESCALES = "rescales"
"""Member of a job's spec: its question tells boxes in the unit of the model. The key of a job that an earlier
version planned is that of the question without it."""


@dataclass(frozen=True, kw_only=True)
class _PlannedItem:
    """An item as it is asked about.

    Attributes:
        item: As models get it.
        shown: Digest of the item as it is stored.
        given: What is sent of it.
        is_whole: Whether that is all of it.
    """

    item: Item
    shown: str
    given: ItemInput
    is_whole: bool


@dataclass(frozen=True, kw_only=True)
class _ModelQuestion:
    """What one model is asked about one item, in all variants of the prompt.

    Attributes:
        profile: The model.
        decides: Digest of what decides its answers.
        text: The question, with the options in their own order.
        images: What decides the images.
        worst_micro: What an answer costs at most.
        stated: Members of the specification of each job.
    """

    profile: ModelProfile
    decides: str
    text: str
    images: list[object]
    worst_micro: int
    stated: dict[str, Any]


class EvaluationPlanner:
    """Makes the jobs of one item after the other; what is the same for many items is worked out once.

    Args:
        worker_context: The project; receives why items are left out.
        settings: What is asked, and about which items.
        profiles: The models except for probes, none if probes alone are asked.
        source: The released items and images, None for the present ones.
        progress: Counts what is read; may cancel.
    """

    def __init__(
        self,
        worker_context: WorkerContext,
        settings: EvalSettings,
        profiles: list[ModelProfile],
        *,
        source: ReleaseSource | None,
        progress: Progress,
    ) -> None:
        self._worker_context, self._source = worker_context, source
        self._settings, self._release = settings, settings.input.release
        self._reader, self._released = worker_context.reader, source.records if source else None
        self._varied: set[str] = set()
        self._profiles = [
            (
                profile,
                settings.input.visuals_of(profile.stated_visuals),
                digest(deciding(profile, settings=worker_context.settings, progress=progress)),
            )
            for profile in profiles
        ]
        self._context = CheckContext.of(worker_context.reader)
        self._image_digests = ImageDigests(
            worker_context.reader, source=source, variants=settings.input.variants
        )
        # Images of other scenes come from the whole project: the selected items may all be of one
        # scene.
        records, chosen = (source.records, settings) if source else (None, EvalSettings())
        self._selector = InputSelector(
            worker_context.reader,
            settings,
            medium=self._image_digests.medium,
            items=lambda: items_of(worker_context.reader, chosen, records=records),
        )
        prompt = prompt_of(settings)
        self._prompt, self._prompt_digest = f"{prompt.id} {prompt.version}", digest(prompt)
        self._around = text_tokens(prompt.system[settings.visual_input]) + TOKENS_AROUND

    def selected_items(self, progress: Progress) -> Iterator[Item]:
        """Yield the selected items, and count in the context why others are excluded."""
        reader, left_out, asked = self._reader, self._worker_context.left_out, self._settings.items
        found = 0
        progress.begin("Planning questions", total=len(asked) or reader.counts()["item"])
        for item in items_of(reader, self._settings, records=self._released):
            progress.step()
            found += 1
            reason = self._exclusion_reason(item)
            if reason is None:
                yield item
            else:
                left_out[str(reason)] += 1
        progress.end()
        if gone := len(set(asked)) - found if asked else 0:
            left_out[str(ExclusionReason.GONE)] += gone

    def _exclusion_reason(self, item: Item) -> ExclusionReason | None:
        """Return why an item is not asked about, None if it is."""
        if reason := self._settings.exclusion_reason(item):
            return reason
        if not self._profiles and not can_be_probed(item, self._context.task(item)):
            return ExclusionReason.NO_OPTIONS
        if self._source is not None and not self._source.has_images(item):
            return ExclusionReason.NO_IMAGE
        # Input variants may not concern it.
        given = self._selector.select(item, self._context.task(item))
        return given if isinstance(given, ExclusionReason) else None

    def require_samples(self) -> None:
        """Refuse samples of a model that would all be one answer, after all items were planned.

        Raises:
            UserError: No item of a model that always answers alike has options to shuffle.
        """
        for profile, _visuals, _decides in self._profiles:
            if self._settings.samples > 1 and profile.is_steady and profile.name not in self._varied:
                raise UserError(
                    f"{self._settings.samples} samples of {profile.name!r} would be the same answer: at "
                    "temperature 0 it always gives the same answer to a question, and no item has options "
                    "to shuffle.",
                    hint="Set a temperature in the model profile, or ask for 1 sample.",
                )

    def jobs(self, item: Item) -> Iterator[JobPlan]:
        """Yield an item's jobs, model by model."""
        given = self._selector.select(item, self._context.task(item))
        if isinstance(given, ExclusionReason):
            return
        # Of the item as it is stored: the worker compares it to find out whether the item was changed.
        shown, asked = prompt_digest(item), item_for_model(item, self._context.task(item))
        planned = _PlannedItem(item=asked, shown=shown, given=given, is_whole=given == whole_input(item))
        for profile, visuals, decides in self._profiles:
            question = self._question(planned, profile, visuals=visuals, decides=decides)
            for variant in prompt_variants(asked, self._settings, is_steady=profile.is_steady):
                if variant.sample:
                    self._varied.add(profile.name)
                yield self._job(planned, question, variant)

    def _question(
        self, planned: _PlannedItem, profile: ModelProfile, *, visuals: VisualSettings, decides: str
    ) -> _ModelQuestion:
        item, settings, records = planned.item, self._settings, self._released
        sent = planned.given.media
        scale = box_scale(item, profile, settings, sent=sent, reader=self._reader, records=records)
        known = with_known_boxes(item, profile, settings, reader=self._reader, records=records)
        text = question_text(known, PromptVariant(), settings=settings, scale=scale)
        stated: dict[str, Any] = {RESCALES: True} if known is not item else {}
        if scale is not None:
            stated[IS_SCALED] = True
        return _ModelQuestion(
            profile=profile,
            decides=decides,
            text=text,
            images=self._image_content(planned, visuals),
            worst_micro=self._worst(text, planned, profile, visuals),
            stated=stated,
        )

    def _image_content(self, planned: _PlannedItem, visuals: VisualSettings) -> list[object]:
        """Return what decides the images that are sent, nothing for questions in text."""
        if self._settings.visual_input != "sighted":
            return []
        task = self._context.task(planned.item)
        return self._image_digests.decides(
            planned.item,
            rendering=rendering_of(task, self._settings),
            visuals=visuals,
            given=planned.given,
            task=task,
        )

    def _job(self, planned: _PlannedItem, question: _ModelQuestion, variant: PromptVariant) -> JobPlan:
        item, profile = planned.item, question.profile
        request_key = compute_request_key(
            words=question.text,
            options=[option.text for option in item.options],
            order=option_positions(item, variant),
            format=item.answer_format,
            prompt=self._prompt_digest,
            sight=[self._settings.visual_input, *question.images],
            model=question.decides,
            sample=0 if profile.is_steady else variant.sample,
        )
        spec = self._spec(planned, variant) | question.stated
        if self._release:
            spec["release"] = self._release
        if not planned.is_whole:
            spec["input"] = msgspec.to_builtins(planned.given)
        return JobPlan(
            request_key=request_key,
            model=profile.name,
            target=item.id,
            spec=spec,
            worst_micro=question.worst_micro,
        )

    def _spec(self, planned: _PlannedItem, variant: PromptVariant) -> dict[str, Any]:
        return {
            "order": variant.order,
            "rotation": variant.rotation,
            "sample": variant.sample,
            "shown": planned.shown,
            "prompt": self._prompt,
        }

    def _worst(self, text: str, planned: _PlannedItem, profile: ModelProfile, visuals: VisualSettings) -> int:
        """Return what an answer costs at most, in millionths; 0 for a model without a price."""
        if not profile.is_priced:
            return 0
        tokens = self._around + text_tokens(text)
        if self._settings.visual_input != "blind":
            given = planned.given
            tokens += self._image_digests.tokens(planned.item, profile=profile, visuals=visuals, given=given)
        return profile.cost_micro(prompt_tokens=tokens, completion_tokens=profile.max_tokens)
