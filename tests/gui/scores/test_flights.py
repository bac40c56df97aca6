"""Flights in the error browser: drawn from above beside the recorded one, with their measures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest

from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.session import Session
from tests.cut_texts import cut_texts
from tests.gui.person import WindowPerson
from tests.gui.scores.conftest import Open, Scored, shown
from tests.unit.release.samples import CLIP, SCENE, fill, release
from tests.unit.scoring.released import write_lines
from widgets.scores.error_browser import ErrorBrowser
from widgets.scores.flight_plot import FlightPlot
from widgets.scores.score_grid import OVERALL
from widgets.settings import Settings

TRUTH = [[n * 0.5, 0.1 * n, 1.0, 0.0] for n in range(12)]
NEAR = [[x, y + 1.5, z + 0.2, yaw] for x, y, z, yaw in TRUTH]
FAR = [[-x, y, z, yaw] for x, y, z, yaw in TRUTH]


def flight_item(name: str, task: str = "vln") -> Item:
    return Item(
        id=new_id(), name=name, task_set="indooruav", task=task, answer_format="trajectory",
        question="Fly around the table and stop at the window behind the sofa.",
        answer_key=json.dumps(TRUTH), scene=SCENE.id, media=(CLIP.id,),
    )  # fmt: skip


def browse(person: WindowPerson, folder: Path, *items: Item, flights: Sequence[object]) -> ErrorBrowser:
    """Release items, score a flight for each, and show all predictions."""
    folder.mkdir()
    with Session.create(folder / "flights.vantage") as session:
        fill(session, *items)
        release(session, folder / "out", "native")
    rows = [
        {"episode_key": one.name, "trajectory": flight, "termination_reason": "no_more_instructions"}
        for one, flight in zip(items, flights, strict=True)
    ]
    workspace = shown(person)
    workspace.setup.take([str(folder / "out"), str(write_lines(folder / "m.jsonl", rows))])
    person.settle()
    workspace.take_keyboard()
    workspace.page.tables.table.choose("m", OVERALL)
    person.press("Return")
    person.press("X")
    pages = person.window.slots["scores"].workspace
    assert pages is not None
    assert pages.browser is not None
    return pages.browser


def drawn(plot: FlightPlot) -> dict[str, list[list[float]]]:
    """Return the points of lines and markers by their name in the legend."""
    found = {}
    for item in plot.plot.items:
        if isinstance(item, pg.PlotDataItem | pg.ScatterPlotItem):
            found[item.name()] = np.stack(item.getData(), axis=1).tolist()
    return found


def test_flight_when_shown_then_is_drawn_with_goal_and_radius_and_its_measures_are_beside_it(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    person = open_scores()
    names = ("f1/instruction.json", "f2/instruction.json")
    browser = browse(person, tmp_path / "flights", *map(flight_item, names), flights=(NEAR, FAR))
    assert browser.flight.isVisible()
    person.press("Up")
    found = drawn(browser.flight)
    assert found["Recorded flight"] == [row[:2] for row in TRUTH]
    assert found["Flight of the model"] == [row[:2] for row in NEAR]
    assert (found["Start"], found["Goal"]) == ([TRUTH[0][:2]], [TRUTH[-1][:2]])
    circle = np.array(found["Radius of success"]) - TRUTH[-1][:2]
    assert np.allclose(np.hypot(*circle.T), 2.0)
    assert browser.flight.plot.getAxis("bottom").labelText == "x, metres"
    lines = browser.panel.form.answers.text().splitlines()
    assert lines[:3] == [
        "NE: the flight ends 1.51 m from the goal.",
        "SR: success, the rule of the task is met (within 2 m).",
        "OSR: the flight came near the goal.",
    ]
    assert lines[-1] == "Compared: 12 of 12 places; recorded: 12"
    person.press("Down")
    assert drawn(browser.flight)["Flight of the model"] == [row[:2] for row in FAR]
    assert "SR: no success" in browser.panel.form.answers.text()
    assert "never came near" in browser.flight.accessibleName()


def test_flight_when_the_key_is_pressed_then_the_images_are_shown_in_its_place(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    person = open_scores()
    browser = browse(person, tmp_path / "flights", flight_item("f1/instruction.json"), flights=(NEAR,))
    person.press("A")
    assert not browser.flight.isVisible()
    person.press("A")
    assert browser.flight.isVisible()


def test_flight_when_the_reply_is_none_then_the_recorded_one_is_drawn_and_the_reason_said(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    person = open_scores()
    item = flight_item("f1/vla_ins_1.json", task="vla")
    browser = browse(person, tmp_path / "flights", item, flights=([["a"]],))
    found = drawn(browser.flight)
    assert "Flight of the model" not in found
    assert found["Recorded flight"] == [row[:2] for row in TRUTH]
    assert browser.panel.form.answers.text().startswith("trajectory[0]")


def test_flight_when_the_task_skips_points_then_the_rest_is_drawn_as_not_compared(
    open_scores: Open, scored: Scored, tmp_path: Path
) -> None:
    person = open_scores()
    item = flight_item("f1/vla_ins_1.json", task="vla")
    browser = browse(person, tmp_path / "flights", item, flights=([TRUTH[0], *TRUTH, TRUTH[-1], *FAR],))
    found = drawn(browser.flight)
    assert found["Flight of the model"] == [row[:2] for row in TRUTH]
    assert len(found["Not compared"]) == 2 * len(TRUTH) + 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_flight_when_the_window_is_small_then_no_text_is_cut(
    open_scores: Open, scored: Scored, settings: Settings, tmp_path: Path, language: str
) -> None:
    settings.keep("language", language)
    person = open_scores()
    browser = browse(person, tmp_path / "flights", flight_item("f1/instruction.json"), flights=(NEAR,))
    assert browser.flight.isVisible()
    assert cut_texts(person.window) == []
