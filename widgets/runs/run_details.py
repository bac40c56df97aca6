"""The details of a run: request settings, models, progress and cost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.work import RunCost
from annotator.quality.policy import read_policy
from widgets import display_text, run_text
from widgets.library.record_form import RecordForm
from widgets.message_text import message_text
from widgets.runs.profile_form import profile_texts
from widgets.runs.run_status import RunRow
from widgets.translation import join_texts, tr
from widgets.translation import mark as _

SETTINGS = {
    "task_sets": _("Task sets"),
    "tasks": _("Tasks"),
    "states": _("States"),
    "formats": _("Answers"),
    "task_set": _("Task set"),
    "most_scenes": _("Maximum scenes"),
    "datasets": _("Datasets"),
    "frames": _("Maximum frames per video"),
    "rotations": _("Rotations"),
    "samples": _("Shuffles"),
    "seed": _("Seed"),
    "rendering": _("Rendering"),
    "policy": _("Policy"),
    "outcome": _("Outcome"),
}
"""English titles of the displayed settings; the others are only stored."""


RENDERINGS = {"clean": _("Clean"), "detected": _("Detected"), "annotated": _("Annotated")}
"""English titles of the overlays that are drawn into images."""

OUTCOMES = {
    "author": _("Return to the author"),
    "filtered": _("Filtered"),
    "none": _("No action"),
}
"""English texts of the actions for guessed items."""


STATE_ROLES = {"good": "good", "warn": "warn", "bad": "bad"}


class RunDetails(RecordForm):
    """Shows the details of a run."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Details of the run"))
        self._shown: RunRow | None = None
        self._cost = RunCost()

    def show_row(self, row: RunRow) -> None:
        """Show the current state of a run."""
        if row == self._shown:
            return
        before, self._shown = self._shown, row
        if before is None or before.run.id != row.run.id:
            self._cost = RunCost()
        self._fill(row)
        if before is not None and before.run.id != row.run.id:
            self.verticalScrollBar().setValue(0)

    def show_cost(self, cost: RunCost) -> None:
        """Show what the cost of the run consists of."""
        if self._shown is not None and cost != self._cost:
            self._cost = cost
            self._fill(self._shown)

    def _fill(self, row: RunRow) -> None:
        # Filled once a second while a run is in progress: new widgets would take the GUI thread 10 ms.
        self.begin()
        self.add_fields(_progress(row, cost=self._cost))
        if fields := settings_fields(row.run.settings):
            self.add_heading(tr("Settings"))
            self.add_fields(fields)
        for name, profile in row.run.profiles.items():
            self.add_heading(tr("Model {name}", name=name))
            for text in profile_texts(msgspec.convert(profile, ModelProfile)):
                self.add_text(text)
        self.end()


def settings_fields(settings: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the settings of a run as texts."""
    fields = []
    if items := settings.get("items"):
        fields.append((tr("Items"), tr("{n} selected", n=f"{len(items):,}"), "body"))
    given = settings.get("given") or {}
    if release := given.get("release"):
        fields.append((tr("Release"), str(release)[:12], "body"))
    for name, title in SETTINGS.items():
        value = settings.get(name)
        if value or (name == "rotations" and value == 0):
            fields.append((tr(title), _value(name, value), "body"))
    return fields


def _value(name: str, value: Any) -> str:  # noqa: ANN401 - a JSON value
    if name == "rotations" and value == 0:
        return tr("all")
    if name == "policy":
        return message_text(read_policy(str(value)).title)
    if name == "outcome":
        return tr(OUTCOMES.get(value, str(value)))
    text_functions: dict[str, Callable[[str], str]] = {
        "task_sets": display_text.task_set_title,
        "task_set": display_text.task_set_title,
        "tasks": partial(display_text.task_label, shared=()),
        "states": display_text.item_state_title,
        "formats": display_text.format_title,
        "rendering": lambda code: tr(RENDERINGS.get(code, code)),
    }
    speak = text_functions.get(name, str)
    return join_texts(speak(one) for one in value) if isinstance(value, list | tuple) else speak(str(value))


def _progress(row: RunRow, *, cost: RunCost) -> list[tuple[str, str, str]]:
    run, progress = row.run, row.progress
    return [
        (
            tr("State"),
            run_text.condition_text(row.condition),
            STATE_ROLES.get(run_text.CONDITION_TONES[row.condition], "body"),
        ),
        (tr("Reason"), message_text(run.message), "warn" if run.state == "stopped" else "body"),
        (tr("Kind"), run_text.run_kind_title(run.kind), "body"),
        (tr("Models"), join_texts(run.models), "body"),
        (tr("Answered"), run_text.progress_text(progress), "body"),
        (tr("Discarded"), f"{progress.cancelled:,}" if progress.cancelled else "", "body"),
        (tr("Speed"), run_text.rate_text(progress) if row.condition == "running" else "", "body"),
        (tr("From earlier runs"), f"{progress.cached:,}" if progress.cached else "", "body"),
        (tr("In progress"), f"{progress.in_flight:,}" if progress.in_flight else "", "body"),
        (tr("Errors"), run_text.error_count_text(progress), "bad" if progress.failed else "body"),
        (tr("Cost"), run_text.cost_text(run, progress), "body"),
        *_cost_fields(cost),
        (tr("Reserved"), run_text.money(progress.reserved_micro) if progress.reserved_micro else "", "body"),
        (tr("Started"), moment_text(run.created_at), "body"),
        (tr("Ended"), moment_text(run.ended_at), "body"),
        (tr("Duration"), run_text.duration_text(run), "body"),
    ]


def _cost_fields(cost: RunCost) -> list[tuple[str, str, str]]:
    """Return what is known of the cost and what is a maximum; nothing if all of it is known."""
    if not cost.has_maximum:
        return []
    fields = [(tr("– answers"), run_text.money(cost.counted_micro), "body")]
    if cost.uncounted_micro:
        text = tr("at most {cost}", cost=run_text.money(cost.uncounted_micro))
        fields.append((tr("– answers without token counts"), text, "body"))
    if cost.lost_micro:
        text = tr(
            "{cost}: calls without a readable answer, at their maximum cost, since the server may have "
            "charged them",
            cost=run_text.money(cost.lost_micro),
        )
        fields.append((tr("– lost calls"), text, "body"))
    return fields


def moment_text(iso: str) -> str:
    """Return a moment in local time, "" for none."""
    return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M:%S") if iso else ""
