"""The steps of the event-level form that concern the whole label: propose, copy, confirm and finish."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QPushButton

from annotator.commands.event_label_steps import ConfirmCopied, CopyAnswers, FinishLabel, ProposeAnswers
from annotator.commands.event_labels import LabelEdit
from widgets.annotate.event_form_data import FormData
from widgets.translation import tr


def step_buttons() -> dict[str, QPushButton]:
    """Create the button of each step, by its name."""
    return {
        "propose": QPushButton(tr("Propose answers (R)")),
        "previous": QPushButton(tr("Copy previous (P)")),
        "other": QPushButton(tr("Copy other view (V)")),
        "confirm": QPushButton(tr("Confirm answers (K)")),
        "finish": QPushButton(tr("Finish label (Ctrl+Enter)")),
    }


def show_steps(buttons: Mapping[str, QPushButton], data: FormData | None) -> None:
    """Show the buttons of the steps that are possible, and enable those that would do something now."""
    buttons["propose"].setVisible(data is not None)
    buttons["propose"].setEnabled(data is not None and data.has_open_fields)
    buttons["previous"].setVisible(bool(data and data.previous))
    buttons["other"].setVisible(bool(data and data.other))
    buttons["confirm"].setVisible(bool(data and data.label.copied))
    is_open = data is not None and data.label.state != "finished"
    buttons["finish"].setEnabled(is_open and not (data and data.problems))


def step_edit(data: FormData, name: str) -> LabelEdit | None:
    """Return the edit that a step makes, None where there is nothing to do.

    Args:
        data: The form; to finish it, its problems must be corrected.
        name: The name of the step's button.
    """
    source = {"previous": data.previous, "other": data.other}.get(name, "")
    if source:
        return CopyAnswers(**data.target, source=source)
    if name == "propose" and data.has_open_fields:
        return ProposeAnswers(**data.target, source=data.previous or data.other)
    if name == "confirm" and data.label.copied:
        return ConfirmCopied(**data.target, fields=())
    if name == "finish" and data.label.state != "finished":
        return FinishLabel(**data.target)
    return None
