"""Words of model work: kinds and states of runs, verdicts, failures and what to do about them, money."""

from __future__ import annotations

import math

from annotator.domain.run import MICRO, Run
from annotator.domain.work import RunProgress
from widgets import display_text
from widgets.task import describe_duration
from widgets.translation import mark, tr, trn

KINDS = {
    "blind": mark("Blind filter"),
    "consensus": mark("Consensus"),
    "draft": mark("Drafting by model"),
    "detect": mark("Detection"),
    "depth": mark("Depth"),
}
"""English words of the kinds of runs."""

STATES = {
    "running": mark("Running"),
    "paused": mark("Paused"),
    "cancelled": mark("Cancelled"),
    "done": mark("Done"),
    "stopped": mark("Stopped"),
}
"""English words of the states of a run."""

STATE_TONES = {
    "running": "accent",
    "done": "good",
    "paused": "text_dim",
    "cancelled": "text_dim",
    "stopped": "warn",
}
"""The token that inks each state."""

VERDICTS = {
    "answer": mark("Answered"),
    "unparsed": mark("Cannot be read"),
    "empty": mark("Empty"),
    "error": mark("Error"),
    "waiting": mark("Not answered yet"),
    "unasked": mark("Not answered yet"),
    "outdated": mark("Asked before a change"),
}
"""English words of the kinds of verdicts, and of jobs without one."""

FAILURES = {
    "rate": (
        mark("Asked too fast"),
        mark("It is asked again by itself. Ask fewer a minute: Models ▸ Requests a minute."),
    ),
    "timeout": (
        mark("No answer in time"),
        mark(
            "It is asked again by itself. Allow more seconds, or fewer calls at once, in the model's profile."
        ),
    ),
    "server": (
        mark("Trouble at the server"),
        mark("It is asked again by itself; look at the server's own log."),
    ),
    "connection": (
        mark("Not reached"),
        mark("Look whether the server runs and the address in the profile is right; then retry the failed."),
    ),
    "refused": (
        mark("Refused"),
        mark(
            "The server does not take this question: look at its words, change the profile, start a new run."
        ),
    ),
    "key": (mark("Key not accepted"), mark("Put a key that holds in its place, then retry the failed.")),
    "cut": (mark("Reply broken off"), mark("It is asked again by itself; retry the failed if it keeps on.")),
    "format": (
        mark("Reply not as agreed"),
        mark("The address may not be that of a chat endpoint: try the model."),
    ),
    "too_large": (mark("Reply too large"), mark("Ask for fewer tokens of answer in the model's profile.")),
    "redirect": (mark("Sent elsewhere"), mark("Put the address that the server names into the profile.")),
    "model": (
        mark("The model's program failed"),
        mark("Look at its words; retry the failed once it is mended."),
    ),
    "material": (
        mark("What it should be given is gone"),
        mark("Find the media again in the Library, then retry the failed."),
    ),
    "unparsed": (
        mark("Cannot be read"),
        mark("Counts as unknown, never as wrong. Allow more tokens where it was cut off."),
    ),
    "empty": (
        mark("Empty"),
        mark("Counts as unknown, never as wrong. Allow more tokens where the model thinks first."),
    ),
    "unsure": (
        mark("Nobody knows the outcome"),
        mark("The worker ended during the call; it was asked again."),
    ),
}
"""English words of each way to fail, and what to do about it."""

ADAPTERS = {
    "openai": mark("Chat endpoint (OpenAI-compatible)"),
    "smollm": mark("Embedded language model"),
    "transformers": mark("Folder of weights (transformers)"),
    "vllm": mark("vLLM server that is started here"),
    "probe": mark("Text probe, without a model"),
    "onnx": mark("Detector (ONNX file)"),
    "ultralytics": mark("Detector (ultralytics)"),
    "depth-onnx": mark("Depth model (ONNX file)"),
    "depth-files": mark("Depth maps that lie as files"),
}
"""English words of what opens a model."""


def kind_word(kind: str) -> str:
    """Return the word for a kind of run."""
    return tr(KINDS.get(kind, display_text.plain(kind)))


def state_word(state: str) -> str:
    """Return the word for a state of a run."""
    return tr(STATES.get(state, display_text.plain(state)))


def state_tone(run: Run, progress: RunProgress) -> str:
    """Return the token that inks the state of a run: done is not well done where something failed."""
    return "warn" if run.state == "done" and progress.failed else STATE_TONES[run.state]


def verdict_word(kind: str) -> str:
    """Return the words for a kind of verdict."""
    return tr(VERDICTS.get(kind, display_text.plain(kind)))


def right_word(is_right: bool | None) -> str:
    """Return the word for an answer that meets the key, or does not; "" where that cannot be told."""
    if is_right is None:
        return ""
    return tr("✓ right") if is_right else tr("✗ wrong")


def failure_word(kind: str) -> str:
    """Return the words for a way to fail."""
    found = FAILURES.get(kind)
    return tr(found[0]) if found else display_text.plain(kind)


def failure_advice(kind: str) -> str:
    """Return what to do about a way to fail, "" where nothing is known."""
    found = FAILURES.get(kind)
    return tr(found[1]) if found else ""


def adapter_word(adapter: str) -> str:
    """Return the words for what opens a model."""
    return tr(ADAPTERS.get(adapter, display_text.plain(adapter)))


def title_of(run: Run) -> str:
    """Return what a run is called; the name that it was given, else its kind."""
    is_given = run.title and not run.title.startswith(f"{run.kind}: ")
    return run.title if is_given else kind_word(run.kind)


def money(micro: int) -> str:
    """Return a cost in the team's currency: "0.42", "12.00"; four digits below a hundredth."""
    value = micro / MICRO
    return f"{value:,.4f}" if 0 < value < 0.01 else f"{value:,.2f}"


def cost_words(run: Run, progress: RunProgress) -> str:
    """Return what a run cost of its limit: "0.42 of 5.00"; "free" where none of its models has a price."""
    if progress.limit_micro is None:
        is_free = not progress.spent_micro and not _is_priced(run)
        return tr("free") if is_free else money(progress.spent_micro)
    return tr("{spent} of {limit}", spent=money(progress.spent_micro), limit=money(progress.limit_micro))


def _is_priced(run: Run) -> bool:
    return any(profile.get("price_in") or profile.get("price_out") for profile in run.profiles.values())


def progress_words(progress: RunProgress) -> str:
    """Return how far a run is: "1,200 of 1,827"."""
    return tr("{done} of {total}", done=f"{ended(progress):,}", total=f"{progress.total:,}")


def pace_words(progress: RunProgress) -> str:
    """Return how fast a run goes and how long it will take: "12/s · 3 min left"; "" while nothing moves."""
    parts = []
    if progress.per_second:
        rate = f"{progress.per_second:,.0f}" if progress.per_second >= 10 else f"{progress.per_second:.1f}"
        parts.append(tr("{rate}/s", rate=rate))
    if progress.left_s:
        parts.append(tr("{time} left", time=describe_duration(progress.left_s)))
    return " · ".join(parts)


def error_words(progress: RunProgress) -> str:
    """Return what went wrong in a run: "3 failed · 12 tried again"; "" for nothing."""
    parts = []
    if progress.failed:
        parts.append(trn("{n} failed", "{n} failed", n=progress.failed))
    if progress.retried:
        parts.append(trn("{n} tried again", "{n} tried again", n=progress.retried))
    return " · ".join(parts)


def ended(progress: RunProgress) -> int:
    """Return how many jobs of a run are over, well or not."""
    return progress.done + progress.failed + progress.cancelled


def share(value: float) -> str:
    """Return a share of one in per cent, with a digit: 6.25 % is "6.3 %", as papers round it."""
    return f"{math.floor(1000 * value + 0.5) / 10:.1f} %"


def micro(text: str) -> int | None:
    """Return an amount that a person wrote as millionths, None for nothing written.

    Raises:
        ValueError: It is no amount.
    """
    told = text.strip().replace(",", "")
    if not told:
        return None
    amount = float(told)
    if not 0 <= amount < 1e12:
        raise ValueError(text)
    return round(amount * MICRO)
