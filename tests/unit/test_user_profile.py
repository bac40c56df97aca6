from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from annotator import user_profile
from annotator.domain.actor import Actor
from annotator.errors import EnvironmentFailure, UserError
from annotator.user_profile import config_folder, current_actor, people_here, use_person


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path / "settings"))
    return tmp_path / "settings"


def test_actor_when_asked_twice_then_is_made_once(folder: Path) -> None:
    first = current_actor()
    assert len(first.id) == 32
    assert first.role == "person"
    assert current_actor() == first
    assert [path.name for path in folder.iterdir()] == ["identity.json"]


def test_actor_when_settings_are_of_somebody_else_then_is_somebody_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = current_actor()
    monkeypatch.setenv("VANTAGE_CONFIG", str(folder.with_name("other")))
    assert current_actor().id != first.id


def test_actor_when_the_name_was_changed_in_the_file_then_keeps_the_id(folder: Path) -> None:
    first = current_actor()
    (folder / "identity.json").write_text(f'{{"id":"{first.id}","name":"Zoë 王"}}', encoding="utf-8")
    assert current_actor() == Actor(id=first.id, name="Zoë 王")


def test_actor_when_the_folder_cannot_be_written_then_lasts_for_this_run(folder: Path) -> None:
    folder.write_text("a file in the way")
    first = current_actor()
    assert len(first.id) == 32
    assert current_actor().id != first.id
    assert folder.read_text() == "a file in the way"


@pytest.mark.parametrize("content", ["", "{", '{"id":"1"}', "[]", '{"id":7,"name":"x"}'])
def test_actor_when_the_file_is_damaged_then_says_what_to_do(folder: Path, content: str) -> None:
    folder.mkdir()
    (folder / "identity.json").write_text(content)
    with pytest.raises(UserError, match=r"identity\.json does not contain a valid user profile.*delete it"):
        current_actor()
    assert (folder / "identity.json").read_text() == content


@pytest.mark.parametrize("error", [OSError("no such user"), KeyError("uid not found")])
def test_actor_when_the_system_has_no_name_for_the_user_then_has_one_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail() -> str:
        raise error

    monkeypatch.setattr(getpass, "getuser", fail)
    assert current_actor().name == "annotator"


def test_actor_when_the_system_has_a_name_then_has_that(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_profile.getpass, "getuser", lambda: "wang")
    assert current_actor().name == "wang"


def test_config_folder_when_nothing_is_set_then_lies_in_the_persons_home(
    private_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VANTAGE_CONFIG", raising=False)
    assert private_home in config_folder().parents
    assert config_folder().name == "vantage"


def test_person_when_renamed_then_keeps_the_id_and_the_name_stays(folder: Path) -> None:
    renamed = Actor(id=current_actor().id, name="Zoë 王")
    use_person(renamed)
    assert current_actor() == renamed
    assert people_here() == (renamed,)
    assert [path.name for path in folder.iterdir()] == ["identity.json"]


def test_person_when_another_one_works_then_both_are_known_here_and_either_comes_back(folder: Path) -> None:
    anna, ben = current_actor(), Actor(id="b" * 32, name="Ben")
    use_person(ben)
    assert (current_actor(), people_here()) == (ben, (ben, anna))
    use_person(anna)
    assert (current_actor(), people_here()) == (anna, (anna, ben))


def test_person_when_the_name_cannot_be_written_then_says_so_and_the_old_one_stays(folder: Path) -> None:
    folder.write_text("a file in the place of the folder")
    with pytest.raises(EnvironmentFailure, match="could not be saved"):
        use_person(Actor(id="a" * 32, name="Ada"))
    assert current_actor().name != "Ada"


def test_people_when_the_list_is_damaged_then_says_what_to_do(folder: Path) -> None:
    current_actor()
    (folder / "people.json").write_text("[1]")
    with pytest.raises(UserError, match=r"people\.json does not contain a valid user profile.*delete it"):
        people_here()
