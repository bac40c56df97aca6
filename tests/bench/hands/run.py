"""Runs the scripts in a window of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from PySide6.QtTest import QTest

from annotator.domain.actor import Actor
from annotator.domain.record import new_id
from annotator.session import Session
from tests.bench.hands.annotate_scripts import draw_a_path, link_six_objects, mark_an_occlusion
from tests.bench.hands.assist_material import (
    make_picture_project,
    make_proposals_project,
    make_segmenter_project,
    make_video_project,
)
from tests.bench.hands.assist_scripts import (
    accept_ten_proposals,
    draw_a_polygon,
    draw_ten_boxes,
    segment_a_polygon,
    track_ten_and_accept_all,
    track_ten_by_interpolation,
    track_ten_by_tracker,
)
from tests.bench.hands.counting_hands import CountingHands
from tests.bench.hands.effort import Effort
from tests.bench.hands.flight_scripts import caption_a_flight, make_flight_project
from tests.bench.hands.label_scripts import label_by_hand, label_with_proposals
from tests.bench.hands.project import make_bare_record_project, make_hands_project, make_record_project
from tests.bench.hands.refine_scripts import keep_an_item, pick_a_region, refine_an_item
from widgets.settings import Settings
from widgets.window import MainWindow, build

WINDOW_PX = (1600, 1000)


@dataclass(frozen=True, kw_only=True)
class Script:
    """A piece of work.

    Attributes:
        figure: Name of its figure in the bench: its keys, clicks and drags, without typed texts.
        workspace: Where it is done.
        work: Does it, and raises an error unless the project has the result.
        project: Makes the project in a folder, and returns its path.
    """

    figure: str
    workspace: str
    work: Callable[[CountingHands], None]
    project: Callable[[Path], Path] = make_hands_project


SCRIPTS = (
    Script(
        figure="hands.record_actions",
        workspace="annotate",
        work=label_with_proposals,
        project=make_record_project,
    ),
    Script(
        figure="hands.record_by_hand_actions",
        workspace="annotate",
        work=label_by_hand,
        project=make_bare_record_project,
    ),
    Script(figure="hands.links_actions", workspace="annotate", work=link_six_objects),
    Script(figure="hands.occlusion_actions", workspace="annotate", work=mark_an_occlusion),
    Script(figure="hands.path_actions", workspace="annotate", work=draw_a_path),
    Script(
        figure="hands.interpolated_actions",
        workspace="annotate",
        work=track_ten_by_interpolation,
        project=make_video_project,
    ),
    Script(
        figure="hands.tracked_actions",
        workspace="annotate",
        work=track_ten_by_tracker,
        project=make_video_project,
    ),
    Script(
        figure="hands.tracked_at_once_actions",
        workspace="annotate",
        work=track_ten_and_accept_all,
        project=make_video_project,
    ),
    Script(
        figure="hands.boxes_actions",
        workspace="annotate",
        work=draw_ten_boxes,
        project=make_picture_project,
    ),
    Script(
        figure="hands.proposals_actions",
        workspace="annotate",
        work=accept_ten_proposals,
        project=make_proposals_project,
    ),
    Script(
        figure="hands.polygon_actions",
        workspace="annotate",
        work=draw_a_polygon,
        project=make_segmenter_project,
    ),
    Script(
        figure="hands.segmented_actions",
        workspace="annotate",
        work=segment_a_polygon,
        project=make_segmenter_project,
    ),
    Script(
        figure="hands.flight_actions",
        workspace="annotate",
        work=caption_a_flight,
        project=make_flight_project,
    ),
    Script(figure="hands.refine_actions", workspace="refine", work=refine_an_item),
    Script(figure="hands.keep_actions", workspace="refine", work=keep_an_item),
    Script(figure="hands.region_answer_actions", workspace="refine", work=pick_a_region),
)


def run_script(script: Script) -> Effort:
    """Do a piece of work in a new project, and return what it took."""
    with (
        tempfile.TemporaryDirectory() as folder,
        # The models and settings of the person at this machine have no part in it.
        patch.dict(os.environ, {"VANTAGE_CONFIG": folder, "VANTAGE_CACHE": f"{folder}/cache"}),
        _hands_at(Path(folder), script) as hands,
    ):
        script.work(hands)
        return hands.effort


@contextmanager
def _hands_at(folder: Path, script: Script) -> Iterator[CountingHands]:
    session = Session.open(script.project(folder), actor=Actor(id=new_id(), name="Ada"))
    window = build(session, settings=Settings(folder / "window.ini"))
    window.resize(*WINDOW_PX)
    window.show()
    # A bare X server has nobody who would give the keyboard to a new window.
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    try:
        yield _hands(window, script.workspace)
    finally:
        window.close()
        window.deleteLater()


def _hands(window: MainWindow, workspace: str) -> CountingHands:
    hands = CountingHands(window)
    hands.rest()
    window.show_workspace(workspace)
    hands.rest()
    return hands
