"""The verbs on models: kept without secrets, tried over real HTTP."""

from __future__ import annotations

import json

import pytest

from annotator.cli.command_line import run
from models.model_catalog import InstalledModels
from tests.servers.chat_server import Behaviour, ChatServer


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("VANTAGE_CONFIG", str(tmp_path))


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run([*arguments, "--json"], catalogue=InstalledModels) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def names(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [one["name"] for one in told(capsys, "models", "list")["models"]]


def test_models_when_one_is_added_and_removed_then_the_list_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = names(capsys)
    told(
        capsys,
        "models",
        "add",
        "Ours",
        "--url",
        "http://127.0.0.1:9/v1",
        "--set",
        "rank=true",
        "--price",
        "1",
        "2",
    )
    (ours,) = [one for one in told(capsys, "models", "list")["models"] if one["name"] == "Ours"]
    assert (ours["options"], ours["price_in"], ours["price_out"]) == ({"rank": True}, 1.0, 2.0)
    told(capsys, "models", "remove", "Ours")
    assert names(capsys) == before


def test_models_try_when_the_server_answers_then_says_what_it_can(capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(answer=lambda body: "B") as server:
        told(capsys, "models", "add", "Ours", "--url", server.base_url, "--model", "m")
        findings = told(capsys, "models", "try", "Ours")["findings"]
    assert findings
    assert len(server.calls) > 1


@pytest.mark.parametrize(("name", "status"), [("Lost", 3), ("Locked", 2)])
def test_models_try_when_it_gives_no_answer_then_the_status_tells_failure_from_a_wrong_profile(
    capsys: pytest.CaptureFixture[str], name: str, status: int
) -> None:
    with ChatServer(behaviour=Behaviour(status=401, body=b"{}")) as server:
        told(capsys, "models", "add", "Lost", "--url", "http://127.0.0.1:9/v1", "--model", "m")
        told(capsys, "models", "add", "Locked", "--url", server.base_url, "--model", "m")
        assert run(["models", "try", name], catalogue=InstalledModels) == status
    assert f"'{name}' does not answer." in capsys.readouterr().err


def test_models_add_when_weights_are_named_from_here_then_their_place_is_kept_from_the_root(
    capsys: pytest.CaptureFixture[str], tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w.onnx").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    made = told(capsys, "models", "add", "Ours", "--adapter", "onnx", "--path", "w.onnx")
    assert made["path"] == str((tmp_path / "w.onnx").resolve())


def test_models_add_when_the_name_has_blanks_then_the_next_step_can_be_typed_as_it_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["models", "add", "Lab VLM", "--url", "http://127.0.0.1:9/v1"]) == 0
    assert "models try 'Lab VLM'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("try", "Nobody"), "There is no model 'Nobody'"),
        (("remove", "Nobody"), "There is no model 'Nobody'"),
        (("add", "Ours", "--url", "nowhere"), "needs a server URL"),
        (("add", "Ours", "--url", "http://ada:pass@h/v1"), "contains a user name or a password"),
        (("add", "Ours", "--adapter", "onnx", "--path", "gone.onnx"), "no file or folder gone.onnx"),
        (("add", "Ours", "--url", "http://h", "--set", "rank"), "is not in the form NAME=JSON"),
    ],
)
def test_models_when_asked_for_what_cannot_be_then_says_why(
    arguments: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["models", *arguments], catalogue=InstalledModels) == 2
    assert text in capsys.readouterr().err
