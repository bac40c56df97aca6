"""Texts for kinds and states of runs, predictions, failures with advice, and amounts of money."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from annotator.domain.failure_titles import FAILURE_TITLES
from annotator.domain.input_variants import AnyVariant, FrameCount, FrameOrder, ImageSize
from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile
from annotator.domain.run import MICRO, Prediction, Run
from annotator.domain.run_condition import (
    CONDITION_TITLES,
    KIND_TITLES,
    RunCondition,
    duration_s,
    given_title,
    models_without_price,
)
from annotator.domain.study import variants_of
from annotator.domain.work import RunProgress
from widgets import display_text
from widgets.task import describe_duration
from widgets.translation import join_texts, mark, tr, trn

CONDITION_TONES: dict[RunCondition, str] = {
    "unconfirmed": "warn",
    "waiting": "warn",
    "running": "accent",
    "paused": "text_dim",
    "limited": "warn",
    "stopped": "warn",
    "failed": "bad",
    "partly_failed": "warn",
    "cancelled": "text_dim",
    "done": "good",
    "received": "text_dim",
}
"""Colour token of each condition."""

FRAME_ORDERS: dict[str, str] = {
    "forward": mark("in order"),
    "reversed": mark("reversed"),
    "shuffled": mark("shuffled"),
}
"""English texts of the orders in which frames are sent."""

INPUT_PARTS: dict[str, str] = {
    "view 1 alone": mark("view 1 alone"),
    "view 2 alone": mark("view 2 alone"),
    "view 3 alone": mark("view 3 alone"),
    "view 4 alone": mark("view 4 alone"),
    "view 5 alone": mark("view 5 alone"),
    "view 6 alone": mark("view 6 alone"),
    "first frame alone": mark("first frame alone"),
    "middle frame alone": mark("middle frame alone"),
    "last frame alone": mark("last frame alone"),
    "no overlay": mark("images without regions"),
    "named regions blanked": mark("named regions blanked"),
    "images of another scene": mark("images of another scene"),
    "images of another scene (2)": mark("images of another scene (2)"),
    "images of another scene (3)": mark("images of another scene (3)"),
    "frames reversed": mark("frames reversed"),
    "frames shuffled": mark("frames shuffled"),
}
"""English texts of inputs with a part taken away, by the titles of the variants."""

KIND_LABELS = {
    "answer": mark("Answered"),
    "unparsed": mark("Unreadable"),
    "empty": mark("Empty"),
    "error": mark("Error"),
    "waiting": mark("Not answered yet"),
    "unasked": mark("Not answered yet"),
    "outdated": mark("Outdated"),
}
"""English titles of the kinds of predictions, and of jobs without one."""

FAILURE_ADVICE = {
    "rate": mark(
        "The request is retried automatically. To send fewer requests, reduce Models ▸ Requests per minute."
    ),
    "timeout": mark(
        "The request is retried automatically. Increase the timeout or reduce the concurrent "
        "calls in the model profile."
    ),
    "server": mark("The request is retried automatically. Read the log of the server."),
    "connection": mark(
        "Check that the server is running and that the URL in the model profile is correct, then "
        "resume the run or retry the failed jobs."
    ),
    "refused": mark(
        "The server rejects this request. Read its message, change the model profile and start a new run."
    ),
    "key": mark("Replace the API key, then resume the run or retry the failed jobs."),
    "cut": mark("The request is retried automatically. If the error persists, retry the failed jobs."),
    "format": mark("The URL may not be a chat endpoint. Test the model under Models."),
    "too_large": mark("Reduce the maximum answer tokens in the model profile."),
    "redirect": mark("In the model profile, enter the URL that the server returned."),
    "model": mark("Read the message, fix the cause, then retry the failed jobs."),
    "disk": mark("Check that the disks of the project and of its media are connected, then resume the run."),
    "cluster": mark(
        "The request is retried automatically. Check that the scheduler of the cluster is running."
    ),
    "material": mark("Locate the media files in the Library, then retry the failed jobs."),
    "unparsed": mark(
        "The result counts as unknown, not as wrong. If the reply was cut off, increase the "
        "maximum answer tokens."
    ),
    "empty": mark(
        "The result counts as unknown, not as wrong. If the model reasons before it answers, "
        "increase the maximum answer tokens."
    ),
    "unsure": mark("The worker stopped during the call. The request is sent again."),
}
"""English advice for each kind of failure."""

BOX_UNITS = {
    "": mark("As the model family"),
    "pixels": mark("Pixels of the image as sent"),
    "thousandths": mark("Thousandths, x first"),
    "thousandths-yx": mark("Thousandths, y first"),
    "fractions": mark("Fractions, 0 to 1"),
    "fractions-square": mark("Fractions of the padded square"),
}
"""English titles of the units in which a model names boxes."""

ADAPTERS = {
    "openai": mark("Chat endpoint (OpenAI-compatible)"),
    "smollm": mark("Embedded language model"),
    "transformers": mark("Weights folder (transformers)"),
    "vllm": mark("Local vLLM server, started by Vantage"),
    "probe": mark("Text probe (no model)"),
    "onnx": mark("Detector (ONNX file)"),
    "ultralytics": mark("Detector (ultralytics)"),
    "depth-onnx": mark("Depth model (ONNX file)"),
    "depth-files": mark("Depth map files"),
    "sam-onnx": mark("Segmenter (two ONNX files)"),
}
"""English titles of the adapters."""


def run_kind_title(kind: str) -> str:
    """Return the title of a kind of run."""
    return tr(KIND_TITLES.get(kind, display_text.plain(kind)))


def condition_text(condition: RunCondition) -> str:
    """Return the text for a run's condition."""
    return tr(CONDITION_TITLES[condition])


def kind_label(kind: str) -> str:
    """Return the title of a kind of prediction."""
    return tr(KIND_LABELS.get(kind, display_text.plain(kind)))


def answer_text(item: Item | None, prediction: Prediction | None) -> str:
    """Return the answer to an item as text; for generated records only their number."""
    if prediction is None or item is not None:
        return prediction.answer if prediction is not None else ""
    try:
        made = msgspec.json.decode(prediction.answer or "null")
    except msgspec.DecodeError:
        return prediction.answer
    count = _size(made)
    return trn("{n} result", "{n} results", n=count) if count is not None else ""


def _size(made: object) -> int | None:
    if isinstance(made, list):
        return len(made)
    lists = [value for value in made.values() if isinstance(value, list)] if isinstance(made, dict) else []
    return max((len(one) for one in lists), default=None)


def correctness_text(is_right: bool | None) -> str:
    """Return the text for a right or a wrong prediction; "" if its correctness is undefined."""
    if is_right is None:
        return ""
    return tr("✓ right") if is_right else tr("✗ wrong")


def failure_kind_title(kind: str) -> str:
    """Return the title of a kind of failure."""
    return tr(FAILURE_TITLES.get(kind, display_text.plain(kind)))


def failure_advice(kind: str) -> str:
    """Return the recommended action for a kind of failure, "" if there is none."""
    found = FAILURE_ADVICE.get(kind)
    return tr(found) if found else ""


def box_unit_title(unit: str) -> str:
    """Return the title of a unit of boxes."""
    return tr(BOX_UNITS.get(unit, display_text.plain(unit)))


def adapter_title(adapter: str) -> str:
    """Return the title of an adapter."""
    return tr(ADAPTERS.get(adapter, display_text.plain(adapter)))


def title_of(run: Run) -> str:
    """Return the title of a run: its given name, else its kind and number; those from elsewhere say so."""
    title = given_title(run) or f"{run_kind_title(run.kind)} {run.number}"
    title = " · ".join([title, *map(image_variant_text, variants_of(run))])
    return tr("{title} (from elsewhere)", title=title) if run.state == "received" else title


def image_variant_text(variant: AnyVariant) -> str:
    """Return what is different in the images of a run: "448 px", "8 frames", "frames reversed"."""
    if isinstance(variant, ImageSize):
        return tr("{n} px", n=variant.longest_px) if variant.longest_px else tr("full size")
    if isinstance(variant, FrameCount):
        return trn("{n} frame", "{n} frames", n=variant.frames)
    if isinstance(variant, FrameOrder):
        return tr("frames {order}", order=frame_order_title(variant.order))
    return input_part_title(variant.title)


def input_part_title(title: str) -> str:
    """Return the text of an input with a part taken away, of the whole input for ""."""
    return tr(INPUT_PARTS.get(title, title)) if title else tr("whole input")


def frame_order_title(order: str) -> str:
    """Return the text of an order of frames."""
    return tr(FRAME_ORDERS.get(order, order))


def money(micro: int) -> str:
    """Return an amount in the team's currency: "0.42", "12.00"; four decimals below 0.01."""
    value = micro / MICRO
    return f"{value:,.4f}" if 0 < value < 0.01 else f"{value:,.2f}"


def cost_text(run: Run, progress: RunProgress) -> str:
    """Return the cost of a run: "0.42 of 5.00", "free", "unknown price" or "0.42 + unknown price"."""
    if not models_without_price(run):
        return _spent_text(run, progress)
    is_counted = progress.spent_micro or progress.limit_micro is not None or _is_priced(run)
    return " + ".join([*([_spent_text(run, progress)] if is_counted else []), tr("unknown price")])


def _spent_text(run: Run, progress: RunProgress) -> str:
    spent = money(progress.spent_micro)
    if progress.limit_micro is not None:
        return tr("{spent} of {limit}", spent=spent, limit=money(progress.limit_micro))
    return spent if progress.spent_micro or _is_priced(run) else tr("free")


def _is_priced(run: Run) -> bool:
    return any(profile.get("price_in") or profile.get("price_out") for profile in run.profiles.values())


def price_text(profile: ModelProfile) -> str:
    """Return whether requests to a model have a cost."""
    if profile.is_priced:
        return tr("priced")
    return tr("unknown price") if profile.has_unknown_price else tr("free")


def price_warning(models: Iterable[str]) -> str:
    """Return a warning that no limit covers models without a price, "" for no such models."""
    names = join_texts(models)
    if not names:
        return ""
    return tr(
        "The price of {models} is unknown, and cost limits do not cover it. Enter it under Models; "
        "0 is free.",
        models=names,
    )


def progress_text(progress: RunProgress) -> str:
    """Return the number of completed jobs: "1,200 of 1,827"."""
    return tr("{done} of {total}", done=f"{progress.done:,}", total=f"{progress.total:,}")


def duration_text(run: Run) -> str:
    """Return the duration of a run so far: "3 min"."""
    return describe_duration(duration_s(run, now=time.time()))


def condition_role(condition: RunCondition) -> str:
    """Return the label role for a run's condition."""
    tone = CONDITION_TONES[condition]
    return tone if tone in {"good", "warn", "bad"} else "dim"


def summary_text(conditions: Sequence[RunCondition]) -> str:
    """Return a summary of several runs, "" for none: "3 runs: Running 2, Paused 1"."""
    if not conditions:
        return ""
    counts = Counter(conditions)
    states = [
        condition_text(one) if len(conditions) == 1 else f"{condition_text(one)} {count:,}"
        for one, count in counts.items()
    ]
    return trn("{n} run: {states}", "{n} runs: {states}", n=len(conditions), states=join_texts(states))


def status_text(run: Run, condition: RunCondition, progress: RunProgress) -> str:
    """Return title, condition and progress of a run on one line: "Blind filter 3 · Running · 109 of 552"."""
    return " · ".join((title_of(run), condition_text(condition), progress_text(progress)))


def rate_text(progress: RunProgress) -> str:
    """Return throughput and remaining time: "12/s · 3 min left"; "" without throughput."""
    parts = []
    if progress.per_second:
        rate = f"{progress.per_second:,.0f}" if progress.per_second >= 10 else f"{progress.per_second:.1f}"
        parts.append(tr("{rate}/s", rate=rate))
    if progress.left_s:
        parts.append(tr("{time} left", time=describe_duration(progress.left_s)))
    return " · ".join(parts)


def error_count_text(progress: RunProgress) -> str:
    """Return the number of failures and retries: "3 failed · 12 retried · 1 to retry"; "" for none."""
    parts = []
    if progress.failed:
        parts.append(trn("{n} failed", "{n} failed", n=progress.failed))
    if progress.retried:
        parts.append(trn("{n} retried", "{n} retried", n=progress.retried))
    if progress.to_retry:
        parts.append(trn("{n} to retry", "{n} to retry", n=progress.to_retry))
    return " · ".join(parts)


def share(value: float) -> str:
    """Return a fraction in per cent with one decimal, rounded half up: 6.25 % is "6.3 %"."""
    # format() rounds half to even, and would turn 6.25 into 6.2.
    return f"{math.floor(1000 * value + 0.5) / 10:.1f} %"


def micro(text: str) -> int | None:
    """Return a typed amount in millionths, None for an empty text.

    Raises:
        ValueError: The text is not an amount. Ask for a number.
    """
    # Commas are thousands separators, as in the displayed amounts.
    number_text = text.strip().replace(",", "")
    if not number_text:
        return None
    amount = float(number_text)
    # Also rejects 'nan' and 'inf', which float() accepts.
    if not 0 <= amount < 1e12:
        raise ValueError(text)
    return round(amount * MICRO)
