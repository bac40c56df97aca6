"""Texts about the estimated number of requests and the estimated cost of a new run."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.eval_settings import ExclusionReason
from annotator.domain.work import Estimate, RunOrder
from widgets import run_text
from widgets.translation import join_texts, mark, tr, trn

LEFT_OUT: dict[str, str] = {
    ExclusionReason.WORDS: mark("free-text answers, which cannot be compared automatically"),
    ExclusionReason.FORMAT: mark("unknown answer format"),
    ExclusionReason.NO_KEY: mark("no answer key"),
    ExclusionReason.BAD_KEY: mark("the answer key does not match the answer format"),
    ExclusionReason.NO_OPTIONS: mark("no text options, which these models require"),
    ExclusionReason.NO_IMAGE: mark("the release has no image of one of their media"),
    ExclusionReason.NO_VIEW: mark("no such view, or no other views beside it"),
    ExclusionReason.NO_VIDEO: mark("no video"),
    ExclusionReason.NO_OVERLAY: mark("no regions drawn into their images"),
    ExclusionReason.NO_REGION: mark("no region named in the question"),
    ExclusionReason.NO_OTHER_SCENE: mark("no other scene with as many images of the same kinds"),
    ExclusionReason.GONE: mark("no longer in the project"),
}
"""English texts of the reasons why a selected record is skipped."""


def estimate_text(found: Estimate, *, order: RunOrder, unpriced: Sequence[str] = (), runs: int = 1) -> str:
    """Return the requests and cost of a run, and the reasons why it cannot start.

    Args:
        found: The estimate.
        order: The run.
        unpriced: Models that may have a cost but no price in their profile.
        runs: Number of runs that are started together.
    """
    left_out = _left_out(found)
    if not found.jobs:
        nothing = tr("There are no requests: none of the selected records is suitable for this kind of run.")
        return f"{nothing} {left_out}".strip()
    parts = [_requests(found)]
    if runs > 1:
        parts.insert(0, tr("{n} runs, one per model and input variant:", n=f"{runs:,}"))
    if left_out:
        parts.append(left_out)
    if found.cached:
        parts.append(
            tr("{n} more have answers from earlier runs and are not sent again.", n=f"{found.cached:,}")
        )
    parts.append(_cost(found, unpriced=unpriced))
    if order.limit_micro is not None and runs > 1:
        limit = run_text.money(order.limit_micro)
        parts.append(tr("Each of the runs stops at the limit of {limit}.", limit=limit))
    elif order.limit_micro is not None and found.worst_micro > order.limit_micro:
        limit = run_text.money(order.limit_micro)
        parts.append(tr("The run stops at the limit of {limit} and can be resumed later.", limit=limit))
    if order.kind == "consensus" and len(order.models) == 1:
        parts.append(
            tr(
                "A single model only shows whether its answers change with the option order. Select two "
                "or more models."
            )
        )
    return " ".join(parts)


def _cost(found: Estimate, *, unpriced: Sequence[str]) -> str:
    cost = run_text.money(found.worst_micro)
    if not unpriced:
        return tr("The run costs at most {cost}.", cost=cost) if found.worst_micro else tr("The run is free.")
    warning = run_text.price_warning(unpriced)
    if not found.worst_micro:
        return warning
    return f"{tr('The priced models cost at most {cost}.', cost=cost)} {warning}"


def _left_out(found: Estimate) -> str:
    """Return how many of the selected records are skipped, and why; "" for none."""
    count = sum(found.left_out.values())
    if not count:
        return ""
    reasons = [(number, tr(LEFT_OUT.get(reason, reason))) for reason, number in found.left_out.items()]
    # A single reason has no count of its own: it would repeat the total.
    texts = [f"{text} ({number:,})" if number < count else text for number, text in reasons]
    return tr(
        "{asked} included, {n} skipped: {reasons}.",
        asked=f"{found.targets:,}",
        n=f"{count:,}",
        reasons=join_texts(texts),
    )


def _requests(found: Estimate) -> str:
    return tr(
        "{requests} for {records}: {models}.",
        requests=trn("{n} request", "{n} requests", n=found.jobs - found.cached),
        records=trn("{n} record", "{n} records", n=found.targets),
        models=join_texts(f"{name} {count:,}" for name, count in found.by_model.items()),
    )
