"""Items put to models, blind or sighted: the work of blind filter, consensus and evaluation."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import msgspec

from annotator.domain import answers
from annotator.domain.answers.box_scale import IS_SCALED
from annotator.domain.answers.boxes_in_text import BOX_FORMAT, names_boxes
from annotator.domain.eval_settings import (
    EvalSettings,
    EvaluationSettings,
    ExclusionReason,
    PromptVariant,
    item_for_model,
    prompt_digest,
    prompt_variants,
)
from annotator.domain.item import Item
from annotator.domain.probe_answer import PROBE_SET
from annotator.domain.profile import BLIND_ADAPTERS, SIGHTED_ADAPTERS, ModelProfile, VisualSettings
from annotator.domain.prompt_tokens import TOKENS_AROUND, text_tokens
from annotator.domain.run import Run
from annotator.domain.work import Claim, JobPlan
from annotator.errors import UserError
from annotator.jobs.job_type import ChatJobType, JobType, ParsedReply, WorkerContext
from annotator.jobs.job_types.evaluation_boxes import box_scale, with_known_boxes
from annotator.jobs.job_types.evaluation_images import (
    ImageDigests,
    ImageRecipient,
    ReleaseSource,
    item_images,
    release_source,
    rendering_of,
)
from annotator.jobs.job_types.evaluation_input import InputSelector, ItemInput, whole_input
from annotator.jobs.job_types.evaluation_probe import PROBE, can_be_probed, plan_probe
from annotator.jobs.job_types.evaluation_prompt import own_letter, prompt_of, question_text, shown_options
from annotator.jobs.model_weights import deciding
from annotator.jobs.request_key import compute_request_key, digest
from annotator.jobs.run_settings import RunSettings
from annotator.model_api import ChatReply, ChatRequest, ModelImage
from annotator.progress import Progress
from annotator.quality.context import CheckContext
from annotator.queries.past_records import ReleasedRecords
from annotator.queries.reader import Reader

NEARLY = 1e-9
"""Log-probabilities nearer than this are a tie, and no answer."""
RESCALES = "rescales"
"""Member of a job's spec: its question tells boxes in the unit of the model. The key of a job that an earlier
version planned is that of the question without it."""


def settings_of(run: Run) -> EvalSettings:
    """Return the settings of a blind, consensus or evaluation run.

    Raises:
        UserError: They are none.
    """
    kind = EvaluationSettings if run.kind == "evaluation" else EvalSettings
    try:
        return msgspec.convert(run.settings, kind)
    except msgspec.ValidationError as error:
        raise UserError(f"The settings of the run are not valid: {error}.") from error


class EvaluationJob(ChatJobType):
    """Puts items to chat models and rankers; the probe gets them all in one job."""

    id = ("blind", "consensus", "evaluation")

    def __init__(self) -> None:
        self._settings = RunSettings(settings_of)

    def of(self, profile: ModelProfile) -> JobType:
        """Return the kind that a model's jobs are done by."""
        return PROBE if profile.adapter == "probe" else self

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        """Yield one job per item, model, rotation and shuffle; per probe one for all items.

        Raises:
            UserError: No item can be asked, or a model does not support such requests.
            Cancelled: The user cancelled.
        """
        settings = settings_of(run)
        if (run.kind == "blind") != (settings.visual_input == "blind"):
            raise UserError(f"A {run.kind} run cannot ask {settings.visual_input} questions.")
        for name in run.models:
            _require_able(worker_context.profiles[name], settings)
        profiles = [worker_context.profiles[name] for name in run.models]
        talking = [profile for profile in profiles if profile.adapter != "probe"]
        source = release_source(settings.input, worker_context)
        planner = _Planner(worker_context, settings, talking, source=source, progress=progress)
        probes = [profile for profile in profiles if profile.adapter == "probe"]
        is_empty = True
        probed: list[Item] = []
        for item in _selected_items(
            worker_context, planner, settings, source=source, is_for_probes=not talking, progress=progress
        ):
            is_empty = False
            if probes:
                probed.append(item)
            yield from planner.jobs(item)
        if is_empty:
            raise UserError("There is no item to ask about.", hint=_empty_plan_text(worker_context))
        planner.require_samples()
        # Last: a probe is asked about the whole set at once, which is known only now.
        yield from (
            plan_probe(probed, profile, context=CheckContext.of(worker_context.reader)) for profile in probes
        )

    def records_of(self, job: JobPlan) -> Collection[str]:
        """Return the ids of the items that a job of a plan is about: of a probe's, those of the whole set."""
        items: Collection[str] = job.spec["items"] if job.target == PROBE_SET else (job.target,)
        return items

    def request(self, claim: Claim, worker_context: WorkerContext) -> ChatRequest:
        """Return the question of a job.

        Raises:
            UserError: The item or one of its media is gone, or was changed since the run was planned.
            EnvironmentFailure: The disk refused.
        """
        settings, profile = self._settings.at(worker_context, claim.run), worker_context.profiles[claim.model]
        source = release_source(settings.input, worker_context)
        item, variant = (
            _item_of(claim, worker_context.reader, records=source.records if source else None),
            _variant_of(claim),
        )
        pictures: tuple[ModelImage, ...] = ()
        if settings.visual_input == "sighted":
            task = CheckContext.of(worker_context.reader).task(item)
            rendering = rendering_of(task, settings)
            pictures = tuple(
                item_images(
                    item,
                    worker_context=worker_context,
                    rendering=rendering,
                    recipient=ImageRecipient(profile, settings.input.visuals_of(profile.stated_visuals)),
                    task=task,
                    source=source,
                    given=_input_of(claim, item, settings),
                )
            )
        records = source.records if source else None
        if claim.spec.get(RESCALES):
            item = with_known_boxes(item, profile, settings, reader=worker_context.reader, records=records)
        options = shown_options(item, variant) if _can_be_ranked(item) else ()
        sent = _input_of(claim, item, settings).media
        scale = box_scale(item, profile, settings, sent=sent, reader=worker_context.reader, records=records)
        return ChatRequest(
            text=question_text(item, variant, settings=settings, scale=scale),
            system=prompt_of(settings).system[settings.visual_input],
            pictures=pictures,
            options=tuple(option.text for option in options),
            temperature=profile.temperature,
            max_tokens=profile.max_tokens,
            # Its own for each sample: with one seed for all, a server may return one answer for all.
            seed=None if profile.seed is None else profile.seed + variant.sample,
        )

    def read(self, claim: Claim, reply: ChatReply, worker_context: WorkerContext) -> ParsedReply:
        """Read the answer out of a reply, in the item's own letters."""
        try:
            release = claim.spec.get("release", "")
            records = ReleasedRecords(worker_context.reader, release) if release else None
            item = _item_of(claim, worker_context.reader, records=records)
        except UserError as error:
            return ParsedReply(kind="error", message=error.message)
        variant = _variant_of(claim)
        if reply.option_scores:
            return _ranked(reply.option_scores, item, variant)
        if not reply.text.strip():
            return ParsedReply(kind="empty", message="The reply of the model is empty.")
        scale = None
        if item.answer_format == BOX_FORMAT or names_boxes(item):
            settings = self._settings.at(worker_context, claim.run)
            profile, reader = worker_context.profiles[claim.model], worker_context.reader
            sent = _input_of(claim, item, settings).media
            scale = box_scale(item, profile, settings, sent=sent, reader=reader, records=records)
            if claim.spec.get(RESCALES):
                # A model may repeat the text of an option, as it was shown.
                item = with_known_boxes(item, profile, settings, reader=reader, records=records)
        context = answers.AnswerContext(options=shown_options(item, variant), box_scale=scale)
        form = answers.get(item.answer_format)
        parsed = form.parse(reply.text, context=context)
        if parsed.value is None:
            return ParsedReply(kind="unparsed", message=parsed.reason)
        answer = form.render(parsed.value)
        is_letter = item.answer_format == "option_letter"
        return ParsedReply(kind="answer", answer=own_letter(answer, variant) if is_letter else answer)


KIND = EvaluationJob()


def items_of(
    reader: Reader, settings: EvalSettings, *, records: ReleasedRecords | None = None
) -> Iterator[Item]:
    """Yield the items that lie in what was chosen, each once, in order of arrival or of the list.

    Args:
        reader: The project.
        settings: The choice.
        records: Items as they were released, None for the present ones.
    """
    if records is not None:
        yield from records.records(Item, list(dict.fromkeys(settings.items)))
        return
    if settings.items:
        yield from reader.records(Item, ids=list(dict.fromkeys(settings.items)))
        return
    yield from filter(settings.selects, reader.find(Item))


def _selected_items(
    worker_context: WorkerContext,
    planner: _Planner,
    settings: EvalSettings,
    *,
    source: ReleaseSource | None,
    is_for_probes: bool,
    progress: Progress,
) -> Iterator[Item]:
    """Yield the selected items, and count in the context why others are excluded."""
    found, context = 0, CheckContext.of(worker_context.reader)
    progress.begin("Planning questions", total=len(settings.items) or worker_context.reader.counts()["item"])
    for item in items_of(worker_context.reader, settings, records=source.records if source else None):
        progress.step()
        found += 1
        reason = settings.exclusion_reason(item)
        if reason is None and is_for_probes and not can_be_probed(item, context.task(item)):
            reason = ExclusionReason.NO_OPTIONS
        if reason is None and source is not None and not source.has_images(item):
            reason = ExclusionReason.NO_IMAGE
        if reason is None:
            reason = planner.exclusion_reason(item)
        if reason is None:
            yield item
        else:
            worker_context.left_out[str(reason)] += 1
    progress.end()
    if gone := len(set(settings.items)) - found if settings.items else 0:
        worker_context.left_out[str(ExclusionReason.GONE)] += gone


class _Planner:
    """Makes the jobs of one item after the other; what is the same for many items is worked out once."""

    def __init__(
        self,
        worker_context: WorkerContext,
        settings: EvalSettings,
        profiles: list[ModelProfile],
        *,
        source: ReleaseSource | None,
        progress: Progress,
    ) -> None:
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

    def exclusion_reason(self, item: Item) -> ExclusionReason | None:
        """Return why the input variants do not concern an item, None if they do."""
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
        is_whole = given == whole_input(item)
        # Of the item as it is stored: the worker compares it to find out whether the item was changed.
        shown, item = prompt_digest(item), item_for_model(item, self._context.task(item))
        is_sighted = self._settings.visual_input == "sighted"
        rendering = rendering_of(self._context.task(item), self._settings) if is_sighted else "clean"
        for profile, visuals, decides in self._profiles:
            scale = box_scale(
                item,
                profile,
                self._settings,
                sent=given.media,
                reader=self._reader,
                records=self._released,
            )
            known = with_known_boxes(
                item, profile, self._settings, reader=self._reader, records=self._released
            )
            text = question_text(known, PromptVariant(), settings=self._settings, scale=scale)
            is_steady = profile.is_steady
            image_content = (
                self._image_digests.decides(
                    item,
                    rendering=rendering,
                    visuals=visuals,
                    given=given,
                    task=self._context.task(item),
                )
                if is_sighted
                else []
            )
            worst = (
                self._worst(text, profile, self._image_tokens(item, profile, visuals, given))
                if profile.is_priced
                else 0
            )
            for variant in prompt_variants(item, self._settings, is_steady=is_steady):
                if variant.sample:
                    self._varied.add(profile.name)
                request_key = compute_request_key(
                    words=text,
                    options=[option.text for option in item.options],
                    order=_option_positions(item, variant),
                    format=item.answer_format,
                    prompt=self._prompt_digest,
                    sight=[self._settings.visual_input, *image_content],
                    model=decides,
                    sample=0 if is_steady else variant.sample,
                )
                spec = {
                    "order": variant.order,
                    "rotation": variant.rotation,
                    "sample": variant.sample,
                    "shown": shown,
                    "prompt": self._prompt,
                }
                if known is not item:
                    spec[RESCALES] = True
                if scale is not None:
                    spec[IS_SCALED] = True
                if self._release:
                    spec["release"] = self._release
                if not is_whole:
                    spec["input"] = msgspec.to_builtins(given)
                yield JobPlan(
                    request_key=request_key, model=profile.name, target=item.id, spec=spec, worst_micro=worst
                )

    def _image_tokens(
        self, item: Item, profile: ModelProfile, visuals: VisualSettings, given: ItemInput
    ) -> int:
        if self._settings.visual_input == "blind":
            return 0
        return self._image_digests.tokens(item, profile=profile, visuals=visuals, given=given)

    def _worst(self, text: str, profile: ModelProfile, image_tokens: int) -> int:
        tokens = self._around + text_tokens(text) + image_tokens
        return profile.cost_micro(prompt_tokens=tokens, completion_tokens=profile.max_tokens)


def _option_positions(item: Item, variant: PromptVariant) -> list[int]:
    letters = [option.letter for option in item.options]
    return [letters.index(letter) for letter in variant.order]


def _require_able(profile: ModelProfile, settings: EvalSettings) -> None:
    able = SIGHTED_ADAPTERS if settings.visual_input == "sighted" else BLIND_ADAPTERS
    if profile.adapter not in able:
        how = "questions with images" if settings.visual_input == "sighted" else "questions in text"
        raise UserError(
            f"The model {profile.name!r} does not answer {how}.", hint="Choose another model for this run."
        )
    of_frames = any(variant.ablates in {"frames", "order"} for variant in settings.input.variants)
    if of_frames and settings.input.visuals_of(profile.stated_visuals).frames == 1:
        raise UserError(
            f"The model {profile.name!r} gets one frame of a video: it has no other frames "
            "and no order to leave out.",
            hint="Send more frames, or leave these inputs out.",
        )


def _can_be_ranked(item: Item) -> bool:
    """Tell whether a model can rank an item's options: one of them is the answer, and they have texts."""
    return item.answer_format == "option_letter" and any(option.text for option in item.options)


def _empty_plan_text(worker_context: WorkerContext) -> str:
    """Return for what reasons all that was chosen is left out."""
    if not worker_context.left_out:
        return "The selection has no items; rejected and filtered items must be selected by state."
    return " ".join(
        f"{count:,} skipped: {reason}." for reason, count in worker_context.left_out.most_common()
    )


def _item_of(claim: Claim, reader: Reader, *, records: ReleasedRecords | None) -> Item:
    item = reader.get(Item, claim.target) if records is None else records.get(Item, claim.target)
    if item is None:
        raise UserError("The item is no longer in the project.")
    if prompt_digest(item) != claim.spec["shown"]:
        raise UserError(
            "The item was changed since the run was planned.", hint="Start a new run for the item."
        )
    return item_for_model(item, CheckContext.of(reader).task(item))


def _input_of(claim: Claim, item: Item, settings: EvalSettings) -> ItemInput:
    stored = claim.spec.get("input")
    given = msgspec.convert(stored, ItemInput) if stored else whole_input(item)
    return msgspec.structs.replace(given, variants=settings.input.variants)


def _variant_of(claim: Claim) -> PromptVariant:
    spec = claim.spec
    return PromptVariant(order=spec["order"], rotation=spec["rotation"], sample=spec["sample"])


def _ranked(scores: tuple[float, ...], item: Item, variant: PromptVariant) -> ParsedReply:
    """Return the option that a model ranks first; scores go back into the order of the item."""
    letters = variant.order or "".join([option.letter for option in item.options])
    if len(scores) != len(letters) or not all(map(math.isfinite, scores)):
        return ParsedReply(
            kind="unparsed", message=f"The model ranks {len(scores)} options of {len(letters)}."
        )
    by_letter = dict(zip(letters, scores, strict=True))
    own = tuple(by_letter[option.letter] for option in item.options)
    best = [letter for letter, score in by_letter.items() if score >= max(scores) - NEARLY]
    if len(best) > 1:
        text = f"The model ranks the options {', '.join(sorted(best))} alike."
        return ParsedReply(kind="unparsed", message=text, scores=own)
    return ParsedReply(kind="answer", answer=best[0], scores=own)
