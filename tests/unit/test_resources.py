from __future__ import annotations

import sys
from pathlib import Path

import pytest

import resources


def test_path_from_source_then_file_beside_the_module() -> None:
    assert (
        resources.path("tasksets/aircop.toml") == Path(resources.__file__).parent / "tasksets" / "aircop.toml"
    )


def test_path_when_frozen_then_below_the_unpacked_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resources.path("icons/undo.svg") == tmp_path.resolve() / "resources" / "icons" / "undo.svg"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../main.py", "tasksets/../../main.py", "/etc/passwd", "a\\..\\..\\b", "C:x", "a\0b"],
)
def test_path_when_the_name_leads_out_then_refused(name: str) -> None:
    with pytest.raises(ValueError, match="resource"):
        resources.path(name)


def test_path_when_a_link_leads_out_then_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "out").symlink_to(tmp_path)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    with pytest.raises(ValueError, match="Not inside"):
        resources.path("out/secret.txt")


def test_document_from_source_then_beside_the_code() -> None:
    assert (resources.document("docs/guide") / "library.md").is_file()
    assert resources.document("NOTICE").is_file()


def test_document_when_frozen_then_in_the_unpacked_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resources.document("docs/guide") == tmp_path.resolve() / "docs" / "guide"
