"""Texts about the basis of an outcome: the number of models with predictions and their accuracy."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.quality.accuracy import Accuracy
from annotator.quality.decision_basis import MISSING_TEXTS, DecisionBasis
from widgets import run_text
from widgets.message_text import message_text
from widgets.report_dialog import ReportSection
from widgets.translation import join_texts, tr, trn


def basis_sentences(
    accuracy: Accuracy | None, bases: Sequence[DecisionBasis], *, fewest: int = 1
) -> list[str]:
    """Return the accuracy of a run, and how many decisions rest on fewer models than were asked.

    Args:
        accuracy: Accuracy over all predictions, None if there are none.
        bases: The basis of each decision.
        fewest: Minimum number of models that a decision about an item requires.
    """
    sentences = []
    if accuracy is not None:
        sentences.append(
            tr(
                "Accuracy: {share} of {known} answers (95 % Wilson interval {interval}, items as clusters).",
                share=run_text.share(accuracy.share),
                known=f"{accuracy.known:,}",
                interval=interval_text(accuracy),
            )
        )
    said = [basis for basis in bases if not basis.is_complete or basis.answered < fewest]
    return [*sentences, *(_sentence(basis, fewest=fewest) for basis in said)]


def interval_text(accuracy: Accuracy | None) -> str:
    """Return the ends of an interval as text: "35.1 – 48.6 %"."""
    if accuracy is None:
        return "–"
    return f"{run_text.share(accuracy.low).removesuffix(' %')} – {run_text.share(accuracy.high)}"


def basis_section(bases: Sequence[DecisionBasis]) -> ReportSection:
    """Return the table with the number of models behind the decisions."""
    return ReportSection(
        title=tr("Basis of the decisions"),
        columns=(tr("Items"), tr("Models that answered"), tr("Why others did not")),
        rows=tuple(
            (
                f"{basis.items:,}",
                tr("{n} of {total}", n=basis.answered, total=basis.asked),
                _reasons(basis) or "–",
            )
            for basis in bases
        ),
    )


def accuracy_section(models: Sequence[tuple[str, Accuracy | None]]) -> ReportSection:
    """Return the table of the accuracy by model."""
    return ReportSection(
        title=tr("By model"),
        columns=(tr("Model"), tr("Right"), tr("95 % interval (Wilson)")),
        rows=tuple(
            (name, "–" if one is None else run_text.share(one.share), interval_text(one))
            for name, one in models
        ),
    )


def _sentence(basis: DecisionBasis, *, fewest: int) -> str:
    if basis.answered < fewest and basis.is_complete:
        return trn(
            "{n} item not judged: it needs answers of at least {fewest} models, and {asked} was asked.",
            "{n} items not judged: each needs answers of at least {fewest} models, and {asked} was asked.",
            n=basis.items,
            fewest=fewest,
            asked=basis.asked,
        )
    if basis.answered < fewest:
        return trn(
            "{n} item not judged, {answered} of {asked} models answered: {reasons}.",
            "{n} items not judged, {answered} of {asked} models answered: {reasons}.",
            n=basis.items,
            answered=basis.answered,
            asked=basis.asked,
            reasons=_reasons(basis),
        )
    return trn(
        "{n} item decided by {answered} of {asked} models: {reasons}.",
        "{n} items decided by {answered} of {asked} models: {reasons}.",
        n=basis.items,
        answered=basis.answered,
        asked=basis.asked,
        reasons=_reasons(basis),
    )


def _reasons(basis: DecisionBasis) -> str:
    return join_texts(message_text(MISSING_TEXTS[kind]) for kind in basis.missing)
