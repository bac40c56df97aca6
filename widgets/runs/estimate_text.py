"""What a run is going to ask and to cost, in words, before it begins."""

from __future__ import annotations

from annotator.domain.eval_settings import ExclusionReason
from annotator.domain.work import Estimate, RunOrder
from widgets.runs import run_text
from widgets.translation import language, mark, tr, trn

LEFT_OUT: dict[str, str] = {
    ExclusionReason.WORDS: mark("free text answers, which cannot be compared reliably by a program"),
    ExclusionReason.FORMAT: mark("an unknown answer format"),
    ExclusionReason.NO_KEY: mark("no answer key"),
    ExclusionReason.BAD_KEY: mark("an answer key that does not match the answer format"),
    ExclusionReason.NO_OPTIONS: mark("no options as text, which these models require"),
    ExclusionReason.GONE: mark("no longer in the project"),
}
"""English words of each reason why a record that was chosen is not asked about."""


def estimate_words(found: Estimate, *, order: RunOrder) -> str:
    """Return what a run will ask and cost, and what stands in its way."""
    left_out = _left_out(found)
    if not found.jobs:
        nothing = tr("There is nothing to ask: none of the records chosen is one for this kind of run.")
        return f"{nothing} {left_out}".strip()
    parts = [_requests(found)]
    if left_out:
        parts.append(left_out)
    if found.cached:
        parts.append(tr("{n} more were answered before and are not asked again.", n=f"{found.cached:,}"))
    if not found.worst_micro:
        parts.append(tr("It costs nothing."))
    else:
        parts.append(tr("It costs at most {cost}.", cost=run_text.money(found.worst_micro)))
    if order.limit_micro is not None and found.worst_micro > order.limit_micro:
        limit = run_text.money(order.limit_micro)
        parts.append(tr("At the limit of {limit} it stops, and can go on later.", limit=limit))
    if order.kind == "consensus" and len(order.models) == 1:
        parts.append(tr("One model alone can only be seen to change its mind: choose two or more."))
    return " ".join(parts)


def _left_out(found: Estimate) -> str:
    """Return how many of the records chosen are not asked about, and why; "" for none."""
    count = sum(found.left_out.values())
    if not count:
        return ""
    reasons = [(number, tr(LEFT_OUT.get(reason, reason))) for reason, number in found.left_out.items()]
    told = [f"{words} ({number:,})" if number < count else words for number, words in reasons]
    return tr(
        "{asked} asked, {n} left out: {reasons}.",
        asked=f"{found.targets:,}",
        n=f"{count:,}",
        reasons=("、" if language() == "zh" else ", ").join(told),
    )


def _requests(found: Estimate) -> str:
    return tr(
        "{requests} about {records}: {models}.",
        requests=trn("{n} request", "{n} requests", n=found.jobs - found.cached),
        records=trn("{n} record", "{n} records", n=found.targets),
        models=", ".join(f"{name} {count:,}" for name, count in found.by_model.items()),
    )
