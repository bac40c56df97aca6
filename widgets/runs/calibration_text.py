"""What the calibrated policy states about a set, in sentences."""

from __future__ import annotations

from annotator.quality.blind import BlindReport
from annotator.quality.calibrated.decisions import CalibrationReport
from widgets.translation import tr

UNEVEN_LETTERS = 0.01
"""p-value below which letters of answer keys are called uneven, as where models are left out for them."""


def calibration_text(report: BlindReport) -> str:
    """Return the decisions of the calibrated policy with its bound and its basis."""
    calibration = report.calibration
    sentences = [
        tr(
            "{items} items: {guessed} guessed, {kept} kept, {undecided} undecided.",
            items=f"{report.items:,}",
            guessed=f"{report.guessed:,}",
            kept=f"{report.kept:,}",
            undecided=f"{report.undecided:,}",
        )
    ]
    if calibration is not None:
        sentences += [_bound_text(calibration), *_basis_texts(calibration)]
    return " ".join(sentences)


def _bound_text(calibration: CalibrationReport) -> str:
    point = calibration.point
    if calibration.threshold is None:
        return tr("The set is too small for a threshold that keeps this loss.")
    if calibration.rule == "largest":
        return tr(
            "Too few good items are left to tell how many are among those found by text; the threshold is "
            "not below any of their wrong options."
        )
    if not point.is_bounded:
        return tr(
            "Good items among those found by text: {expected} expected, without a bound.",
            expected=f"{point.expected:.1f}",
        )
    bound = tr(
        "Good items among those found by text: {expected} expected, at most {bound} with 95 % confidence. At "
        "least {beyond} have a shortcut.",
        expected=f"{point.expected:.1f}",
        bound=f"{point.bound:,}",
        beyond=f"{point.beyond:,}",
    )
    if calibration.rule == "expected":
        return f"{bound} " + tr("Too few good items are left: the permitted loss holds only on average.")
    return bound


def _basis_texts(calibration: CalibrationReport) -> list[str]:
    found = []
    if not calibration.is_learnt:
        found.append(
            tr(
                "The set is too small to learn from: the weights come with Vantage. They find fewer items "
                "than learnt ones, and the permitted loss is not guaranteed."
            )
        )
    if calibration.unused_models:
        found.append(
            tr(
                "Not used, because the answer keys were not shown evenly under all letters: answers of "
                "{models}. Ask in every rotation.",
                models=", ".join(calibration.unused_models),
            )
        )
    if calibration.pool_leaks:
        found.append(
            tr(
                "Pool leaks, items whose wrong options are never right elsewhere: {n}.",
                n=f"{calibration.pool_leaks:,}",
            )
        )
    if calibration.letter_p_value is not None and calibration.letter_p_value < UNEVEN_LETTERS:
        found.append(
            tr(
                "The letters of the answer keys are uneven (p = {p}). Rebalance letters in the Library "
                "repairs them; they remove no item.",
                p=f"{calibration.letter_p_value:.2g}",
            )
        )
    return found
