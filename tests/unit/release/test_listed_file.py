from __future__ import annotations

import os
from pathlib import Path

import pytest

from annotator.errors import UserError
from annotator.release.listed_file import read_listed_file
from annotator.release.manifest import PICTURE_LIST
from annotator.release.released_pictures import open_pictures
from annotator.scoring.released_pictures import ReleasedPictures

pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")


def test_read_listed_file_when_it_is_a_file_then_returns_its_content(tmp_path: Path) -> None:
    (tmp_path / "subset.jsonl").write_bytes(b"{}\n")
    assert read_listed_file(tmp_path / "subset.jsonl") == b"{}\n"


@pipes
def test_images_when_their_list_is_a_pipe_then_are_refused_with_the_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / PICTURE_LIST)
    with pytest.raises(UserError, match="it is not a file"):
        open_pictures(tmp_path, "0" * 64)


@pipes
def test_scores_when_the_list_of_images_is_a_pipe_then_there_are_no_images(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / PICTURE_LIST)
    assert ReleasedPictures(tmp_path).of_media([], dataset="air") == []
