"""Commands of the pipeline: import, draft, check, release."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import click

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.options import execute, json_option, open_session, project_argument, read_session
from annotator.commands.drafts import BY_RULE, DraftItems
from annotator.commands.findings import RecordFindings
from annotator.commands.imports import ImportFiles
from annotator.commands.releases import CreateRelease
from annotator.domain.item import ItemState
from annotator.domain.query import ItemQuery
from annotator.errors import UserError
from annotator.importers.registry import IMPORTERS, UnknownFormatError
from annotator.importing.embedded_images import write_embedded_images
from annotator.importing.preview import dry_run
from annotator.media.render import Rendering
from annotator.media.video.sampling import FRAMES_OF_A_RUN
from annotator.release.exporters import EXPORTERS
from annotator.release.images import ImageSettings
from annotator.release.preview import ACCEPTED, ReleasePreview, preview_release
from annotator.release.release_filter import NEVER_RELEASED
from annotator.release.release_signature import sign_release
from annotator.release.splits import Split, SplitSettings
from annotator.release.subset import SubsetSettings
from annotator.session import Session
from annotator.signing_keys import signer_for

BY_MODEL = "model"
SHOWN_REJECTIONS = 20
ALL_STATES = "all"
RELEASABLE = tuple(state for state in get_args(ItemState) if state not in NEVER_RELEASED)


@click.command(name="import")
@project_argument
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_id",
    type=click.Choice(sorted(IMPORTERS)),
    help="Format of the files; default: detected.",
)
@click.option("--dataset", default="", help="Name of the dataset; default: read from the files.")
@click.option("--licence", default="", help="Licence of the files.")
@click.option(
    "--map",
    "pairs",
    multiple=True,
    metavar="EXPECTED=FIELD",
    help="Read an expected field from a field of the file.",
)
@click.option(
    "--allow-rejected",
    is_flag=True,
    help="End with status 0 although records were rejected or a file was not read to its end.",
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Show what would be imported; change nothing.")
@json_option
def import_files(
    project: Path,
    files: tuple[Path, ...],
    format_id: str | None,
    dataset: str,
    licence: str,
    pairs: tuple[str, ...],
    *,
    console: Console,
    **flags: bool,
) -> int:
    """Import annotation and question FILES into PROJECT; a record that exists already is not added again.

    From a folder or .zip archive, all supported files are read. The exit status is 1 if records are rejected
    or a file ends early; what can be read is imported all the same.
    """
    command = ImportFiles(
        paths=files, format=format_id or "", dataset=dataset, licence=licence, mapping=_mapping(pairs)
    )
    with open_session(project) as session, _naming_options():
        if flags["is_dry"]:
            with console.progress() as progress:
                dry_run(session.reader, command, progress=progress)
        else:
            execute(session, command, console=console)
            with console.progress() as progress:
                write_embedded_images(command, roots=session.roots, progress=progress)
    report = command.report
    console.result(report.to_json(), print_text=lambda: _print_import(report.to_json(), console=console))
    has_problems = report.rejected > 0 or report.incomplete
    return FOUND_PROBLEMS if has_problems and not flags["allow_rejected"] else 0


@contextmanager
def _naming_options() -> Iterator[None]:
    """Say of a file of unknown format which options read it."""
    try:
        yield
    except UnknownFormatError as error:
        similar = ", ".join(f"{reader.id} ({reader.title})" for reader in error.similar)
        hint = (
            f"The most similar formats: {similar}. Name one with --format, and its fields with --map."
            " To read your own table of questions: --format table --map question=COLUMN --map answer=COLUMN."
        )
        raise UserError(error.message, hint=hint) from error


def _mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    mapping = {}
    for pair in pairs:
        expected, equals, in_file = pair.partition("=")
        if not (expected and equals and in_file):
            raise click.BadParameter(f"'{pair}' is not in the form EXPECTED=FIELD.", param_hint="--map")
        mapping[expected] = in_file
    return mapping


def _print_import(report: dict[str, Any], *, console: Console) -> None:
    counts = ("records", "added", "unchanged", "rejected", "scenes")
    console.print("  ".join(f"{name} {report[name]:,}" for name in counts))
    flags = [(kind, f"{count:,}") for kind, count in sorted(report["flags"].items()) if count]
    console.table_if_any("Flags", head=("kind", "records"), rows=flags)
    for file in report["files"]:
        if file["unread"] != 0:
            console.print(f"{file['file']}: {_unread_text(file)}")
        elif not file["records"]:
            console.print(f"{file['file']} contains no records.")
    for over in report["passed_over"]:
        console.print(f"Not read: {over['file']}: {over['reason']}")
    rejections = report["rejections"]
    rows = [
        tuple(str(r[name]) for name in ("file", "line", "field", "message"))
        for r in rejections[:SHOWN_REJECTIONS]
    ]
    title = f"Rejected (first {len(rows)} of {len(rejections)})"
    console.table_if_any(title, head=("file", "line", "field", "why"), rows=rows)


def _unread_text(file: dict[str, Any]) -> str:
    if file["unread"] is None:
        return "The file ends early or is damaged: the rest was not read."
    total = file["records"] + file["unread"]
    return f"The file is damaged: {file['unread']:,} of {total:,} records were not read."


@click.command()
@project_argument
@click.option("--task-set", required=True, metavar="ID", help="Task set to draft.")
@click.option(
    "--by",
    type=click.Choice([BY_RULE, BY_MODEL]),
    default=BY_RULE,
    show_default=True,
    help="Draft by rule or by model.",
)
@click.option(
    "--task", "--tasks", "named", multiple=True, metavar="ID,…", help="Only these tasks; may be repeated."
)
@click.option("--seed", default=0, show_default=True, help="Seed of shuffles and distractors.")
@click.option("--model", default="", metavar="NAME", help="By model: name of the model profile.")
@click.option("--scenes", type=click.IntRange(min=1), help="By model: draft only this many scenes.")
@click.option("--limit-cost", type=float, metavar="X", help="By model: maximum cost of the run.")
@json_option
def draft(
    project: Path,
    task_set: str,
    by: str,
    *,
    named: tuple[str, ...],
    seed: int,
    console: Console,
    **asked: Any,  # noqa: ANN401 - the options of a model's work, as click hands them over
) -> int:
    """Draft items: by rule from PROJECT's scenes, or by a model from its images, videos and trajectories.

    Labels with an open contradiction are skipped. A project's own task sets and prompts are read from
    NAME.tasksets/ and NAME.prompts/ beside the project file.
    """
    tasks = tuple(task.strip() for text in named for task in text.split(",") if task.strip())
    if by == BY_MODEL:
        # The jobs of model work import what the other verbs do without.
        from annotator.cli.model_drafting import draft_by_model
        from annotator.cli.run_execution import limit_micro
        from annotator.draft.llm.settings import DraftingSettings

        settings = DraftingSettings(
            task_set=task_set, tasks=tasks, most_scenes=asked["scenes"] or 0, seed=seed
        )
        limit = limit_micro(asked["limit_cost"])
        return draft_by_model(project, settings, model=asked["model"], limit_micro=limit, console=console)
    if any(asked.values()):
        raise click.UsageError("--model, --scenes and --limit-cost require --by model.")
    command = DraftItems(task_set=task_set, by=by, tasks=tasks or None, seed=seed)
    with open_session(project) as session:
        execute(session, command, console=console)
    report = command.report.to_json()
    console.result(report, print_text=lambda: _print_draft(report, console=console))
    return 0


def _print_draft(report: dict[str, Any], *, console: Console) -> None:
    counts = ("scenes", "labels", "drafted", "unchanged", "skipped")
    console.print("  ".join(f"{name} {report[name]:,}" for name in counts))
    for title, name, head in (("Items", "tasks", "task"), ("Not drafted", "reasons", "reason")):
        rows = [(key, f"{count:,}") for key, count in report[name].items()]
        console.table_if_any(title, head=(head, "number"), rows=rows)


@click.command()
@project_argument
@click.option("--task-set", "task_sets", multiple=True, help="Only items of this task set.")
@click.option("--strict", is_flag=True, help="Treat warnings as problems.")
@json_option
def check(project: Path, task_sets: tuple[str, ...], strict: bool, console: Console) -> int:  # noqa: FBT001 - by name
    """Run the checks on PROJECT's items and store the findings as flags.

    If PROJECT is not writable, the findings are printed and not stored.
    """
    command = RecordFindings(task_sets=task_sets or None)
    with read_session(project) as session:
        is_stored = not session.is_read_only
        if is_stored:
            execute(session, command, console=console)
        else:
            _find_only(session, command, console=console)
    report = command.report.to_json() | {"stored": is_stored}
    console.result(report, print_text=lambda: _print_check(report, console=console))
    is_sound = not (report["errors"] or report["own_faults"] or (strict and report["warnings"]))
    return 0 if is_sound else FOUND_PROBLEMS


def _find_only(session: Session, command: RecordFindings, *, console: Console) -> None:
    """Run the checks without storing their findings."""
    with console.progress() as progress, session.reader.snapshot():
        # The edits that would store the findings; the report is complete after the last.
        for _edit in command.plan(session.reader, progress=progress):
            pass
    console.warn("The project is not writable: the findings are not stored as flags.")


def _print_check(report: dict[str, Any], *, console: Console) -> None:
    counts = ("items", "findings", "errors", "warnings", "flags_added", "flags_resolved")
    console.print("  ".join(f"{name.replace('_', ' ')} {report[name]:,}" for name in counts))
    rows = [(name, f"{count:,}") for name, count in report["checks"].items() if count]
    console.table_if_any("Found", head=("check", "findings"), rows=rows)
    for fault in report["own_faults"]:
        line = f", line {fault['line']}" if fault["line"] else ""
        console.print(f"Error in {fault['file']}{line}: {fault['message']}")


states_option = click.option(
    "--states",
    "--state",
    "named",
    multiple=True,
    metavar="STATE,…",
    help=f"States of the items: {', '.join(RELEASABLE)}, or all of these. Default: accepted.",
)
"""Give a verb ``--states`` as ``named``; read it with ``release_states``."""


@click.command()
@project_argument
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "export_format",
    required=True,
    type=click.Choice(list(EXPORTERS)),
    help="Export format.",
)
@click.option(
    "--include-flagged", is_flag=True, help="Also release items with errors; the manifest records this."
)
@states_option
@click.option(
    "--pictures",
    "rendering",
    type=click.Choice(["clean", "detected", "annotated"]),
    help="Also write the images, as a model receives them.",
)
@click.option(
    "--frames",
    "most_frames",
    type=int,
    default=FRAMES_OF_A_RUN,
    show_default=True,
    help="With --pictures: maximum number of evenly spaced frames of a video.",
)
@click.option("--sign", "is_signed", is_flag=True, help="Sign the folder with your key (see: vantage key).")
@click.option(
    "--split",
    "named_splits",
    multiple=True,
    metavar="NAME=PERCENT",
    help="Divide the items by scene, for example --split train=80 --split dev=10 --split test=10.",
)
@click.option("--split-seed", type=int, default=0, show_default=True, help="Seed of splits and subset.")
@click.option(
    "--hide-keys",
    "hidden",
    multiple=True,
    metavar="SPLIT",
    help="Leave the answer keys of this split out, and write them to the folder OUT-keys.",
)
@click.option(
    "--allow-predictable-letters",
    "allows_predictable",
    is_flag=True,
    help="Hide answer keys although letters that an earlier version drew can be computed; the card says so.",
)
@click.option(
    "--subset", "subset_percent", type=float, metavar="PERCENT", help="List a random share of each task."
)
@json_option
def release(
    project: Path,
    out: Path,
    *,
    export_format: str,
    include_flagged: bool,
    named: tuple[str, ...],
    is_signed: bool,
    console: Console,
    **more: Any,  # noqa: ANN401 - of images, splits and subset
) -> None:
    """Freeze PROJECT's accepted items and write them to the folder OUT, with a manifest of hashes."""
    # A format without items contains all records of its kind.
    states = release_states(named) if named or EXPORTERS[export_format].holds_items else ()
    with open_session(project) as session:
        # Found before a release is written: a person without a key is refused.
        signer = signer_for(session.actor) if is_signed else None
        command = CreateRelease(
            out=out,
            export_format=export_format,
            include_flagged=include_flagged,
            selection=ItemQuery(states=states),
            splits=_splits(
                more["named_splits"],
                seed=more["split_seed"],
                hidden=more["hidden"],
                allows_predictable=more["allows_predictable"],
            ),
            subset=_subset(more["subset_percent"], seed=more["split_seed"]),
            pictures=_image_settings(session, rendering=more["rendering"], most_frames=more["most_frames"]),
        )
        selected = preview_release(session.reader, command.selection)
        if include_flagged:
            selected = selected.with_forked()
        if EXPORTERS[export_format].holds_items:
            _require_selected(session, selected)
            console.warn(_preview_text(selected))
        execute(session, command, console=console)
        if signer is not None:
            sign_release(out, actor=session.actor, sign=signer)
    report = command.report.to_json() if command.report else {}
    report |= {"selected": selected.states, "signed": is_signed}
    console.result(report, print_text=lambda: _print_release(report, console=console))


def _image_settings(
    session: Session, *, rendering: Rendering | None, most_frames: int
) -> ImageSettings | None:
    if rendering is None:
        return None
    return ImageSettings(rendering=rendering, roots=session.roots, most_frames=most_frames)


def release_states(named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the states that ``--states`` names, () for all that a release can take."""
    states = tuple(state.strip() for text in named or (ACCEPTED,) for state in text.split(","))
    unknown = [state for state in states if state not in (*RELEASABLE, ALL_STATES)]
    if unknown:
        known = ", ".join((*RELEASABLE, ALL_STATES))
        raise click.BadParameter(f"'{unknown[0]}' is none of {known}.", param_hint="--states")
    # No filter, so that items of a state that a later version adds are included.
    return () if ALL_STATES in states else states


def _subset(percent: float | None, *, seed: int) -> SubsetSettings | None:
    return None if percent is None else SubsetSettings(share=percent / 100, seed=seed)


def _splits(
    named: tuple[str, ...], *, seed: int, hidden: tuple[str, ...], allows_predictable: bool
) -> SplitSettings | None:
    """Return the splits that ``--split`` names, None for none."""
    splits = []
    for text in named:
        name, _, percent = text.partition("=")
        try:
            splits.append(Split(name=name.strip(), share=float(percent) / 100))
        except ValueError:
            raise click.BadParameter(f"'{text}' is not NAME=PERCENT.", param_hint="--split") from None
    if hidden and not splits:
        raise click.BadParameter("name the splits with --split.", param_hint="--hide-keys")
    if not splits:
        return None
    return SplitSettings(
        splits=tuple(splits), seed=seed, hidden=hidden, allows_predictable=allows_predictable
    )


def _require_selected(session: Session, selected: ReleasePreview) -> None:
    """Refuse a release without items where there are others: a project without items has media and scenes.

    Raises:
        UserError: No item is in the states, but some are in others.
    """
    others = preview_release(session.reader, ItemQuery())
    if others.items and not selected.items and not selected.forked:
        counts = ", ".join(f"{state} {count:,}" for state, count in others.states.items())
        raise UserError(
            f"No item is in the states to release. Items in other states: {counts}.",
            hint=f"Accept items, or name their states: --states {next(iter(others.states))}, --states all.",
        )


def _preview_text(selected: ReleasePreview) -> str:
    states = ", ".join(f"{state} {count:,}" for state, count in selected.states.items()) or "none"
    unaccepted = f" Not accepted: {selected.unaccepted:,}." if selected.unaccepted else ""
    forked = sum(selected.forked.values())
    withheld = f" Withheld because of a fork: {forked:,}." if forked else ""
    return f"Items that the release takes: {selected.items:,} ({states}).{unaccepted}{withheld}"


def _print_release(report: dict[str, Any], *, console: Console) -> None:
    console.print(f"{report['items']:,} items in {report['folder']}, {report['withheld']:,} withheld")
    rows = [(f["name"], f"{f['records']:,}", f"{f['bytes']:,}", f["sha256"]) for f in report["files"]]
    console.table("Files", head=("file", "records", "bytes", "sha256"), rows=rows)
    for name, count in report.get("splits", {"items": {}})["items"].items():
        console.print(f"Split {name}: {count:,} items")
    if "subset" in report:
        console.print(f"Subset: {report['subset']['items']:,} items")
    if "keys_folder" in report:
        count = report["splits"]["hidden"]["items"]
        console.print(f"Hidden answer keys: {count:,}. Keep this folder private: {report['keys_folder']}")
    for gate in report["gates"]:
        if gate["state"] == "waived":
            console.print(f"Waived gate {gate['gate']}: {gate['failing']:,}: {gate['reason']}")
    reasons = [(reason, f"{count:,}") for reason, count in report["reasons"].items()]
    console.table_if_any("Withheld", head=("reason", "items"), rows=reasons)
    if "pictures" in report:
        _print_images(report["pictures"], console=console)
    console.print(f"sha256 {report['sha256']}{', signed' if report['signed'] else ''}")


def _print_images(taken: dict[str, Any], *, console: Console) -> None:
    console.print(f"{taken['pictures']:,} images of {taken['media']:,} media, {taken['rendering']}.")
    rows = [(gone["medium"], gone["why"]) for gone in taken["missing"][:SHOWN_REJECTIONS]]
    title = f"Without an image (first {len(rows)} of {len(taken['missing']):,})"
    console.table_if_any(title, head=("medium", "why"), rows=rows)


VERBS = (import_files, draft, check, release)
