"""Items put to models, blind or sighted: the work of blind filter, consensus and evaluation."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import msgspec

from annotator.domain import answers
from annotator.domain.answers.boxes_in_text import BOX_FORMAT, names_boxes
from annotator.domain.eval_settings import (
    EvalSettings,
    EvaluationSettings,
    PromptVariant,
    item_for_model,
    prompt_digest,
)
from annotator.domain.item import Item
from annotator.domain.probe_answer import PROBE_SET
from annotator.domain.profile import BLIND_ADAPTERS, SIGHTED_ADAPTERS, ModelProfile
from annotator.domain.run import Run
from annotator.domain.work import Claim, JobPlan
from annotator.errors import UserError
from annotator.jobs.job_type import ChatJobType, JobType, ParsedReply, WorkerContext
from annotator.jobs.job_types.evaluation_boxes import box_scale, with_known_boxes
from annotator.jobs.job_types.evaluation_images import (
    ImageRecipient,
    item_images,
    release_source,
    rendering_of,
)
from annotator.jobs.job_types.evaluation_input import ItemInput, whole_input
from annotator.jobs.job_types.evaluation_planner import RESCALES, EvaluationPlanner
from annotator.jobs.job_types.evaluation_probe import PROBE, plan_probe
from annotator.jobs.job_types.evaluation_prompt import own_letter, prompt_of, question_text, shown_options
from annotator.jobs.run_settings import RunSettings
from annotator.model_api import ChatReply, ChatRequest, ModelImage
from annotator.progress import Progress
from annotator.quality.context import CheckContext
from annotator.queries.past_records import ReleasedRecords
from annotator.queries.reader import Reader

NEARLY = 1e-9
"""Log-probabilities nearer than this are a tie, and no answer."""


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
        profiles = _able_profiles(run, worker_context, settings)
        talking = [profile for profile in profiles if profile.adapter != "probe"]
        source = release_source(settings.input, worker_context)
        planner = EvaluationPlanner(worker_context, settings, talking, source=source, progress=progress)
        probes = [profile for profile in profiles if profile.adapter == "probe"]
        is_empty = True
        probed: list[Item] = []
        for item in planner.selected_items(progress):
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


def _able_profiles(run: Run, worker_context: WorkerContext, settings: EvalSettings) -> list[ModelProfile]:
    """Return the models of a run.

    Raises:
        UserError: One of them does not answer such questions.
    """
    profiles = [worker_context.profiles[name] for name in run.models]
    for profile in profiles:
        _require_able(profile, settings)
    return profiles


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
