"""The bench from end to end: which figures there are, measured one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from annotator.errors import EnvironmentFailure, UserError
from annotator.progress import Progress
from tests.bench.agreement import measure_agreement_time
from tests.bench.blind import FIGURES as BLIND_FIGURES
from tests.bench.blind import measure_blind
from tests.bench.bundles import measure_bundles
from tests.bench.calibrated import FIGURES as CALIBRATED_FIGURES
from tests.bench.calibrated import measure_calibrated
from tests.bench.canvas import GESTURES, measure_canvas, measure_next_picture
from tests.bench.deciding import measure_next_shown
from tests.bench.drafting import measure_drafting
from tests.bench.editing import measure_editing
from tests.bench.export import measure_export
from tests.bench.figure import TARGETS, Figure
from tests.bench.grid import measure_grid
from tests.bench.ground import Ground
from tests.bench.grouping import measure_grouping
from tests.bench.gui_share import NAMES as SHARE_NAMES
from tests.bench.gui_share import measure_gui_share
from tests.bench.gui_work import measure_gui_work
from tests.bench.hands.measure import FIGURES as HANDS_FIGURES
from tests.bench.hands.measure import measure_hands
from tests.bench.import_load import measure_import_load
from tests.bench.importing import measure_import
from tests.bench.jobs import measure_jobs
from tests.bench.key_errors import measure_key_errors
from tests.bench.lists import measure_lists, measure_opening, measure_searches, measure_sorting
from tests.bench.live_checks import measure_live_checks
from tests.bench.machine import machine_text
from tests.bench.model_evidence import FIGURES as MODEL_EVIDENCE_FIGURES
from tests.bench.model_evidence import measure_model_evidence
from tests.bench.necessity import measure_necessity
from tests.bench.playing import measure_opening_video, measure_playing
from tests.bench.reading import SAMPLES, measure_reading
from tests.bench.rendering import measure_rendering
from tests.bench.report import measure_report
from tests.bench.review import measure_next_case
from tests.bench.saving import measure_memory, measure_saving
from tests.bench.scoring import measure_comparison, measure_scoring
from tests.bench.video import (
    measure_decoding,
    measure_exactness,
    measure_seeking,
    measure_steps_back,
    measure_video_memory,
)
from tests.bench.whole_project import WORKS, measure_whole_project
from tests.bench.window import measure_window

WORK_FOLDER = "bench"
MEASURES: tuple[tuple[Callable[[Ground], Iterator[Figure]], tuple[str, ...]], ...] = (
    (measure_scoring, ("score.letters_per_s", "score.mixed_per_s")),
    (measure_comparison, ("score.compare_s",)),
    (measure_import, ("import.aircop_s",)),
    (measure_import_load, ("import.edit_wait_ms", "import.peak_mb", "import.project_ratio")),
    (measure_jobs, ("jobs.rate_share", "jobs.cpu_ms", "jobs.plan_s")),
    (measure_gui_share, SHARE_NAMES),
    (measure_gui_work, ("jobs.gui_worst_ms", "jobs.gui_p99_ms")),
    (measure_reading, tuple(f"import.{sample.module}_ratio" for sample in SAMPLES)),
    (measure_grouping, ("media.group_s",)),
    (
        measure_canvas,
        (
            "canvas.worst_ms",
            "canvas.mixed_worst_ms",
            "canvas.p50_ms",
            *(f"canvas.{gesture}_worst_ms" for gesture in GESTURES),
            "canvas.hit_us",
        ),
    ),
    (measure_rendering, ("render.annotated_s",)),
    (measure_live_checks, ("refine.live_checks_ms", "refine.near_duplicates_ms")),
    (measure_bundles, ("bundle.merge_ratio", "bundle.again_ratio")),
    (measure_agreement_time, ("people.agreement_s",)),
    (measure_key_errors, ("quality.key_errors_at_50", "quality.key_errors_gap")),
    (measure_necessity, ("quality.necessity_false", "quality.necessity_found", "quality.necessity_partial")),
    (measure_next_case, ("review.next_case_ms",)),
    (measure_next_shown, ("review.next_shown_ms",)),
    (measure_editing, ("edit.region_ms", "edit.refresh_ms")),
    (measure_next_picture, ("canvas.next_large_ms", "canvas.next_ms")),
    (measure_hands, HANDS_FIGURES),
    (measure_grid, ("library.grid_worst_ms", "library.grid_p50_ms")),
    (measure_opening, ("store.open_s",)),
    (measure_lists, ("store.page_p95_ms", "store.facets_ms")),
    (measure_sorting, ("store.sorted_page_p95_ms", "store.sort_p95_ms")),
    (measure_searches, ("store.search_p95_ms", "store.search_all_p95_ms")),
    (measure_saving, ("store.save_ratio", "store.save_p50_ratio")),
    (measure_export, ("release.export_ratio",)),
    (measure_report, ("release.report_s",)),
    (measure_memory, ("store.peak_mb",)),
    (measure_whole_project, tuple(f"whole.{work}_{unit}" for work in WORKS for unit in ("s", "mb"))),
    (measure_exactness, ("video.exact_share",)),
    (
        measure_seeking,
        (
            "video.seek_p50",
            "video.preview_p50",
            "video.scrub",
            "video.back_cold_p95",
            "video.back_cold_worst",
        ),
    ),
    (measure_steps_back, ("video.back_play_p95", "video.back_play_worst")),
    (measure_decoding, ("video.decode_share",)),
    (measure_playing, ("video.pair_painted", "video.pair_4x_gain", "video.quad_painted")),
    (measure_opening_video, ("video.open_ms",)),
    (measure_video_memory, ("video.rss_over_mb", "video.rss_growth_mb")),
    (measure_drafting, ("draft.rule_items_per_s",)),
    (measure_blind, BLIND_FIGURES),
    (measure_calibrated, CALIBRATED_FIGURES),
    (measure_model_evidence, MODEL_EVIDENCE_FIGURES),
    (
        measure_window,
        ("app.start_s", "app.start_ratio", "app.rss_mb", "app.first_start_s", "app.start_offscreen_s"),
    ),
)
"""What measures, and the figures that it gives."""


def run(*, only: str, out: Path, progress: Progress) -> dict[str, dict[str, Any]]:
    """Measure and write the results; a figure that cannot be measured says why.

    Args:
        only: Part of the names of the figures to measure, "" for all.
        out: The JSON file to write; projects are kept in ``bench`` beside it.
        progress: Told of each round.

    Returns:
        What the file holds: an object per figure, by name, in the order of ``TARGETS``.

    Raises:
        UserError: No figure has such a name.
        Cancelled: The user stopped it; nothing was written.
    """
    measures = [(measure, names) for measure, names in MEASURES if any(only in name for name in names)]
    if not measures:
        raise UserError(f"No figure is called {only!r}.", hint=f"There are: {', '.join(TARGETS)}.")
    folder = out.absolute().parent / WORK_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    ground = Ground(folder=folder, progress=progress)
    found: dict[str, Figure] = {}
    try:
        for measure, names in measures:
            found |= {figure.name: figure for figure in _measured(measure, names, ground)}
    finally:
        # Gigabytes of exports must not stay behind, not even after a cancel.
        ground.clear()
    machine = machine_text(folder)
    rows = {name: found[name].to_json(machine=machine) for name in TARGETS if name in found and only in name}
    out.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n")
    return rows


def _measured(
    measure: Callable[[Ground], Iterator[Figure]], names: tuple[str, ...], ground: Ground
) -> Iterator[Figure]:
    """Yield a measure's figures; where it breaks off, those that are missing tell the reason."""
    missing = dict.fromkeys(names)
    try:
        for figure in measure(ground):
            missing.pop(figure.name, None)
            yield figure
    except EnvironmentFailure as error:
        yield from (Figure(name=name, value=None, note=str(error)) for name in missing)
