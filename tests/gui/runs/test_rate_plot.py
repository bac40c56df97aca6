from __future__ import annotations

from pytestqt.qtbot import QtBot

from annotator.domain.work import RunPace
from widgets.runs.rate_plot import RatePlot


def test_plot_when_shown_then_has_a_title_with_what_its_axes_count(qtbot: QtBot) -> None:
    plot = RatePlot()
    qtbot.addWidget(plot)
    plot.show_pace(RunPace(began_at=0.0, step_s=1.0, counts=(1, 2, 3)))
    plot.show()
    assert plot.title.isVisible()
    assert plot.title.text() == "Answers per second, by time of day"
