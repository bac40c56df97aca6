"""One measured figure, its target and its baseline."""

from __future__ import annotations

from typing import Literal

from annotator.domain.record import ValueObject

Better = Literal["lower", "higher"]


class Target(ValueObject, frozen=True, kw_only=True):
    """What a figure should reach.

    Attributes:
        value: The limit, itself allowed; None for a figure that is only told.
        unit: Unit of the value.
        better: Which side of the limit is good.
        words: What is measured.
    """

    value: float | None
    unit: str
    words: str
    better: Better = "lower"


_Limit = tuple[str, float | None, str, Better, str]
_BLIND_POLICIES = (
    ("embedded", "the embedded model is right"),
    ("probe", "the text probe is right"),
    ("any", "embedded model or probe is right"),
    ("all", "embedded model and probe are right"),
    ("mean", "both are right 0.2 above chance"),
    ("significance", "both are right beyond chance (0.05)"),
    ("calibrated", "texts, embedded model and probe point at the key (0.02)"),
)
_FOUND: tuple[tuple[str, Better, str], ...] = (
    ("recall", "higher", "items with planted shortcuts found where"),
    ("lost", "lower", "other items taken for guessed where"),
)
_BLIND: tuple[_Limit, ...] = tuple(
    (f"blind.{name}_{what}", None, "share", better, f"{text} {policy}")
    for name, policy in _BLIND_POLICIES
    for what, better, text in _FOUND
)
_FOUND_BY_TEXT: tuple[tuple[str, float, Better, str], ...] = (
    ("recall", 0.9, "higher", "planted shortcuts found, but for knowledge and negation"),
    ("lost", 0.02, "lower", "items without a shortcut taken for guessed"),
)
_CALIBRATED: tuple[_Limit, ...] = (
    *(
        (f"calibrated.{by}{what}_{size}", limit, "share", better, f"{text}, {size:,} items, by {evidence}")
        for size in (1_000, 2_000, 5_000)
        for by, evidence in (
            ("", "text alone"),
            ("probe_", "text and probe"),
            ("other_", "text alone, second generator"),
        )
        for what, limit, better, text in _FOUND_BY_TEXT
    ),
    ("calibrated.told_apart_recall", None, "share", "higher", "the same for knowledge and negation"),
    ("calibrated.bound_held", 0.95, "share", "higher", "sets without shortcuts whose loss is at most 0.02"),
    ("calibrated.bound_held_other", 0.95, "share", "higher", "the same of the second generator"),
    ("calibrated.bound_held_planted", 0.95, "share", "higher", "the same with 24 % shortcuts"),
    ("calibrated.bound_held_mixed", 0.95, "share", "higher", "sets of items with two and four options"),
    (
        "calibrated.bound_held_foreign",
        0.95,
        "share",
        "higher",
        "sets with shortcuts of three more generators",
    ),
    (
        "calibrated.translations_recall",
        None,
        "share",
        "higher",
        "shortcuts found, 1,000 items in Chinese",
    ),
    ("calibrated.translations_lost", 0.02, "share", "lower", "the same, items without a shortcut"),
    (
        "calibrated.readings_recall",
        None,
        "share",
        "higher",
        "shortcuts found, numbers alone as options",
    ),
    ("calibrated.readings_lost", 0.02, "share", "lower", "the same, items without a shortcut"),
    (
        "calibrated.claims_recall",
        None,
        "share",
        "higher",
        "shortcuts found, claims with 2 to 6 options",
    ),
    ("calibrated.claims_lost", 0.02, "share", "lower", "the same, items without a shortcut"),
    ("calibrated.small_recall", None, "share", "higher", "100 items, second generator, fixed weights"),
    ("calibrated.small_lost", None, "share", "lower", "the same, items without a shortcut"),
    ("calibrated.decide_s", None, "s", "lower", "20,000 items decided from stored predictions, first time"),
    ("calibrated.redecide_s", 2, "s", "lower", "the same items with another permitted loss"),
)
_EVIDENCE: tuple[tuple[str, float | None, str], ...] = (
    ("text", None, "no model"),
    ("likelihood", 0.6, "likelihoods of a model"),
    ("pmi", 0.6, "PMI of a model"),
    ("letters", 0.8, "log-probabilities of letters in rotations"),
    ("answers", 0.5, "answers in rotations"),
    ("stubborn", None, "answers of a model as sure of guesses"),
    ("three_stubborn", 0.6, "answers of three such models"),
)
_MODEL_EVIDENCE: tuple[_Limit, ...] = tuple(
    limit
    for name, least, text in _EVIDENCE
    for limit in (
        (f"model_evidence.{name}_recall", least, "share", "higher", f"hidden shortcuts found by {text}"),
        (f"model_evidence.{name}_lost", 0.02, "share", "lower", "the same, items without a shortcut"),
    )
)
_LIMITS: tuple[_Limit, ...] = (
    ("store.open_s", 2, "s", "lower", "opening 10^6 items, to the first page of the list"),
    ("store.page_p95_ms", 16, "ms", "lower", "page of 100 items under filters, p95"),
    ("store.facets_ms", 20, "ms", "lower", "counts of all facets, slowest selection"),
    ("store.sorted_page_p95_ms", 16, "ms", "lower", "page of 100 of 10^5 sorted items, p95"),
    ("store.sort_p95_ms", None, "ms", "lower", "the order of 10^5 items by a column, p95"),
    ("store.search_p95_ms", 50, "ms", "lower", "first page of a word search, p95"),
    ("store.search_all_p95_ms", None, "ms", "lower", "row numbers of a whole word search, p95"),
    ("store.save_ratio", 1.5, "×", "lower", "one edit, gesture to saved, p95 over a bare commit's"),
    ("store.save_p50_ratio", None, "×", "lower", "one edit, gesture to saved, median over a bare commit's"),
    ("store.peak_mb", 500, "MB", "lower", "peak memory of a process that does all this and the export"),
    ("whole.verify_s", 53.5, "s", "lower", "verify of 10^6 items"),
    ("whole.verify_mb", 500, "MB", "lower", "the same, peak memory"),
    ("whole.backup_s", 11.5, "s", "lower", "a verified backup of 10^6 items"),
    ("whole.backup_mb", 500, "MB", "lower", "the same, peak memory"),
    ("whole.stats_s", 5.5, "s", "lower", "statistics of 10^6 items"),
    ("whole.stats_mb", 500, "MB", "lower", "the same, peak memory"),
    (
        "whole.undo_s",
        114,
        "s",
        "lower",
        "undo of the command that made 10^6 items, until all rows are removed",
    ),
    ("whole.undo_mb", 500, "MB", "lower", "the same, peak memory"),
    ("release.export_ratio", 1.3, "×", "lower", "native release of 10^6 items over bare encode and write"),
    ("release.report_s", 20, "s", "lower", "report of 5,000 items as HTML and PDF"),
    ("import.aircop_s", 2, "s", "lower", "import of 2,248 AirCopBench records"),
    ("import.edit_wait_ms", 100, "ms", "lower", "an edit while 100,000 records are imported, p95"),
    ("import.peak_mb", 400, "MB", "lower", "peak memory of the import of a COCO file of 200 MB"),
    ("import.project_ratio", 4, "×", "lower", "the project's bytes after it, over the file's"),
    *(
        (f"import.{name}_ratio", 4, "×", "lower", f"reading {title} over a bare parse of the same file")
        for name, title in (
            ("topviewrs", "TopViewRS"),
            ("urbanvideo_parquet", "UrbanVideo-Bench Parquet"),
            ("video_list", "UrbanVideo-Bench video lists"),
            ("mm_uavbench", "MM-UAVBench"),
            ("vlmevalkit", "VLMEvalKit tables"),
            ("table", "own tables"),
            ("spatialuav_tasks", "SpatialUAV's older files"),
            ("aircop_test", "AirCopBench test files"),
            ("aircop_review", "AirCopBench review sheets"),
            ("indooruav_vla", "IndoorUAV test episodes"),
            ("indooruav_vln", "IndoorUAV instructions"),
            ("indooruav_posture", "IndoorUAV postures"),
            ("indooruav_folder", "IndoorUAV folders"),
            ("coco", "COCO"),
            ("yolo", "YOLO"),
            ("cvat", "CVAT"),
            ("label_studio", "Label Studio"),
            ("nuscenes", "nuScenes tables"),
            ("airsim", "AirSim recordings"),
        )
    ),
    ("jobs.rate_share", 0.97, "share", "higher", "model calls, of what 32 at once of 500 ms can make"),
    ("jobs.cpu_ms", 4, "ms", "lower", "CPU time of a worker per job, HTTP client included"),
    ("jobs.plan_s", 5, "s", "lower", "100,000 jobs planned and entered"),
    ("jobs.gui_worst_ms", 33, "ms", "lower", "a minute of editing beside model work, worst frame"),
    ("jobs.gui_p99_ms", None, "ms", "lower", "the same, 99th percentile"),
    ("app.gui_share", 0.7, "share", "higher", "work of the GUI thread beside background work, of that alone"),
    *(
        (f"app.gui_share_{kind}", None, "share", "higher", f"the same, beside {text}")
        for kind, text in (
            ("thumbnails", "loading thumbnails"),
            ("images", "loading images of 4000x2250"),
            ("timeline", "decoding frames for the timeline"),
            ("import", "imports"),
            ("checks", "checks of 100,000 items"),
            ("planning", "planning a run over 100,000 items"),
        )
    ),
    ("media.group_s", 10, "s", "lower", "10,000 images of a folder grouped into scenes and views"),
    ("canvas.worst_ms", 33, "ms", "lower", "5,000 boxes on 4000x2250, worst frame of all gestures"),
    ("canvas.mixed_worst_ms", 33, "ms", "lower", "the same with 500 polygons and 333 points among them"),
    ("canvas.p50_ms", None, "ms", "lower", "boxes alone, median frame"),
    *(
        (f"canvas.{gesture}_worst_ms", 33, "ms", "lower", f"boxes alone and mixed: {text}, worst frame")
        for gesture, text in (
            ("zoom", "zoom by the wheel"),
            ("pan", "pan"),
            ("hover", "the pointer moves to another region"),
            ("select", "a click selects a region, or all are selected"),
        )
    ),
    ("canvas.hit_us", None, "µs", "lower", "the region under the pointer, among 5,000"),
    ("render.annotated_s", 1, "s", "lower", "an annotated image of 4000x2250 with 20,000 regions, median"),
    ("edit.region_ms", 16, "ms", "lower", "a box among 100,000 regions, call to saved, median"),
    ("edit.refresh_ms", 16, "ms", "lower", "the same, saved to painted in the window, median"),
    ("refine.live_checks_ms", 16, "ms", "lower", "all checks of an edited item among 10^5, CPU time, p95"),
    ("refine.near_duplicates_ms", 16, "ms", "lower", "near-duplicates of an edited item, CPU time, p95"),
    ("bundle.merge_ratio", 2, "", "lower", "40 bundles of 100,000 items merged, to SQLite entering the rows"),
    ("bundle.again_ratio", 0.2, "", "lower", "the same bundles once more, to the first time"),
    ("people.agreement_s", 2, "s", "lower", "agreement of three people on 100,000 items, CPU time"),
    (
        "quality.key_errors_at_50",
        0.8,
        "",
        "higher",
        "real errors among the 50 most probable: 5 % of 2,000 keys, three models of 70 % accuracy",
    ),
    ("quality.key_errors_gap", 0.1, "", "lower", "the same share against the one that the estimate expects"),
    (
        "quality.necessity_false",
        0.05,
        "",
        "lower",
        "flags of items that need the part, 500 items, three models",
    ),
    ("quality.necessity_found", 0.8, "", "higher", "found items of those that do not need it, the same sets"),
    ("quality.necessity_partial", 0.15, "", "lower", "flags of items that one of four views answers in 70 %"),
    ("review.next_case_ms", 100, "ms", "lower", "next case after a decision, 20,000 flags on 100,000 items"),
    (
        "review.next_shown_ms",
        100,
        "ms",
        "lower",
        "key of a decision to the next case painted, in the window",
    ),
    ("canvas.next_large_ms", 27, "ms", "lower", "the next picture of 4000x2250, key press to painted"),
    ("canvas.next_ms", 30, "ms", "lower", "the next picture of 1280x720"),
    ("library.grid_worst_ms", 33, "ms", "lower", "scrolling through 100,000 thumbnails, worst frame"),
    ("library.grid_p50_ms", None, "ms", "lower", "the same, median frame"),
    ("hands.record_actions", 12, "", "lower", "an AirCopBench record of 5 boxes, with proposals"),
    (
        "hands.record_by_hand_actions",
        None,
        "",
        "lower",
        "the same record without detector, rules or other labels",
    ),
    ("hands.links_actions", 14, "", "lower", "six objects of a pair linked: keys, clicks and drags"),
    ("hands.occlusion_actions", None, "", "lower", "an object of one view marked as hidden in the other"),
    ("hands.path_actions", None, "", "lower", "a path of four points drawn"),
    (
        "hands.interpolated_actions",
        None,
        "",
        "lower",
        "ten objects marked on 21 frames by hand and interpolation",
    ),
    ("hands.tracked_actions", None, "", "lower", "the same with the tracker, each frame confirmed"),
    ("hands.tracked_at_once_actions", None, "", "lower", "the same with the tracker, all confirmed at once"),
    ("hands.boxes_actions", None, "", "lower", "ten boxes drawn"),
    ("hands.proposals_actions", None, "", "lower", "ten proposed boxes accepted one by one"),
    ("hands.polygon_actions", None, "", "lower", "a polygon of ten corners drawn"),
    ("hands.segmented_actions", None, "", "lower", "the same object outlined by the segmenter"),
    ("hands.flight_actions", None, "", "lower", "a flight of four segments with captions and instructions"),
    ("hands.refine_actions", 12, "", "lower", "an option, the answer and the class corrected, next item"),
    ("hands.keep_actions", 1, "", "lower", "an item kept, next item"),
    ("hands.region_answer_actions", 3, "", "lower", "a region picked as the answer"),
    ("video.exact_share", 1, "share", "higher", "frames that are the right one, over every kind of video"),
    ("video.back_play_p95", 0.05, "×", "lower", "step back after playing, p95, over cv2's median seek"),
    ("video.back_play_worst", 0.2, "×", "lower", "the same, worst step"),
    ("video.back_cold_p95", 0.05, "×", "lower", "step back after a cold seek, p95"),
    ("video.back_cold_worst", 0.5, "×", "lower", "the same, worst stall"),
    ("video.seek_p50", 0.8, "×", "lower", "cold exact seek, median"),
    ("video.scrub", 0.25, "×", "lower", "20 rising seeks"),
    ("video.preview_p50", 0.1, "×", "lower", "the nearest key frame at once, median"),
    ("video.decode_share", 0.85, "share", "higher", "decoding and converting, of bare decoding"),
    ("video.pair_painted", 1, "share", "higher", "two 720p videos at 1x, frames painted in step"),
    ("video.pair_4x_gain", 1.4, "×", "higher", "two 720p videos at 4x, painted over cv2 + ImageItem"),
    (
        "video.quad_painted",
        0.95,
        "share",
        "higher",
        "four 720p videos at 1x, frames painted in step",
    ),
    ("video.open_ms", 200, "ms", "lower", "first frame of a 14 s clip on the screen after opening"),
    ("video.rss_over_mb", 150, "MB", "lower", "memory over the cache's budget"),
    ("video.rss_growth_mb", 10, "MB", "lower", "memory after 20 rounds of opening and closing"),
    ("app.start_s", 1, "s", "lower", "process start to painted window"),
    ("app.first_start_s", 1, "s", "lower", "process start to painted window, while the demo is created"),
    ("app.start_offscreen_s", None, "s", "lower", "the same without a screen"),
    ("app.start_ratio", 1.3, "×", "lower", "start with 100,000 items over an empty project"),
    ("app.rss_mb", 250, "MB", "lower", "peak memory of the window with 100,000 items"),
    ("draft.rule_items_per_s", 2_000, "/s", "higher", "items drafted by rule from the demo city, saved"),
    *_BLIND,
    *_CALIBRATED,
    *_MODEL_EVIDENCE,
    ("score.letters_per_s", 50_000, "/s", "higher", "option letters scored"),
    ("score.mixed_per_s", 20_000, "/s", "higher", "predictions of all formats scored"),
    ("score.compare_s", 10, "s", "lower", "10 models on 10,000 items, with all differences and a table"),
)
TARGETS = {
    name: Target(value=value, unit=unit, better=better, words=text)
    for name, value, unit, better, text in _LIMITS
}
"""Source of names and limits: the project's performance requirements; docs/performance.md explains each."""


class Figure(ValueObject, frozen=True, kw_only=True):
    """One figure as it came out.

    Attributes:
        name: A key of ``TARGETS``.
        value: What was measured, None where it could not be.
        n: Number of measurements behind it.
        baseline: What it was compared with, in words; "" for nothing.
        baseline_value: The baseline's value in the figure's unit, or in the words' unit for a ratio.
        ratio: Value over baseline, None without one.
        note: What else should be known, for instance why it could not be measured.
    """

    name: str
    value: float | None
    n: int = 0
    baseline: str = ""
    baseline_value: float | None = None
    ratio: float | None = None
    note: str = ""

    @property
    def target(self) -> Target:
        """What it should reach."""
        return TARGETS[self.name]

    @property
    def is_met(self) -> bool | None:
        """Whether the target is reached; None where there is none."""
        limit = self.target.value
        if limit is None:
            return None
        if self.value is None:
            return False
        return self.value <= limit if self.target.better == "lower" else self.value >= limit

    def to_json(self, *, machine: str) -> dict[str, object]:
        """Return the figure as the object that ``build/bench.json`` holds."""
        return {
            "value": rounded(self.value),
            "unit": self.target.unit,
            "target": self.target.value,
            "is_met": self.is_met,
            "baseline": self.baseline,
            "baseline_value": rounded(self.baseline_value),
            "ratio": rounded(self.ratio),
            "n": self.n,
            "machine": machine,
            "note": self.note,
        }


def rounded(value: float | None) -> float | None:
    """Return a value with four significant digits: more would be noise."""
    return None if value is None else float(f"{value:.4g}")
