"""The releases that a project has recorded, with the folders that are on this computer."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.release_difference.recorded_releases import recorded_releases, release_in
from annotator.session import Session
from tests.unit.release.samples import aircop_item, fill, release


def test_releases_when_listed_then_are_the_newest_first_with_folders_that_still_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Session.create(tmp_path / "p.vantage") as session:
        fill(session, aircop_item())
        release(session, Path("first"), "aircop", include_flagged=True)
        release(session, Path("second"), "native", include_flagged=True)
        os.chdir("/")
        with session.reader.snapshot():
            found = recorded_releases(session.reader, {})
        assert [(one.export_format, one.items, one.folder) for one in found] == [
            ("native", 1, tmp_path / "second"), ("aircop", 1, tmp_path / "first"),
        ]  # fmt: skip
        assert found[0].made_at >= found[1].made_at > ""
        # A folder that now contains something else is not that of the release; a known one is.
        moved = Path(shutil.move(tmp_path / "first", tmp_path / "moved"))
        shutil.copytree(tmp_path / "second", tmp_path / "first")
        with session.reader.snapshot():
            assert recorded_releases(session.reader, {})[1].folder is None
            known = recorded_releases(session.reader, {found[1].sha256: moved})
        assert known[1].folder == moved
        session.undo().result()
        with session.reader.snapshot():
            assert len(recorded_releases(session.reader, {})) == 1


def test_release_when_a_folder_has_none_then_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="contains no release"):
        release_in(tmp_path)
