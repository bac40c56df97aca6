from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.importers.media_paths import read_path


@pytest.mark.parametrize(
    ("text", "path", "name"),
    [
        ("a.jpg", "a.jpg", "a.jpg"),
        ("./SpatialUAV/x/a.jpg", "SpatialUAV/x/a.jpg", "a.jpg"),
        ("UAV1\\a.jpg", "UAV1/a.jpg", "a.jpg"),
        ("x//y/./a.jpg", "x/y/a.jpg", "a.jpg"),
        ("图/原图.png", "图/原图.png", "原图.png"),
        ("a..b/c..jpg", "a..b/c..jpg", "c..jpg"),
    ],
)
def test_path_below_the_root_when_read_then_kept_with_plain_slashes(text: str, path: str, name: str) -> None:
    hint = read_path(text)
    assert (hint.path, hint.name, hint.refused) == (path, name, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/etc/passwd", "absolute"),
        ("\\\\server\\share\\a.jpg", "absolute"),
        ("../a.jpg", "is outside"),
        ("x/../../a.jpg", "is outside"),
        ("x\\..\\..\\a.jpg", "is outside"),
        ("C:\\a.jpg", "drive or URL"),
        ("c:a.jpg", "drive or URL"),
        ("./C:", "drive or URL"),
        (".\\c:a.jpg", "drive or URL"),
        ("https://example.org/a.jpg", "drive or URL"),
        ("", "empty"),
        ("./", "empty"),
        ("x/" * 600 + "a.jpg", "characters"),
    ],
)
def test_path_elsewhere_when_read_then_refused_with_the_reason(text: str, message: str) -> None:
    hint = read_path(text)
    assert hint.path == ""
    assert message in hint.refused


@given(st.text(st.sampled_from("a./\\:C~ é"), max_size=30))
def test_any_path_when_taken_then_it_stays_inside_on_every_system(text: str) -> None:
    path = read_path(text).path
    assert ".." not in path.split("/")
    assert "\\" not in path
    assert not PurePosixPath(path).is_absolute()
    windows = PureWindowsPath(path)
    assert not windows.drive
    assert not windows.root
