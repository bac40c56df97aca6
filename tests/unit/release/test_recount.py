"""The counts of a manifest are those of the files, in formats whose records say what is counted."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from annotator.release.manifest import MANIFEST, read_manifest, verify_release
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, label, release, spatialuav_item, urbanvideo_item


def _released(folder: Path, form: str) -> Path:
    with Session.create(folder / "p.vantage") as session:
        fill(session, aircop_item(state="accepted"), spatialuav_item(), urbanvideo_item(), label())
        release(session, folder / "out", form, include_flagged=True)
    return folder / "out"


@pytest.mark.parametrize(
    ("form", "counted"),
    [
        ("native", ["entity", "state", "task"]),
        ("huggingface", ["dataset", "task"]),
        ("sharegpt", ["dataset", "task"]),
        ("aircop", []),
    ],
)
def test_counts_when_the_manifest_was_sealed_with_others_then_each_is_named(
    tmp_path: Path, form: str, counted: list[str]
) -> None:
    out = _released(tmp_path, form)
    assert verify_release(out) == []
    manifest = read_manifest(out)
    counts = {what: {"x": 1, **numbers} for what, numbers in manifest.counts.items()}
    forged = msgspec.structs.replace(manifest, counts=counts)
    (out / MANIFEST).write_bytes(forged.to_bytes())
    found = verify_release(out)
    named = sorted(problem.message.split(" per ")[1].split()[0] for problem in found)
    assert named == counted
