"""Drafting by model: chains of requests to a chat model, with several attempts per step.

The jobs of a chain depend on each other in order: the attempts of a step, then those of the next. When an
attempt is accepted, the remaining ones of its step are answered without a call and refer to it, so the last
attempt of a step always contains the outcome of the step.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.profile import SIGHTED_ADAPTERS, ModelProfile
from annotator.domain.prompt_tokens import TOKENS_AROUND, text_tokens
from annotator.domain.run import Run
from annotator.domain.work import Claim, JobPlan
from annotator.draft.llm.pipeline import DraftSubject, Pipeline, PipelineStep
from annotator.draft.llm.pipelines import pipeline_of
from annotator.draft.llm.prompts import PromptSet, PromptTemplate, builtin_prompt, project_prompts
from annotator.draft.llm.question_parser import RejectedReply
from annotator.draft.llm.settings import MOST_ATTEMPTS, DraftingSettings
from annotator.draft.llm.step_result import ATTEMPT, BEFORE, STEP, AttemptHistory, StepResult, attempt_history
from annotator.draft.seeded_random import keyed_seed
from annotator.errors import UserError
from annotator.jobs.job_type import ChatJobType, ParsedReply, WorkerContext
from annotator.jobs.job_types.drafting_input import (
    convert_settings,
    facts_of,
    find_problems,
    scenes_of,
    settings_of,
    shown_item,
    subject_of,
)
from annotator.jobs.job_types.evaluation_images import ImageDigests, ImageRecipient, item_images
from annotator.jobs.model_weights import deciding
from annotator.jobs.request_key import compute_request_key, digest
from annotator.jobs.run_settings import RunSettings
from annotator.media.model_images import FrameSelection
from annotator.model_api import ChatReply, ChatRequest, ModelImage
from annotator.progress import Progress
from annotator.quality.context import CheckContext

CHAIN_VERSION = 2
"""Another number where the same reply would be read or judged in another way."""
AGAIN = "again"
REPLY_TOLD = 2_000
"""Letters of a refused reply that the model is shown before it tries again."""
OVER = "The previous step has no result."


class DraftingJob(ChatJobType):
    """Requests the steps of a draft from a chat model, and accepts replies that pass the checks."""

    id = ("draft",)

    def __init__(self) -> None:
        self._settings = RunSettings(settings_of)

    def prepared(self, settings: Mapping[str, Any], *, project: Path) -> dict[str, Any]:
        """Return the settings with the present content of the project's own prompt files.

        Raises:
            UserError: A prompt file that the tasks need is invalid.
            EnvironmentFailure: A prompt file cannot be read.
        """
        draft_settings = convert_settings(settings)
        if draft_settings.prompts:
            return dict(settings)
        recipe = pipeline_of(draft_settings.task_set)
        # A broken file of a task that is not drafted does not stop the others.
        unneeded = set(recipe.task_ids) - set(recipe.wanted(draft_settings.tasks))
        own = project_prompts(project, task_set=draft_settings.task_set, skipped=unneeded)
        return msgspec.structs.replace(draft_settings, prompts=own).to_json()

    def plan(self, run: Run, worker_context: WorkerContext, *, progress: Progress) -> Iterator[JobPlan]:
        """Yield the jobs of the chains of all scenes.

        Raises:
            UserError: There is nothing to draft from, or the model or a prompt will not do.
            Cancelled: The user stopped it.
        """
        settings = settings_of(run)
        _require_able(run, worker_context, settings)
        profile = worker_context.profiles[run.models[0]]
        planner = _Planner(worker_context, settings, profile, progress=progress)
        scenes, most = 0, settings.most_scenes or math.inf
        progress.begin(
            "Planning drafts", total=len(settings.scenes) or worker_context.reader.counts()["scene"]
        )
        for scene in scenes_of(worker_context.reader, settings):
            progress.step()
            before = planner.count
            for subject in planner.subjects(facts_of(worker_context.reader, scene)):
                yield from planner.jobs(subject)
            # A scene that gives nothing does not count towards the limit.
            scenes += planner.count > before
            if scenes >= most:
                break
        progress.end()
        if not planner.count:
            raise UserError("There is nothing to draft from.", hint=planner.why_nothing)

    def settled(self, claim: Claim, worker_context: WorkerContext) -> ParsedReply | None:
        """Return the answer of an attempt that is not needed, or whose chain is over."""
        before = (
            worker_context.reader.runs.prediction_of(claim.after_request_key)
            if claim.after_request_key
            else None
        )
        if claim.after_request_key is None or before is None:
            return None
        is_next_step = claim.spec[ATTEMPT] == 1
        if before.kind == "answer" and not is_next_step:
            own = StepResult(by=StepResult.of(before).by or claim.after_request_key.hex())
            return ParsedReply(
                kind="answer", answer=own.to_json(), message="An earlier attempt was accepted."
            )
        if before.kind == "empty" or (is_next_step and before.kind != "answer"):
            return ParsedReply(kind="empty", message=OVER)
        return None

    def request(self, claim: Claim, worker_context: WorkerContext) -> ChatRequest:
        """Return the question of a step, from the second attempt on with what was wrong before.

        Raises:
            UserError: What it is about is gone, or was changed since the run was planned.
            EnvironmentFailure: The disk refused.
        """
        work = self._work(claim, worker_context)
        profile, prompt, step = worker_context.profiles[claim.model], work.prompt, work.step
        text = prompt.fill(work.recipe.slots(step, work.subject, _trail(claim, worker_context).values))
        return ChatRequest(
            text=text + _retry_text(claim, worker_context),
            system=prompt.system,
            pictures=tuple(_pictures(work, worker_context=worker_context, profile=profile)),
            temperature=profile.temperature,
            max_tokens=max(profile.max_tokens, prompt.max_tokens),
            # Its own for each attempt: with the same one the rejected reply could come again.
            seed=None if profile.seed is None else profile.seed + claim.spec[ATTEMPT] - 1,
            schema=work.recipe.schema(step, prompt),
        )

    def read(self, claim: Claim, reply: ChatReply, worker_context: WorkerContext) -> ParsedReply:
        """Accept the value of a reply, or reject it with a reason that the next attempt is given."""
        try:
            work = self._work(claim, worker_context)
        except UserError as error:
            return ParsedReply(kind="error", message=error.message)
        trail = _trail(claim, worker_context)
        found = work.recipe.read(work.step, reply.text, prompt=work.prompt, values=trail.values)
        problems = list(found.problems) if isinstance(found, RejectedReply) else []
        if not problems and work.step.task:
            item = work.recipe.item(
                work.step, found, subject=work.subject, values=trail.values, seed=work.seed
            )
            problems = find_problems(item, CheckContext.of(worker_context.reader))
        # Told to the next attempt, which otherwise tries to correct what was only cut off.
        if problems and reply.finish == "length":
            problems.append("The reply was cut off: it has to be shorter.")
        own = StepResult(value=None if problems else found, problems=tuple(problems))
        if problems:
            return ParsedReply(kind="unparsed", answer=own.to_json(), message=" ".join(problems))
        return ParsedReply(kind="answer", answer=own.to_json())

    def _work(self, claim: Claim, worker_context: WorkerContext) -> _StepInput:
        """Return what a job is about, as it was when the run was planned.

        Raises:
            UserError: It is gone or another one by now.
        """
        spec, settings = claim.spec, self._settings.at(worker_context, claim.run)
        recipe = pipeline_of(settings.task_set)
        seed = keyed_seed(settings.seed, project=worker_context.reader.project.id)
        subject = subject_of(
            worker_context.reader,
            recipe,
            scene=spec["scene"],
            target=claim.target,
            view=spec["view"],
            seed=seed,
        )
        steps = recipe.steps(subject, tasks=recipe.wanted(settings.tasks))
        step = next((step for step in steps if step.id == spec[STEP]), None)
        prompt = PromptSet(settings.prompts).get(step.prompt) if step else None
        if step is None or prompt is None or _prompt_digest(step, subject, prompt) != spec["shown"]:
            raise UserError(
                "The records of this question were changed after the run was planned.",
                hint="Start a new run.",
            )
        return _StepInput(recipe=recipe, subject=subject, step=step, prompt=prompt, seed=seed)


KIND = DraftingJob()


def _trail(claim: Claim, worker_context: WorkerContext) -> AttemptHistory:
    """Return what the steps before this one made."""
    return attempt_history(claim.spec[BEFORE], find=worker_context.reader.runs.prediction_of)


class _StepInput(msgspec.Struct, frozen=True, kw_only=True):
    """What one job is about."""

    recipe: Pipeline
    subject: DraftSubject
    step: PipelineStep
    prompt: PromptTemplate
    seed: str


class _Planner:
    """Makes the jobs of one subject after the other, and counts them."""

    def __init__(
        self,
        worker_context: WorkerContext,
        settings: DraftingSettings,
        profile: ModelProfile,
        *,
        progress: Progress,
    ) -> None:
        self._settings, self._profile = settings, profile
        self._recipe = pipeline_of(settings.task_set)
        self._tasks = self._recipe.wanted(settings.tasks)
        self._prompts = PromptSet(settings.prompts)
        self._model = digest(deciding(profile, settings=worker_context.settings, progress=progress))
        self._again = builtin_prompt(AGAIN).digest
        self._seed = keyed_seed(settings.seed, project=worker_context.reader.project.id)
        self._image_digests = ImageDigests(worker_context.reader)
        self._reasons: Counter[str] = Counter()
        self.count = 0

    @property
    def why_nothing(self) -> str:
        """The most frequent reason why scenes give nothing, in words."""
        if self._reasons:
            reason, count = self._reasons.most_common(1)[0]
            return f"{count:,} times: {reason}."
        return "No scene has the data that these tasks are drafted from."

    def subjects(self, facts: Any) -> Iterator[DraftSubject]:  # noqa: ANN401
        """Yield what can be drafted about in a scene; counts why the rest cannot."""
        for found in self._recipe.subjects(facts, seed=self._seed):
            if isinstance(found, DraftSubject):
                yield found
            else:
                self._reasons[found.reason] += 1

    def jobs(self, subject: DraftSubject) -> Iterator[JobPlan]:
        """Yield the jobs of a subject, all attempts of each step behind each other."""
        steps = self._recipe.steps(subject, tasks=self._tasks)
        ends: list[tuple[int, bytes]] = []
        for index, step in enumerate(steps):
            prompt = self._prompts.get(step.prompt)
            last = ends[step.after] if step.after is not None else None
            spec = self._spec(step, subject, prompt) | {BEFORE: last[1].hex() if last else ""}
            decides = self._decides(subject, prompt) | {"shown": spec["shown"]}
            # All of them are planned; those after an accepted reply are settled without a call.
            for attempt in range(1, self._settings.attempts + 1):
                again = self._again if attempt > 1 else ""
                after = last[1].hex() if last else ""
                job = JobPlan(
                    request_key=compute_request_key(**decides, attempt=attempt, again=again, after=after),
                    model=self._profile.name,
                    target=subject.target,
                    spec=spec | {ATTEMPT: attempt, "is_last": attempt == self._settings.attempts},
                    worst_micro=self._worst(steps, index, subject, prompt, attempt=attempt),
                    after=last[0] if last else None,
                )
                last = (self.count, job.request_key)
                self.count += 1
                yield job
            if last is not None:
                ends.append(last)

    def _decides(self, subject: DraftSubject, prompt: PromptTemplate) -> dict[str, object]:
        """Return what decides the reply of a step besides its words, for the key of a job."""
        is_shown = prompt.shows in {"all", "frame"}
        visuals, item = self._profile.stated_visuals, shown_item(subject)
        return {
            "chain": CHAIN_VERSION,
            "task_set": [self._recipe.task_set.id, self._recipe.task_set.version],
            "sight": self._image_digests.decides(item, rendering="clean", visuals=visuals)
            if is_shown
            else [],
            "model": self._model,
        }

    def _spec(self, step: PipelineStep, subject: DraftSubject, prompt: PromptTemplate) -> dict[str, Any]:
        return {
            "task_set": self._recipe.task_set_id,
            "task": step.task,
            STEP: step.id,
            "scene": subject.facts.scene.id,
            "view": subject.view,
            "prompt": prompt.name_with_version,
            "shown": _prompt_digest(step, subject, prompt),
        }

    def _worst(
        self,
        steps: Sequence[PipelineStep],
        index: int,
        subject: DraftSubject,
        prompt: PromptTemplate,
        *,
        attempt: int,
    ) -> int:
        """Return what a job costs at most: earlier steps may have answered at their full length."""
        if not self._profile.is_priced:
            return 0
        words = (prompt.text, prompt.system, *subject.slots.values())
        tokens = TOKENS_AROUND + sum(map(text_tokens, words))
        step: PipelineStep | None = steps[index]
        while step is not None and step.after is not None:
            step = steps[step.after]
            tokens += self._most_tokens(self._prompts.get(step.prompt))
        if attempt > 1:
            tokens += REPLY_TOLD + self._most_tokens(prompt)
        if prompt.shows == "all":
            tokens += self._image_digests.tokens(
                shown_item(subject), profile=self._profile, visuals=self._profile.stated_visuals
            )
        elif prompt.shows == "frame":
            one = msgspec.structs.replace(self._profile.stated_visuals, frames=1)
            tokens += self._image_digests.tokens(shown_item(subject), profile=self._profile, visuals=one)
        return self._profile.cost_micro(prompt_tokens=tokens, completion_tokens=self._most_tokens(prompt))

    def _most_tokens(self, prompt: PromptTemplate) -> int:
        return max(self._profile.max_tokens, prompt.max_tokens)


def _require_able(run: Run, worker_context: WorkerContext, settings: DraftingSettings) -> None:
    if len(run.models) != 1:
        raise UserError("A drafting run can use only one model.", hint="Start one run for each model.")
    profile = worker_context.profiles[run.models[0]]
    if profile.adapter not in SIGHTED_ADAPTERS:
        raise UserError(
            f"{profile.name!r} cannot write drafts.", hint="Choose a chat model that accepts images."
        )
    if not 1 <= settings.attempts <= MOST_ATTEMPTS:
        raise UserError(
            f"The number of attempts cannot be {settings.attempts}.",
            hint=f"Set 1 to {MOST_ATTEMPTS} attempts.",
        )


def _prompt_digest(step: PipelineStep, subject: DraftSubject, prompt: PromptTemplate) -> str:
    """Return a digest of a step's input except the results of earlier steps; images count by name."""
    slots: Mapping[str, str] = subject.slots
    return digest(
        {"step": step.id, "frame": step.frame, "view": subject.view, "slots": slots, "prompt": prompt.digest}
    )


def _retry_text(claim: Claim, worker_context: WorkerContext) -> str:
    """Return what a model is told from its second attempt on, "" at the first."""
    if claim.spec[ATTEMPT] == 1 or claim.after_request_key is None:
        return ""
    earlier = worker_context.reader.runs.prediction_of(claim.after_request_key)
    if earlier is None:
        return ""
    problems = "\n".join(f"- {problem}" for problem in StepResult.of(earlier).problems)
    slots = {"reply": earlier.text[:REPLY_TOLD], "problems": problems}
    return "\n\n" + builtin_prompt(AGAIN).fill(slots).strip()


def _pictures(
    work: _StepInput, *, worker_context: WorkerContext, profile: ModelProfile
) -> Iterator[ModelImage]:
    if work.prompt.shows not in {"all", "frame"}:
        return
    frames = FrameSelection(numbers=(work.step.frame,)) if work.step.frame is not None else None
    yield from item_images(
        shown_item(work.subject),
        worker_context=worker_context,
        rendering="clean",
        recipient=ImageRecipient(profile, profile.stated_visuals),
        task=None,
        frames=frames,
    )
