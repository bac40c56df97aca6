from __future__ import annotations

import msgspec

from annotator.domain.record import to_json
from annotator.domain.scene import Scene, SceneView

OLD = '{"id":"s","name":"01","views":[{"name":"UAV1","medium":"m"},{"name":"UAV2","medium":"n"}]}'


def test_scene_when_written_before_views_had_offset_and_ground_then_reads_and_writes_the_same() -> None:
    scene = msgspec.json.decode(OLD, type=Scene)
    assert scene.views[1] == SceneView(name="UAV2", medium="n", offset_s=0.0, to_ground=())
    assert to_json(scene) == OLD


def test_scene_when_views_have_offset_and_ground_then_comes_back_as_it_was() -> None:
    numbers = (1.0, 0.0, 0.5, 0.0, 1.0, -3.25, 0.0, 1e-5, 1.0)
    scene = Scene(name="01", views=(SceneView(name="UAV1", medium="m", offset_s=-0.48, to_ground=numbers),))
    assert msgspec.json.decode(to_json(scene), type=Scene) == scene


def test_medium_when_the_view_is_unknown_then_is_none() -> None:
    scene = Scene(name="01", views=(SceneView(name="UAV1", medium="m"),))
    assert (scene.medium_of("UAV1"), scene.medium_of("ground")) == ("m", None)
