"""The command ``report``: how a release was made and what it contains, as HTML and PDF."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from annotator.cli.console import Console
from annotator.cli.options import json_option


@click.command()
@click.argument("release", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--project",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The project that it was made from: agreement, models, statistics and licences come from it.",
)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write the report as HTML.")
@click.option("--pdf", type=click.Path(path_type=Path, dir_okay=False), help="Write the report as PDF.")
@click.option(
    "--language",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language of headings, explanations and tables; texts of the project stay as they are.",
)
@json_option
def report(
    release: Path,
    *,
    project: Path | None,
    html: Path | None,
    pdf: Path | None,
    language: str,
    console: Console,
) -> None:
    """Make the report of RELEASE, a release folder: how it was made, and what it contains.

    All numbers are computed: from the folder, and from the project as it was when the release was made.
    """
    from annotator.report.report_order import ReportOrder
    from annotator.report.write import write_report

    if html is None and pdf is None and not console.as_json:
        raise click.UsageError("Name a file with --html or --pdf, or print the figures with --json.")
    order = ReportOrder(
        release=str(release),
        project=str(project) if project is not None else "",
        html=str(html) if html is not None else "",
        pdf=str(pdf) if pdf is not None else "",
        language=language,
    )
    with console.progress() as progress:
        figures = write_report(order, progress=progress)
    names = [str(file) for file in order.files]
    result = {"files": names, "language": language, "figures": msgspec.to_builtins(figures)}
    console.result(result, print_text=lambda: console.print(f"Report written: {', '.join(names)}."))


VERBS = (report,)
