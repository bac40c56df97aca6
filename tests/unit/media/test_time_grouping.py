from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotator.media.time_grouping import Shot, group_by_time, named_moments


def _shots(**cameras: list[float]) -> list[Shot]:
    return [
        Shot(name=f"{camera}/{at}.jpg", camera=camera, time_s=time_s)
        for camera, times in cameras.items()
        for at, time_s in enumerate(times)
    ]


def test_moments_when_cameras_are_offset_then_the_nearest_are_together() -> None:
    grouping = group_by_time(_shots(a=[0.0, 1.0, 2.0], b=[1.1, 1.9]), tolerance_s=0.3)
    together = [{member.name for member in scene.members} for scene in grouping.scenes]
    assert together == [{"a/0.jpg"}, {"a/1.jpg", "b/0.jpg"}, {"a/2.jpg", "b/1.jpg"}]
    assert [scene.name for scene in grouping.scenes][:2] == ["1970-01-01 00:00:00", "1970-01-01 00:00:01"]


def test_moments_when_two_pictures_want_one_place_then_the_nearer_gets_it() -> None:
    grouping = group_by_time(_shots(a=[0.0, 10.0], b=[0.3, 0.1]), tolerance_s=1)
    together = [{member.name for member in scene.members} for scene in grouping.scenes]
    assert {"a/0.jpg", "b/1.jpg"} in together
    assert {"b/0.jpg"} in together


def test_moments_when_one_camera_takes_two_at_a_time_then_both_are_moments_with_names_of_their_own() -> None:
    names = [name for name, _ in named_moments(_shots(a=[5.0, 5.0]), tolerance_s=9)]
    assert names == ["1970-01-01 00:00:05", "1970-01-01 00:00:05 (2)"]


def test_moments_when_a_camera_missed_some_then_what_others_took_is_not_lost() -> None:
    grouping = group_by_time(_shots(a=[0.0, 1.0], b=[50.0], c=[50.1]), tolerance_s=0.5)
    assert [sorted(m.view for m in scene.members) for scene in grouping.scenes] == [["a"], ["a"], ["b", "c"]]


def test_grouping_by_time_when_names_and_times_disagree_then_people_are_told() -> None:
    shots = [
        Shot(name="card/DJI_0024.JPG", camera="card", time_s=11_078.0),
        Shot(name="card/DJI_0034.JPG", camera="card", time_s=836.0),
    ]
    grouping = group_by_time(shots, tolerance_s=1, undated=["card/DJI_0099.JPG"])
    (remark,) = grouping.remarks
    assert "DJI_0034.JPG follows DJI_0024.JPG by name but was taken earlier" in remark
    assert [scene.members[0].name for scene in grouping.scenes] == ["card/DJI_0034.JPG", "card/DJI_0024.JPG"]
    assert grouping.unmatched == ("card/DJI_0099.JPG",)


@given(
    times=st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 50)), max_size=40),
    tolerance_s=st.floats(0, 5),
)
def test_moments_when_shots_are_any_then_each_is_in_one_with_one_per_camera(
    times: list[tuple[str, float]], tolerance_s: float
) -> None:
    shots = [Shot(name=f"{at}", camera=camera, time_s=time_s) for at, (camera, time_s) in enumerate(times)]
    moments = [moment for _, moment in named_moments(shots, tolerance_s=tolerance_s)]
    assert sorted(shot.name for moment in moments for shot in moment) == sorted(shot.name for shot in shots)
    for moment in moments:
        assert len({shot.camera for shot in moment}) == len(moment)
        assert all(abs(shot.time_s - moment[0].time_s) <= tolerance_s for shot in moment)
