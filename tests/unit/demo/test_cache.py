from __future__ import annotations

from pathlib import Path

import pytest

from annotator.demo import cache
from annotator.demo.cache import bring_takings, encode_takings
from annotator.demo.shoot import Order
from annotator.demo.takings import Takings
from annotator.progress import Progress
from annotator.user_profile import data_folder

NOTHING = Takings(pictures=(), marked=(), clips=(), interiors=(), landmarks=(), anomalies=())


def test_takings_when_another_window_shoots_the_same_then_what_it_keeps_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other window may be copying from its entry; to replace it would take its pictures away."""

    def shoot_slowly(order: Order, *, progress: Progress) -> Takings:
        del progress
        name = f"{order.size}-{order.seed}-{cache.code_digest()}"
        theirs = data_folder() / "demo-cache" / name
        (theirs / "media").mkdir(parents=True)
        (theirs / "media" / "theirs.png").write_bytes(b"picture")
        (theirs / "takings.json").write_bytes(encode_takings(NOTHING))
        return NOTHING

    monkeypatch.setattr(cache, "shoot", shoot_slowly)
    order = Order(folder=tmp_path / "media", size="small", seed=7)
    assert bring_takings(order, progress=Progress()) == NOTHING
    assert [path.name for path in order.folder.iterdir()] == ["theirs.png"]
    assert not list((data_folder() / "demo-cache").glob(".shoot-*"))
