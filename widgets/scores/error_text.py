"""Texts of the error browser: outcomes, error classes and replies."""

from __future__ import annotations

from annotator.domain.error_classes import ErrorClass
from annotator.domain.task_set import LocalizedText
from annotator.scoring.row_filter import Outcome, RowOrder
from annotator.scoring.scored_row import ScoredRow
from annotator.scoring.shown_flight import ShownFlight
from widgets import display_text
from widgets.message_text import message_text
from widgets.translation import language, mark, tr

LONGEST_REPLY = 200
"""Characters of a reply in a row of the list, which is never wider."""
OUTCOMES: dict[Outcome, str] = {
    "": mark("All outcomes"),
    "not_right": mark("Not right"),
    "wrong": mark("Wrong"),
    "unparsed": mark("No answer read"),
    "settled": mark("Settled by a person"),
    "read_by_model": mark("Read by a model"),
    "right": mark("Right"),
}
"""English titles of the outcomes, in the order in which a key goes through them."""
ORDERS: dict[RowOrder, str] = {
    "release": mark("Order of the release"),
    "model": mark("By model"),
    "task": mark("By task"),
    "score": mark("By score, lowest first"),
    "error_class": mark("By error class"),
}
"""English titles of the orders, in the order in which a key goes through them."""


def spoken(text: LocalizedText) -> str:
    """Return a text in the language of the window, in English where it has no other."""
    return text.zh if language() == "zh" and text.zh else text.en


def class_title(found: ErrorClass | None, name: str) -> str:
    """Return the title of an error class; its id as words where no set has it."""
    return spoken(found.title) if found is not None else display_text.plain(name)


def outcome_of(row: ScoredRow) -> tuple[str, str]:
    """Return in words what became of a prediction, and the tone of its chip."""
    if row.exact:
        return tr("Right (read by a model)") if row.read_by_model else tr("Right"), "good"
    if row.settled and not row.answer:
        return tr("No answer (settled)"), "warn"
    if not row.readable:
        return tr("No answer read"), "warn"
    return tr("Wrong (read by a model)") if row.read_by_model else tr("Wrong"), "bad"


def short_reply(row: ScoredRow) -> str:
    """Return the answer of a row, or the beginning of a reply that no answer can be read from."""
    return row.answer or " ".join(row.text[:LONGEST_REPLY].split()) or "–"


def model_title(name: str) -> str:
    """Return the name of a model."""
    return name or tr("Unnamed model")


def score_text(score: float) -> str:
    """Return a score in percent."""
    return f"{100 * score:.0f}"


def flight_lines(flight: ShownFlight) -> list[str]:
    """Return the measures of a flight, one in each line."""
    score = flight.score
    if score.reason:
        return [message_text(score.reason)]
    rows = [tr("NE: the flight ends {n} m from the goal.", n=f"{score.ne_m or 0.0:.2f}")]
    radius = f"{flight.radius_m:g}"
    rows.append(
        tr("SR: success, the rule of the task is met (within {n} m).", n=radius)
        if score.is_success
        else tr("SR: no success, the rule of the task is not met (within {n} m).", n=radius)
    )
    if score.is_near is not None:
        rows.append(
            tr("OSR: the flight came near the goal.")
            if score.is_near
            else tr("OSR: the flight never came near the goal.")
        )
    rows.append(
        tr("nDTW: {n} %", n=f"{100 * score.ndtw:.1f}") if score.ndtw is not None else tr("nDTW: not defined")
    )
    if flight.compared:
        ends = flight.compared_positions[-1][2], flight.recorded[-1][2]
        rows.append(
            tr(
                "Height at the end: {own} m, recorded {recorded} m",
                own=f"{ends[0]:.2f}",
                recorded=f"{ends[1]:.2f}",
            )
        )
        rows.append(
            tr(
                "Compared: {n} of {total} places; recorded: {recorded}",
                n=flight.compared,
                total=len(flight.flown),
                recorded=len(flight.recorded),
            )
        )
    return rows
