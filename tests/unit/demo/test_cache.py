from __future__ import annotations

from pathlib import Path

import pytest

from annotator.demo import cache
from annotator.demo.cache import encode_captures, provide_captures
from annotator.demo.captures import Captures
from annotator.demo.shoot import Order
from annotator.progress import Progress
from annotator.user_profile import data_folder

NOTHING = Captures(pictures=(), marked=(), clips=(), interiors=(), landmarks=(), anomalies=())


def test_takings_when_another_window_shoots_the_same_then_what_it_keeps_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other window may be copying from its entry; to replace it would take its pictures away."""

    def shoot_slowly(order: Order, *, progress: Progress) -> Captures:
        del progress
        name = f"{order.size}-{order.seed}-{cache.code_digest()}"
        theirs = data_folder() / "demo-cache" / name
        (theirs / "media").mkdir(parents=True)
        (theirs / "media" / "theirs.png").write_bytes(b"picture")
        (theirs / "captures.json").write_bytes(encode_captures(NOTHING))
        return NOTHING

    monkeypatch.setattr(cache, "shoot", shoot_slowly)
    order = Order(folder=tmp_path / "media", size="small", seed=7)
    assert provide_captures(order, progress=Progress()) == NOTHING
    assert [path.name for path in order.folder.iterdir()] == ["theirs.png"]
    assert not list((data_folder() / "demo-cache").glob(".shoot-*"))
