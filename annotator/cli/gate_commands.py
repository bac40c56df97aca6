"""The command ``gates``: what must hold before a release, and what is waived."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.cli.pipeline_commands import release_states, states_option
from annotator.cli.project_group import ProjectGroup
from annotator.commands.release_gates import RequireGates, WaiveGate, WithdrawWaiver
from annotator.domain.query import ItemQuery
from annotator.domain.release_gate import DEFAULT_REQUIRED
from annotator.errors import UserError
from annotator.release.gates import REQUIRABLE, GateReport, gate_text
from annotator.release_examination.outlook import look_ahead
from annotator.session import Session

STATE_TEXTS = {"holds": "holds", "fails": "fails", "waived": "waived", "not_applicable": "not applicable"}


@click.group(cls=ProjectGroup, name="gates")
@project_argument
@click.pass_context
def gates(context: click.Context, project: Path) -> None:
    """Show what must hold before a release of PROJECT, with numbers, and set the rules.

    Without a subcommand, the gates are listed. Each subcommand accepts --json.
    """
    context.obj = project


@gates.command(name="list")
@states_option
@click.option("--include-flagged", is_flag=True, help="As a release that includes items with errors.")
@json_option
@click.pass_obj
def list_gates(project: Path, /, *, named: tuple[str, ...], include_flagged: bool, console: Console) -> int:
    """List the gates for the items that a release takes; ends with 1 while a required gate fails."""
    with read_session(project) as session:
        reports = _examine(session, named, include_flagged=include_flagged, console=console)
    rows = [
        (
            report.gate.id,
            STATE_TEXTS[report.result.state],
            "required" if report.is_required else "told" if report.gate.is_informative else "",
            gate_text(report),
            report.result.reason or (report.gate.advice if report.result.state == "fails" else ""),
        )
        for report in reports
    ]
    head = ("gate", "state", "rule", "number", "what to do, or reason")
    result = {"gates": [_to_json(report) for report in reports]}
    console.result(result, print_text=lambda: console.table("Gates", head=head, rows=rows))
    return FOUND_PROBLEMS if any(report.is_blocking for report in reports) else 0


@gates.command()
@click.argument("gate")
@click.option("--reason", required=True, help="Why the release is right without it; manifests state it.")
@states_option
@click.option("--include-flagged", is_flag=True, help="As a release that includes items with errors.")
@json_option
@click.pass_obj
def waive(
    project: Path,
    /,
    *,
    gate: str,
    reason: str,
    named: tuple[str, ...],
    include_flagged: bool,
    console: Console,
) -> None:
    """Allow releases although GATE fails. The waiver covers as much as fails now, and not more."""
    with open_session(project) as session:
        reports = _examine(session, named, include_flagged=include_flagged, console=console)
        failing = next((_waivable(one) for one in reports if one.gate.id == gate), 0)
        command = WaiveGate(gate=gate, reason=reason, failing=failing, person=session.actor.id)
        execute(session, command, console=console)
    console.result(
        {"gate": gate, "failing": failing, "reason": reason},
        print_text=lambda: console.print(f"The gate {gate} is waived for {failing:,}."),
    )


@gates.command()
@click.argument("gate")
@json_option
@click.pass_obj
def withdraw(project: Path, /, *, gate: str, console: Console) -> None:
    """Withdraw the waiver of GATE."""
    with open_session(project) as session:
        execute(session, WithdrawWaiver(gate=gate), console=console)
    console.result({"gate": gate}, print_text=lambda: console.print(f"The waiver of {gate} is withdrawn."))


@gates.command()
@click.argument("wanted", nargs=-1, metavar="GATE…")
@click.option("--all", "is_all", is_flag=True, help="Require every gate, as for a published benchmark.")
@click.option("--usual", is_flag=True, help=f"Require the usual gates again: {', '.join(DEFAULT_REQUIRED)}.")
@click.option("--none", "is_none", is_flag=True, help="Require no gate.")
@json_option
@click.pass_obj
def require(project: Path, /, *, wanted: tuple[str, ...], console: Console, **presets: bool) -> None:
    """Set the gates that must hold, or be waived, before a release; without an argument, print them."""
    chosen = _chosen(wanted, **presets)
    if chosen is not None:
        with open_session(project) as session:
            execute(session, RequireGates(gates=chosen), console=console)
    with read_session(project) as session:
        required = session.reader.project.required_gates
    text = f"Required gates: {', '.join(required) or 'none'}."
    console.result({"required": list(required)}, print_text=lambda: console.print(text))


def _chosen(wanted: tuple[str, ...], *, is_all: bool, usual: bool, is_none: bool) -> tuple[str, ...] | None:
    """Return the gates that the arguments name, None for no change.

    Raises:
        UserError: The arguments contradict each other.
    """
    if bool(wanted) + is_all + usual + is_none > 1:
        raise UserError("Name the gates, or one of --all, --usual and --none.")
    if is_all:
        return REQUIRABLE
    if usual:
        return DEFAULT_REQUIRED
    return wanted if wanted or is_none else None


def _waivable(report: GateReport) -> int:
    """Return how much of what fails a waiver can cover.

    Raises:
        UserError: Something fails, and no waiver covers any of it.
    """
    waivable = report.result.failing - report.unwaivable
    if report.unwaivable and not waivable:
        raise UserError(
            f"No waiver covers what fails in the gate {report.gate.id}: files that the checks cannot use.",
            hint="Correct the files. The command check lists them.",
        )
    return waivable


def _examine(
    session: Session, named: tuple[str, ...], *, include_flagged: bool, console: Console
) -> tuple[GateReport, ...]:
    selection = ItemQuery(states=release_states(named))
    with console.progress() as progress, session.reader.snapshot():
        outlook = look_ahead(session.reader, selection, include_flagged=include_flagged, progress=progress)
    return outlook.reports


def _to_json(report: GateReport) -> dict[str, Any]:
    waiver = report.waiver
    result: dict[str, Any] = msgspec.to_builtins(report.result)
    return result | {
        "title": report.gate.title,
        "text": gate_text(report),
        "is_required": report.is_required,
        "advice": report.gate.advice,
        "query": None if report.query is None else msgspec.to_builtins(report.query),
        "waiver": None if waiver is None else msgspec.to_builtins(waiver),
    }


VERBS = (gates,)
