from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import msgspec
import pytest

from annotator.domain.record import to_json
from annotator.errors import UserError
from annotator.media.media_roots import OWN, MediaRoots, own_folder
from annotator.session import Session


def roots_of(folder: Path) -> MediaRoots:
    """Return the roots of a project p.vantage as this person has confirmed them."""
    return MediaRoots.of_project(
        folder / "p.vantage", own=folder / "p.media", project_id="p", settings=folder / "settings"
    )


def choices(folder: Path) -> Path:
    """Return the file of the person's choices."""
    return next((folder / "settings").glob("*/*.json"))


@pytest.fixture
def roots(tmp_path: Path) -> MediaRoots:
    for name in ("p.media/x", "disk one/y", "other/disk one"):
        (tmp_path / name).mkdir(parents=True)
    return roots_of(tmp_path)


def hint_of(roots: MediaRoots, file: Path) -> str:
    """Return the path of a file as a medium keeps it, "" where it lies in no root."""
    prefix = roots.prefix_of(file.parent)
    return "" if prefix is None else MediaRoots.join(prefix, file.name)


def test_file_when_a_path_is_below_the_own_root_then_it_lies_there(roots: MediaRoots, tmp_path: Path) -> None:
    assert roots.file_of("x/a.jpg") == tmp_path / "p.media" / "x" / "a.jpg"
    assert hint_of(roots, tmp_path / "p.media" / "x" / "a.jpg") == "x/a.jpg"


def test_file_when_a_path_names_a_further_root_then_it_lies_there(roots: MediaRoots, tmp_path: Path) -> None:
    name = roots.add(tmp_path / "disk one")
    assert name == "disk-one"
    assert roots.file_of("@disk-one/y/a.jpg") == tmp_path / "disk one" / "y" / "a.jpg"
    assert hint_of(roots, tmp_path / "disk one" / "y" / "a.jpg") == "@disk-one/y/a.jpg"
    assert roots.file_of("@unknown/y/a.jpg") is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        "../a.jpg",
        "/etc/passwd",
        "x/../../a.jpg",
        "@disk-one/../a.jpg",
        "@disk-one",
        "@disk-one/",
        "a\0b",
        ".",
    ],
)
def test_file_when_a_path_leads_nowhere_or_out_then_is_none(
    roots: MediaRoots, tmp_path: Path, path: str
) -> None:
    roots.add(tmp_path / "disk one")
    assert roots.file_of(path) is None


def test_file_when_a_link_leads_out_then_is_none(roots: MediaRoots, tmp_path: Path) -> None:
    (tmp_path / "secret.jpg").write_bytes(b"x")
    (tmp_path / "p.media" / "out.jpg").symlink_to(tmp_path / "secret.jpg")
    (tmp_path / "p.media" / "round").symlink_to(tmp_path / "p.media" / "round")
    (tmp_path / "p.media" / "in.jpg").symlink_to(tmp_path / "p.media" / "x" / "a.jpg")
    assert roots.file_of("out.jpg") is None
    assert roots.file_of("in.jpg") == tmp_path / "p.media" / "x" / "a.jpg"
    assert roots.file_of("round/a.jpg") is not None


def test_hint_when_a_folder_of_the_own_root_is_called_like_a_root_then_both_are_told_apart(
    roots: MediaRoots, tmp_path: Path
) -> None:
    file = tmp_path / "p.media" / "@disk" / "a.jpg"
    file.parent.mkdir()
    assert roots.file_of(MediaRoots.join("", "@disk/a.jpg")) == file
    assert roots.file_of(hint_of(roots, file)) == file


def test_hint_when_a_file_lies_in_no_root_then_is_empty(roots: MediaRoots, tmp_path: Path) -> None:
    assert hint_of(roots, tmp_path / "elsewhere" / "a.jpg") == ""
    assert roots.prefix_of(tmp_path) is None


def test_hint_when_roots_lie_in_each_other_then_the_inner_one_tells(
    roots: MediaRoots, tmp_path: Path
) -> None:
    roots.add(tmp_path, name="all")
    roots.add(tmp_path / "disk one", name="one")
    assert hint_of(roots, tmp_path / "disk one" / "y" / "a.jpg") == "@one/y/a.jpg"
    assert roots.prefix_of(tmp_path / "other") == "@all/other/"


def test_add_when_two_folders_are_called_alike_then_both_have_names(
    roots: MediaRoots, tmp_path: Path
) -> None:
    assert roots.add(tmp_path / "disk one") == "disk-one"
    assert roots.add(tmp_path / "other" / "disk one") == "disk-one-2"
    assert roots.add(tmp_path / "disk one") == "disk-one"
    assert list(roots.folders()) == ["", "@disk-one/", "@disk-one-2/"]


def test_roots_when_changed_then_others_see_it(roots: MediaRoots, tmp_path: Path) -> None:
    other = roots_of(tmp_path)
    assert dict(other.further) == {}
    roots.add(tmp_path / "disk one", name="a")
    roots.rename("a", to="b")
    assert dict(other.further) == {"b": tmp_path / "disk one"}
    roots.move("b", folder=tmp_path / "other")
    assert dict(other.further) == {"b": tmp_path / "other"}
    roots.remove("b")
    assert dict(other.further) == {}
    assert json.loads(choices(tmp_path).read_text()) == {}
    assert len(list((tmp_path / "settings").rglob("*.*"))) == 1
    assert list(tmp_path.glob("p.roots*")) == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda roots, folder: roots.add(folder / "none"), "The folder .* does not exist"),
        (lambda roots, folder: roots.add(folder, name="a/b"), "is not a valid name"),
        (lambda roots, folder: roots.add(folder, name="one"), "already"),
        (lambda roots, folder: roots.remove("none"), "Unknown media root"),
        (lambda roots, folder: roots.rename("one", to="../x"), "is not a valid name"),
        (lambda roots, folder: roots.move("one", folder=folder / "none"), "The folder .* does not exist"),
    ],
)
def test_change_when_it_cannot_be_then_words_say_why_and_nothing_changed(
    roots: MediaRoots, tmp_path: Path, change: object, text: str
) -> None:
    roots.add(tmp_path / "disk one", name="one")
    with pytest.raises(UserError, match=text):
        change(roots, tmp_path)
    assert dict(roots.further) == {"one": tmp_path / "disk one"}


@pytest.mark.parametrize("content", ["", "[]", "{", '{"roots": {"a": 7}}'])
def test_roots_when_their_file_is_damaged_then_words_name_it(
    roots: MediaRoots, tmp_path: Path, content: str
) -> None:
    roots.add(tmp_path / "disk one")
    choices(tmp_path).write_text(content)
    with pytest.raises(UserError, match=r"json is not a valid list"):
        roots.folders()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"roots": {"a": 7}}', " " * (1 << 21)])
def test_roots_when_the_list_beside_the_project_is_damaged_then_only_the_offers_fail(
    roots: MediaRoots, tmp_path: Path, content: str
) -> None:
    roots.add(tmp_path / "disk one")
    (tmp_path / "p.roots.json").write_text(content)
    assert list(roots.folders()) == ["", "@disk-one/"]
    with pytest.raises(UserError, match=r"p\.roots\.json is"):
        roots.offers()


def test_remove_when_there_is_no_root_at_all_then_words_say_so(roots: MediaRoots, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Unknown media root 'none'"):
        roots.remove("none")
    assert not (tmp_path / "settings").exists()


@pytest.mark.parametrize(
    "name",
    ["/etc", "../other", "a/../../b", "C:\\Windows", "..\\x", "\\\\host\\share", "a\0b", ".", "./", ".."],
)
def test_own_folder_when_a_project_names_one_elsewhere_then_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="outside of its own folder"):
        own_folder(tmp_path / "p.vantage", name)


@pytest.mark.parametrize("name", ["p.media", "a/b", ".p..media"])
def test_own_folder_when_it_lies_beside_the_project_then_is_that(tmp_path: Path, name: str) -> None:
    assert own_folder(tmp_path / "p.vantage", name) == tmp_path / name


def test_own_folder_when_a_project_names_none_then_is_the_usual_one(tmp_path: Path) -> None:
    assert own_folder(tmp_path / "p.vantage", "") == tmp_path / "p.media"


def roots_named(folder: Path, name: str) -> MediaRoots:
    """Return the roots of a project p.vantage that names a folder beside it."""
    project = folder / "p.vantage"
    own = own_folder(project, name)
    return MediaRoots.of_project(project, own=own, project_id="p", settings=folder / "settings")


def test_file_when_a_project_names_another_folder_beside_it_then_it_is_read_after_it_was_confirmed(
    tmp_path: Path,
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "a.jpg").write_bytes(b"x")
    roots = roots_named(tmp_path, "private")
    assert roots.offers() == {OWN: tmp_path / "private"}
    assert (roots.file_of("a.jpg"), roots.folders()) == (None, {})
    with pytest.raises(UserError, match="which you have not confirmed"):
        roots.folder_to_write()
    roots.allow(roots.offers())
    assert roots_named(tmp_path, "private").file_of("a.jpg") == tmp_path / "private" / "a.jpg"
    assert roots.folder_to_write("clips") == tmp_path / "private" / "clips"
    assert roots.offers() == {}


def test_file_when_the_usual_folder_is_a_link_to_one_beside_it_then_it_is_read_after_it_was_confirmed(
    tmp_path: Path,
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "a.jpg").write_bytes(b"x")
    (tmp_path / "p.media").symlink_to(tmp_path / "private")
    roots = roots_of(tmp_path)
    assert roots.offers() == {OWN: tmp_path / "private"}
    assert roots.file_of("a.jpg") is None
    roots.allow(roots.offers())
    assert roots.file_of("a.jpg") == tmp_path / "private" / "a.jpg"


def test_file_when_another_project_file_has_the_same_id_then_its_folders_are_confirmed_again(
    roots: MediaRoots, tmp_path: Path
) -> None:
    roots.add(tmp_path / "disk one", name="disk")
    foreign = tmp_path / "received"
    foreign.mkdir()
    other = MediaRoots.of_project(
        foreign / "p.vantage", own=foreign / "p.media", project_id="p", settings=tmp_path / "settings"
    )
    assert other.file_of("@disk/y/a.jpg") is None
    assert list(other.folders()) == [""]
    assert other.offers() == {"disk": tmp_path / "disk one"}
    other.decline(other.offers())
    assert other.offers() == {}
    assert roots.file_of("@disk/y/a.jpg") == tmp_path / "disk one" / "y" / "a.jpg"


def test_file_when_the_own_folder_was_confirmed_for_another_file_with_the_same_id_then_is_asked_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "p.media").symlink_to(tmp_path / "private")
    roots = roots_of(tmp_path)
    roots.allow(roots.offers())
    (tmp_path / "received").mkdir()
    (tmp_path / "received" / "p.media").symlink_to(tmp_path / "private")
    other = MediaRoots.of_project(
        tmp_path / "received" / "p.vantage",
        own=tmp_path / "received" / "p.media",
        project_id="p",
        settings=tmp_path / "settings",
    )
    assert other.offers() == {OWN: tmp_path / "private"}
    assert other.file_of("a.jpg") is None


def test_offers_when_the_choices_are_of_an_earlier_version_then_they_are_asked_for_once(
    roots: MediaRoots, tmp_path: Path
) -> None:
    roots.add(tmp_path / "disk one", name="disk")
    file = choices(tmp_path)
    file.rename(file.with_name(f"{file.stem.partition('-')[0]}.json"))
    assert roots_of(tmp_path).folders() == {"": tmp_path / "p.media"}
    moved = roots_of(tmp_path)
    moved.allow(moved.offers())
    assert moved.offers() == {}
    assert dict(roots_of(tmp_path).further) == {"disk": tmp_path / "disk one"}


def test_session_when_a_forged_project_names_a_folder_elsewhere_then_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "p.vantage"
    with Session.create(path) as session:
        made = session.reader.project
    outside = tmp_path / "outside"
    forged = msgspec.structs.replace(made, media_root=f"../{outside.name}")
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE project SET record=?", (to_json(forged),))
    connection.close()
    with pytest.raises(UserError, match="outside of its own folder"):
        Session.open(path)
    assert not outside.exists()


def test_file_of_when_the_path_is_longer_than_one_can_be_then_there_is_no_file(tmp_path: Path) -> None:
    roots = MediaRoots(tmp_path)
    assert roots.file_of("x" * 300) is None
    assert roots.file_of("a/" * 5_000 + "x") is None


def test_roots_when_the_settings_folder_is_a_file_then_nothing_is_confirmed(tmp_path: Path) -> None:
    (tmp_path / "settings").write_text("no folder")
    assert roots_of(tmp_path).file_of("x/a.jpg") == tmp_path / "p.media" / "x" / "a.jpg"
    assert roots_of(tmp_path).file_of("@disk/a.jpg") is None
