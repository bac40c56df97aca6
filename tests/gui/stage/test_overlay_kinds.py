"""Kinds of overlays, each on and off, and what a scene knows for them."""

from __future__ import annotations

from pathlib import Path as FilePath

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from annotator.domain.event_label import EventLabel, PercentBox
from annotator.domain.link import Link
from annotator.domain.medium import Medium
from annotator.domain.polyline import Polyline
from annotator.domain.region import Region
from annotator.domain.scene import Scene, SceneView
from annotator.domain.trajectory import Pose, Trajectory
from annotator.media.render import COLOURS, UNLINKED, Overlay, Rendering
from tests.gui.stage.hands import Hands, make_region, make_scene
from tests.gui.stage.test_painting import pixels_of
from widgets.medium_view import MediumView
from widgets.overlay_kinds import KINDS, TITLES, OverlayKind, OverlayKinds
from widgets.settings import Settings
from widgets.stage.camera_trajectory import top_view_plan
from widgets.stage.issues import issues_of, largest_of_each
from widgets.stage.overlay_painter import OverlayState, paint_marks
from widgets.stage.reprojected_regions import ReprojectedRegion
from widgets.stage.scene import StageScene
from widgets.stage.scene_overlays import SceneOverlays, ViewMoment, overlays_of, selected_reprojections
from widgets.stage.segments import segments_of
from widgets.stage.view_annotations import NOTHING, ViewAnnotations
from widgets.stage.view_transform import fit_transform

SIZE = (640, 360)
ISSUE = PercentBox(x=50, y=50, width=10, height=20, labels=("occluded",))
LABEL = EventLabel(id="e", scene="s", medium="m1", issue_boxes=(ISSUE,))
MARKS = Overlay(
    regions=(make_region("r", "m1", 7, (100, 100, 160, 140)),),
    links=(Link(id="l", scene="s", regions=("r", "elsewhere")),),
    paths=(Polyline(id="p", medium="m1", points=((300.0, 50.0), (400.0, 50.0))),),
)
GHOST = ReprojectedRegion(
    view="UAV2",
    region=MARKS.regions[0],
    corners=np.array(((500.0, 200.0), (560.0, 200.0), (560.0, 240.0), (500.0, 240.0))),
    colour=3,
)
WALK = Trajectory(
    id="t",
    scene="s",
    poses=tuple(Pose(x_m=float(at), y_m=0.0, z_m=1.0, yaw_deg=0.0) for at in range(5)),
    times_s=(0.0, 1.0, 2.0, 3.0, 4.0),
    key_frames=(0, 2),
    actions=("fly_forward", "fly_forward", "turn_left", "fly_forward"),
)


def scene_of(
    marks: Overlay = MARKS, *, medium: Medium | None = None, flights: tuple[Trajectory, ...] = ()
) -> StageScene:
    shown = MediumView(view="UAV1", medium=medium or Medium(id="m1", name="1.jpg"), file=None)
    scene = Scene(id="s", name="0001", views=(SceneView(name="UAV1", medium="m1"),))
    return StageScene(scene=scene, media=(shown,), marks=marks, labels=(LABEL,), trajectories=flights)


def painted(
    kinds: OverlayKinds,
    *,
    rendering: Rendering = "annotated",
    hidden: frozenset[str] = frozenset(),
    marks: Overlay = MARKS,
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return what is painted over black, uint8 (height, width, 3)."""
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    shown = scene_of(flights=(WALK,))
    overlays = SceneOverlays(
        issues=issues_of(shown.labels, medium="m1") if kinds.issues else None,
        plan=top_view_plan(shown.flights["m1"], time_s=2.0) if kinds.trail else None,
        reprojected=(GHOST,) if kinds.reprojected else (),
    )
    state = OverlayState(rendering=rendering, ratio=1.0, hidden=hidden, kinds=kinds)
    transform = fit_transform(*SIZE, image_width=SIZE[0], image_height=SIZE[1])
    paint_marks(image, ViewAnnotations(marks=marks), transform=transform, state=state, overlays=overlays)
    return pixels_of(image)


ONLY = OverlayKinds(
    regions=False, numbers=False, links=False, paths=False, issues=False, trail=False, reprojected=False
)
PARTS: dict[OverlayKind, tuple[slice, slice]] = {
    "regions": (slice(95, 145), slice(95, 165)),
    "paths": (slice(40, 60), slice(295, 410)),
    "issues": (slice(150, 260), slice(310, 450)),
    "trail": (slice(215, 355), slice(500, 640)),
    "reprojected": (slice(180, 250), slice(490, 570)),
}


@pytest.mark.parametrize("kind", PARTS)
def test_kind_when_it_alone_is_on_then_it_alone_is_painted(kind: OverlayKind) -> None:
    shown = painted(ONLY.toggled(kind))
    rows, columns = PARTS[kind]
    assert shown[rows, columns].any()
    shown[rows, columns] = 0
    assert not shown.any()


def test_path_when_the_image_itself_shows_it_then_it_is_not_painted_again() -> None:
    (path,) = MARKS.paths
    marks = Overlay(paths=(msgspec.structs.replace(path, label="route", is_in_image=True),))
    assert not painted(ONLY.toggled("paths"), marks=marks).any()


def test_numbers_when_off_then_only_the_outline_is_left() -> None:
    outline = painted(ONLY.toggled("regions"))
    both = painted(ONLY.toggled("regions").toggled("numbers"))
    assert both[84:98, 98:112].any()
    both[84:98, 98:112] = outline[84:98, 98:112]
    assert np.array_equal(both, outline)
    assert not painted(ONLY.toggled("numbers")).any()


@pytest.mark.parametrize(("is_on", "colour"), [(True, 0), (False, 7)])
def test_links_when_off_then_regions_have_the_colour_of_their_number(is_on: bool, colour: int) -> None:
    kinds = ONLY.toggled("regions").toggled("links") if is_on else ONLY.toggled("regions")
    assert colour != UNLINKED or not is_on
    red, green, blue = (int(COLOURS[colour][at : at + 2], 16) for at in (1, 3, 5))
    assert tuple(painted(kinds)[120, 100]) == (red, green, blue)


def test_overlays_when_the_rendering_is_detected_then_only_regions_and_numbers_are_painted() -> None:
    everything = OverlayKinds(reprojected=True)
    shown = painted(everything, rendering="detected")
    assert np.array_equal(
        shown, painted(OverlayKinds(paths=False, issues=False, trail=False), rendering="detected")
    )
    assert shown.any()
    assert not painted(everything, rendering="clean").any()


def test_mark_when_a_tool_draws_it_then_the_overlay_does_not() -> None:
    kinds = ONLY.toggled("regions").toggled("paths")
    assert not painted(kinds, hidden=frozenset({"r", "p"})).any()


def test_kinds_when_toggled_then_all_have_words_and_only_one_changes() -> None:
    assert set(TITLES) == set(KINDS)
    for kind in KINDS:
        changed = OverlayKinds().toggled(kind)
        assert [other for other in KINDS if getattr(changed, other) != getattr(OverlayKinds(), other)] == [
            kind
        ]


def test_stage_when_a_kind_is_switched_off_then_every_view_leaves_it_out(hands: Hands) -> None:
    before = [pixels_of(canvas.ground()) for canvas in hands.stage.canvases]
    hands.stage.overlays.toggle("regions")
    for canvas, shown in zip(hands.stage.canvases, before, strict=True):
        assert not np.array_equal(pixels_of(canvas.ground()), shown)
    hands.move(150, 120)
    assert hands.canvas().hovered is None
    hands.stage.overlays.toggle("regions")
    assert all(
        np.array_equal(pixels_of(canvas.ground()), shown)
        for canvas, shown in zip(hands.stage.canvases, before, strict=True)
    )


def test_stage_when_a_region_is_selected_then_its_reprojection_is_in_the_view_that_lacks_it(
    hands: Hands, tmp_path: FilePath
) -> None:
    shown = make_scene(tmp_path)
    identity = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    views = tuple(msgspec.structs.replace(view, to_ground=identity) for view in shown.scene.views)
    scene = msgspec.structs.replace(shown.scene, views=views)
    hands.show(StageScene(scene=scene, media=shown.media, marks=shown.marks))
    other = hands.canvas(1)
    before = pixels_of(other.grab().toImage())
    hands.stage.select(["a0"])
    ratio = 2
    changed = np.any(pixels_of(other.grab().toImage()) != before, axis=2)
    rows, columns = np.nonzero(changed)
    # The region of the first view, at the same place since both are the same plane, with its number above.
    assert (columns.min() // ratio, columns.max() // ratio) == pytest.approx((100, 200), abs=3)
    assert rows.max() // ratio == pytest.approx(160, abs=3)
    hands.stage.select(["a1"])
    # It is linked with a region of this view.
    assert selected_reprojections(other) == []


def test_issue_boxes_when_turned_then_turn_about_their_upper_left_corner_in_pixels() -> None:
    box = PercentBox(x=50, y=50, width=10, height=10, rotation=90, labels=("too_small", "odd"))
    issues = issues_of((EventLabel(id="e", medium="m1", what_boxes=(box,)),), medium="m1")
    (corners,) = issues.corners_in(width=1000, height=500)
    assert corners == pytest.approx(np.array(((500, 250), (500, 350), (450, 350), (450, 250))))
    assert issues.lists == ("what",)
    assert issues.label_texts() == ["too_small, odd"]


def test_issue_boxes_when_two_people_drew_the_same_then_are_one() -> None:
    labels = (LABEL, msgspec.structs.replace(LABEL, id="f"), EventLabel(id="g", medium="other"))
    assert len(issues_of(labels, medium="m1").lists) == 1


def test_scene_when_asked_for_a_frame_then_gives_its_marks_and_keeps_them() -> None:
    regions = tuple(
        msgspec.structs.replace(make_region(f"r{at}", "m1", at, (0, 0, 9, 9)), frame=at % 3)
        for at in range(9)
    )
    shown = scene_of(Overlay(regions=regions, links=MARKS.links))
    assert [region.number for region in shown.marks_of("m1", 1).regions] == [1, 4, 7]
    assert shown.marks_of("m1", 5) == Overlay(links=MARKS.links)
    assert shown.marks_of("m1", 1) == shown.marks.of("m1", frame=1)
    assert shown.view_marks("m1", 2) is shown.view_marks("m1", 2)
    assert shown.marked_frames == {"m1": (0, 1, 2)}


def test_video_marks_when_a_scene_has_links_then_have_their_colours() -> None:
    region = msgspec.structs.replace(MARKS.regions[0], frame=4)
    shown = scene_of(Overlay(regions=(region,), links=MARKS.links))
    assert shown.view_marks("m1", 4).colours("annotated")[0] & 0xFFFFFF == int(COLOURS[0][1:], 16)


VIDEO = Medium(id="m1", name="1.mp4", media_type="video", frames=5, duration_s=5.0)


def test_segments_when_a_flight_has_key_frames_then_are_the_stretches_between_them() -> None:
    found = segments_of((WALK,), media=(("UAV1", VIDEO),))
    assert [(one.first_s, one.last_s, one.actions) for one in found] == [
        (0.0, 2.0, ("fly_forward",)),
        (2.0, 4.0, ("turn_left", "fly_forward")),
    ]


def test_segments_when_parts_are_tasks_then_are_named_and_their_frames_count_from_one() -> None:
    flight = msgspec.structs.replace(WALK, name="traj_1", times_s=(), key_frames=())
    part = Trajectory(id="u", scene="s", name="traj_1/vla_ins_2.json", metadata={"source": [2, 4]})
    (found,) = [one for one in segments_of((flight, part), media=(("UAV1", VIDEO),)) if one.name]
    assert (found.name, found.first_s, found.last_s) == ("vla_ins_2.json", 1.0, 3.0)
    assert found.actions == ("fly_forward", "turn_left")


def test_segments_when_no_times_can_be_told_then_there_are_none() -> None:
    flight = msgspec.structs.replace(WALK, times_s=())
    still = Medium(id="m1", name="1.jpg")
    assert segments_of((flight,), media=(("UAV1", still),)) == ()


def view_moment(time_s: float | None) -> ViewMoment:
    return ViewMoment(medium="m1", size=SIZE, time_s=time_s, marks=NOTHING)


def test_beyond_when_only_places_are_known_then_is_a_plan_that_grows_with_time() -> None:
    shown = scene_of(medium=VIDEO, flights=(WALK,))
    plans = [overlays_of(shown, view_moment(time_s), kinds=OverlayKinds()).plan for time_s in (1.0, 3.0)]
    lengths = [float(np.ptp(plan.done[:, 0])) for plan in plans if plan is not None]
    assert lengths == pytest.approx([0.25, 0.75])
    assert overlays_of(shown, view_moment(1.0), kinds=OverlayKinds(trail=False)).plan is None


def test_beyond_when_nothing_is_known_of_a_flight_then_has_no_way() -> None:
    overlays = overlays_of(scene_of(), view_moment(None), kinds=OverlayKinds())
    assert (overlays.trail, overlays.plan, overlays.reprojected) == (None, None, ())
    assert overlays.issues is not None


def test_point_when_its_place_is_asked_for_then_it_is_that_of_its_ring(hands: Hands) -> None:
    region = Region(id="o", medium="m1", number=1, box=make_region("o", "m1", 1, (50, 60, 50, 60)).box)
    rect = hands.canvas().region_rect(region)
    assert rect.center().toTuple() == hands.canvas().view_point(50, 60)
    assert rect.width() == rect.height() > 8


def test_largest_of_each_when_boxes_share_a_word_then_takes_the_largest_that_is_seen() -> None:
    def square(x: float, side: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.array([(x, 10), (x + side, 10), (x + side, 10 + side), (x, 10 + side)], np.float64)

    outlines = [square(0, 10), square(50, 20), square(500, 90), square(30, 5)]
    assert largest_of_each(["a", "a", "a", "b"], outlines, size=(200, 100)) == {"a": 1, "b": 3}


def test_kinds_when_chosen_then_are_remembered_where_they_differ_from_the_usual(
    hands: Hands, tmp_path: FilePath
) -> None:
    settings, overlays = Settings(tmp_path / "window.ini"), hands.stage.overlays
    overlays.remember_in(settings)
    overlays.toggle("numbers")
    overlays.toggle("reprojected")
    overlays.toggle("paths")
    overlays.toggle("paths")
    assert sorted(settings.names("stage/show")) == ["numbers", "reprojected"]
    assert hands.canvas(1).kinds == OverlayKinds(numbers=False, reprojected=True)
    # A stage of another sitting.
    overlays.kinds = OverlayKinds()
    overlays.remember_in(Settings(tmp_path / "window.ini"))
    assert overlays.kinds == hands.canvas().kinds == OverlayKinds(numbers=False, reprojected=True)


def test_kinds_when_the_usual_ones_are_wanted_then_all_views_show_them_and_nothing_is_remembered(
    hands: Hands, tmp_path: FilePath
) -> None:
    settings, overlays = Settings(tmp_path / "window.ini"), hands.stage.overlays
    overlays.remember_in(settings)
    before = pixels_of(hands.canvas().ground())
    for kind in KINDS:
        overlays.toggle(kind)
    assert not np.array_equal(pixels_of(hands.canvas().ground()), before)
    overlays.show_usual()
    assert np.array_equal(pixels_of(hands.canvas().ground()), before)
    assert settings.names("stage/show") == []


def test_kinds_when_chosen_on_another_stage_then_are_taken_when_this_one_becomes_visible(
    hands: Hands, tmp_path: FilePath
) -> None:
    settings = Settings(tmp_path / "window.ini")
    hands.stage.overlays.remember_in(settings)
    hands.stage.hide()
    settings.keep("stage/show/regions", False)
    hands.stage.show()
    assert not hands.canvas().kinds.regions
