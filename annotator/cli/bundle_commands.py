"""The commands ``bundle``, ``merge`` and ``sync``: several workstations work on one project."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.exit_status import FOUND_PROBLEMS
from annotator.cli.forks_command import print_forks
from annotator.cli.options import json_option, open_session, project_argument, read_session
from annotator.errors import UserError
from annotator.session import Session
from annotator.store.bundles.exchange import SUFFIX, MergeReport, waiting_bundles

if TYPE_CHECKING:
    from annotator.exchange.exchange_folder import ExchangeReport
    from annotator.exchange.media_exchange import ReceivedMedia
    from annotator.exchange.prediction_exchange import ReceivedPredictions

SIGNATURES = {
    "": "not signed",
    "verified": "signature verified",
    "unknown": "signed with a key that nobody has confirmed (vantage key trust)",
}


@click.command()
@project_argument
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--since",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An earlier bundle; only what is not in it is written.",
)
@click.option(
    "--media", "is_with_media", is_flag=True, help="Carry the media files too, not only their names."
)
@click.option(
    "--predictions",
    "is_with_predictions",
    is_flag=True,
    help="Carry the answers of models in finished runs about items; no addresses, keys or paths.",
)
@click.option("--sign", "is_signed", is_flag=True, help="Sign the bundle with your key (see: vantage key).")
@json_option
def bundle(
    project: Path,
    file: Path,
    *,
    since: Path | None,
    is_with_media: bool,
    is_with_predictions: bool,
    is_signed: bool,
    console: Console,
) -> None:
    """Write the events of PROJECT to FILE, for another workstation to merge."""
    from annotator.exchange.media_exchange import export_with_media
    from annotator.exchange.prediction_exchange import predictions_writer

    with read_session(project) as session, console.progress() as progress:
        export = partial(export_with_media, session) if is_with_media else session.export_bundle
        writer = predictions_writer(session, since=since, progress=progress) if is_with_predictions else None
        manifest = export(file, since=since, write_predictions=writer, is_signed=is_signed, progress=progress)
    size = sum(manifest.media.values())
    result = {"file": str(file), "events": manifest.events, "sha256": manifest.sha256}
    result |= {"media": len(manifest.media), "media_bytes": size, "signed": manifest.signature is not None}
    result["prediction_runs"] = len(manifest.predictions)
    text = f", {len(manifest.media):,} media files of {size / 1e6:,.1f} MB" if is_with_media else ""
    text += f", predictions of {len(manifest.predictions):,} runs" if is_with_predictions else ""
    console.result(result, print_text=lambda: console.print(f"{manifest.events:,} events{text} in {file}"))


@click.command()
@project_argument
@click.argument("bundles", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@json_option
def merge(project: Path, bundles: tuple[Path, ...], *, console: Console) -> int:
    """Merge BUNDLES, files or folders of files, into PROJECT; in any order, and as often as you like.

    Where there is no PROJECT yet, it is made from the first bundle. Ends with 1 where events still wait for a
    bundle that is missing, or where workstations have changed the same field.
    """
    from annotator.exchange.media_exchange import receive_media
    from annotator.exchange.merge_report import names_set_back, sound_bundles
    from annotator.exchange.prediction_exchange import receive_predictions

    files = _bundle_files(bundles)
    with _merged(project, files[0], console=console) as session:
        with console.progress() as progress:
            reports = session.merge(*files, progress=progress).result()
            taken = sound_bundles(files, reports)
            predictions = receive_predictions(session, taken, progress=progress)
            media = receive_media(session, taken, progress=progress)
        forks = session.reader.forks.all()
        set_back = names_set_back(session.reader, reports)
    result = {
        "bundles": [msgspec.structs.asdict(report) for report in reports],
        "forks": msgspec.to_builtins(forks),
        "set_back": list(set_back),
        "media": asdict(media),
        "predictions": asdict(predictions),
    }

    def show() -> None:
        _print_merge(reports, console=console)
        if set_back:
            console.print(f"Refined again, because nobody accepted their content: {', '.join(set_back)}")
        _print_predictions(predictions, console=console)
        _print_media(media, console=console)
        print_forks(forks, console=console)

    console.result(result, print_text=show)
    is_refused = any(report.problem for report in reports) or predictions.refused
    return FOUND_PROBLEMS if waiting_bundles(project) or is_refused or forks else 0


def _bundle_files(paths: Iterable[Path]) -> list[Path]:
    files = [
        file for path in paths for file in (sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path])
    ]
    if not files:
        raise UserError(f"There is no *{SUFFIX} file.", hint="Name bundles, or a folder of bundles.")
    return files


def _merged(project: Path, first: Path, *, console: Console) -> Session:
    if project.exists():
        return Session.open(project)
    from annotator.exchange.media_exchange import create_from_bundle

    with console.progress() as progress:
        return create_from_bundle(project, first, progress=progress)


def _print_merge(reports: list[MergeReport], *, console: Console) -> None:
    for report in reports:
        if report.problem:
            console.print(f"{report.bundle}: {report.problem}")
            continue
        records = ", ".join(f"{count:,} {entity}" for entity, count in report.records.items())
        console.print(
            f"{report.bundle} of {report.author}: {report.added:,} new events ({records or 'no records'}), "
            f"{report.known:,} known; {SIGNATURES[report.signature]}"
        )
        for name in report.unsigned:
            console.print(
                f"  Events of {name} came without a signature of {name}: ask {name} for a signed bundle."
            )
        if report.newer:
            console.print(f"  {report.newer:,} events are of a newer version of Vantage; they are kept.")
        for chain, seq in report.missing:
            console.print(f"  Events wait for event {seq} of {chain}: merge the bundle that has it.")


def _print_predictions(predictions: ReceivedPredictions, *, console: Console) -> None:
    if predictions.runs or predictions.known:
        console.print(
            f"Predictions of {predictions.runs:,} runs from elsewhere entered, "
            f"{predictions.known:,} runs known"
        )
    for title in predictions.refused:
        console.print(
            f"The run {title} is here with other contents: nothing of it was entered. "
            "Run the command verify on both projects."
        )


def _print_media(media: ReceivedMedia, *, console: Console) -> None:
    if media.taken or media.refused:
        console.print(
            f"{media.taken:,} media files taken, {len(media.refused):,} with another content refused"
        )
    if media.missing:
        console.print(f"{len(media.missing):,} media files are missing; find them with: media PROJECT locate")


@click.command()
@project_argument
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--stop", "is_stopped", is_flag=True, help="Exchange no more with the folder.")
@json_option
def sync(project: Path, folder: Path | None, *, is_stopped: bool, console: Console) -> int:
    """Exchange bundles of PROJECT with FOLDER once: merge those of others, and write what they lack.

    Any sync program can carry the folder. It is stored in your settings: later, FOLDER can be left out, and
    while the project is open in the window, bundles are exchanged as they appear. Ends with 1 where a bundle
    cannot be merged, where events still wait for a bundle that is missing, or where there are forks.
    """
    from annotator.exchange.exchange_folder import (
        ExchangeFolder,
        choose_exchange_folder,
        exchange_folder_of,
    )

    with open_session(project) as session:
        if folder is not None or is_stopped:
            choose_exchange_folder(session, None if is_stopped else folder)
        chosen = exchange_folder_of(session)
        if chosen is None:
            if is_stopped:
                console.result({"folder": None}, print_text=lambda: console.print("The exchange has ended."))
                return 0
            raise UserError(
                "No exchange folder is chosen for this project.", hint="Name it: sync PROJECT FOLDER."
            )
        with console.progress() as progress:
            report = ExchangeFolder(session, chosen, is_patient=False).exchange(progress=progress)
    result = {"folder": str(chosen), **_exchange_json(report)}
    console.result(result, print_text=lambda: _print_exchange(report, console=console))
    has_found = report.problems or report.outcome.forks or waiting_bundles(project)
    return FOUND_PROBLEMS if has_found else 0


def _exchange_json(report: ExchangeReport) -> dict[str, Any]:
    outcome = report.outcome
    return {
        "written": report.written,
        "received": [asdict(row) for row in outcome.received],
        "missing": [asdict(row) for row in outcome.missing],
        "forks": len(outcome.forks),
        "set_back": list(outcome.set_back),
        "problems": [{"bundle": name, "problem": f"{text} {hint}"} for name, text, hint in report.problems],
    }


def _print_exchange(report: ExchangeReport, *, console: Console) -> None:
    for row in report.outcome.received:
        console.print(f"{row.records:,} {row.entity} of {row.person}")
    console.print(f"{report.outcome.added:,} new events merged, {report.written:,} written")
    if report.outcome.set_back:
        names = ", ".join(report.outcome.set_back)
        console.print(f"Refined again, because nobody accepted their content: {names}")
    for missing in report.outcome.missing:
        console.print(f"Events wait for {missing.events:,} events of {missing.person}.")
    for name, message, hint in report.problems:
        console.print(f"{name}: {message} {hint}")
    if report.outcome.forks:
        console.print(f"{len(report.outcome.forks):,} forks; list them with: forks PROJECT")


VERBS = (bundle, merge, sync)
