"""Plots of scores as files: SVG and PNG for papers, and their numbers as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

from annotator.scoring.comparison_csv import correlation_csv, series_csv
from annotator.scoring.plot_svg import bars_svg, heat_map_svg, radar_svg
from annotator.scoring.score_plots import correlation_heat_map, score_plot, task_plot
from annotator.scoring.score_report import ScoreReport
from annotator.scoring.table_text import BYTE_ORDER_MARK

PlotForm = Literal["svg", "png", "csv"]
ENDINGS: Mapping[str, PlotForm] = {".svg": "svg", ".png": "png", ".csv": "csv"}
"""Form of the content by the ending of the file."""
SHARPNESS = 2
"""Pixels of an image for each unit of the drawing: sharp in print at the width of a column."""


def plot_bytes(report: ScoreReport, plot: str, form: PlotForm) -> bytes:
    """Return a plot, or its numbers.

    Args:
        report: The scores.
        plot: ``bars``, ``radar`` or ``correlation``.
        form: What is written.
    """
    if form == "csv":
        return BYTE_ORDER_MARK + _csv(report, plot)
    text = _svg(report, plot)
    return text.encode() if form == "svg" else _png(text)


def _svg(report: ScoreReport, plot: str) -> str:
    if plot == "correlation":
        return heat_map_svg(correlation_heat_map(report.correlation))
    tables = {model.name: model.tables for model in report.models}
    return bars_svg(score_plot(tables)) if plot == "bars" else radar_svg(task_plot(tables))


def _csv(report: ScoreReport, plot: str) -> bytes:
    if plot == "correlation":
        return correlation_csv(report.correlation)
    tables = {model.name: model.tables for model in report.models}
    return series_csv(score_plot(tables) if plot == "bars" else task_plot(tables))


def _png(svg: str) -> bytes:
    renderer = QSvgRenderer(svg.encode())
    image = QImage(renderer.defaultSize() * SHARPNESS, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # Not ``QImage.save``: by PySide's stubs it takes a format in bytes, which it refuses.
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())
