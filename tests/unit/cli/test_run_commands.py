"""Runs from the command line: listed, shown, steered, limited, read, compared."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile
from annotator.jobs.confirmed_runs import FILE
from annotator.jobs.profile_file import read_profiles, write_profiles
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.servers.chat_server import Behaviour, ChatServer
from tests.unit.cli.conftest import Verb
from tests.unit.cli.test_eval_commands import moments, project, server
from tests.unit.store.making import changed, write

__all__ = ["moments", "project", "server"]


@pytest.fixture
def run_id(project: Path, ask: Verb) -> str:
    return str(ask("blind", project, "--models", "first,longest", "--json").json["run"])


def test_list_when_there_is_a_run_then_tells_how_it_stands(project: Path, ask: Verb, run_id: str) -> None:
    (told,) = ask("runs", "list", project, "--json").json["runs"]
    assert (told["id"], told["kind"], told["state"]) == (run_id, "blind", "done")
    assert told["progress"]["done"] == told["progress"]["total"] == 8
    assert told["condition"] == "done"
    listed = ask("runs", "list", project).out
    for text in ("Blind filter 1", "first, longest", "Done", "unknown price", "started (UTC)", "duration"):
        assert text in listed


def test_show_when_calls_failed_then_tells_how_with_a_sample(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    server.behave(Behaviour(status=400, body=b'{"error": {"message": "no such model"}}'), times=4)
    ask("blind", project, "--models", "first")
    shown = ask("runs", "show", project, "last", "--json").json
    assert shown["progress"]["failed"] == 4
    (failure,) = shown["failures"]
    assert failure["kind"] == "refused"
    assert failure["count"] == 4
    assert "no such model" in ask("runs", "show", project, "last").out


def test_retry_when_calls_failed_then_asks_those_again(project: Path, ask: Verb, server: ChatServer) -> None:
    server.behave(Behaviour(status=400, body=b"{}"), times=2)
    said = ask("blind", project, "--models", "first", "--json")
    (first,) = said.json["report"]["models"]
    assert first["kinds"] == {"answer": 2, "error": 2}
    assert said.json["report"]["undecided"] == 2
    told = ask("runs", "retry", project, said.json["run"], "--json")
    assert told.json["progress"]["failed"] == 0
    assert len(server.calls) == 6
    assert (
        ask("runs", "redecide", project, "last", "--policy", "all", "--json").json["report"]["undecided"] == 0
    )


def test_resume_when_a_limit_stopped_the_run_then_goes_on_with_more(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    known = read_profiles(config_folder())
    dear = msgspec.structs.replace(
        known["first"], name="dear", price_in=1000.0, price_out=1000.0, in_flight=1
    )
    write_profiles(config_folder(), [*known.values(), dear])
    said = ask("blind", project, "--models", "dear", "--limit-cost", "0.1", "--json")
    assert said.status == 1
    assert said.json["state"] == "stopped"
    assert said.json["report"]["undecided"] == 4
    assert server.calls == []
    assert "limit" in ask("runs", "show", project, "last").out
    told = ask("runs", "resume", project, "last", "--limit-cost", "10", "--json")
    assert told.json["state"] == "done"
    assert len(server.calls) == 4
    # Ten tokens asked and one answered, four times, at 1,000 a million.
    assert told.json["cost"] == pytest.approx(0.044)
    assert told.json["cost_parts"] == {
        "answers": pytest.approx(0.044),
        "answers_without_token_counts_at_most": 0.0,
        "lost_calls_at_most": 0.0,
    }
    assert "It cost 0.0440." in ask("runs", "show", project, "last").out


def test_show_when_the_server_counts_no_tokens_then_its_answers_cost_at_most_that_much(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    known = read_profiles(config_folder())
    dear = msgspec.structs.replace(known["first"], name="dear", price_in=1000.0, in_flight=1)
    write_profiles(config_folder(), [*known.values(), dear])
    message = {"role": "assistant", "content": "A"}
    body = msgspec.json.encode({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    server.behave(Behaviour(body=body), times=1)
    ask("blind", project, "--models", "dear")
    shown = ask("runs", "show", project, "last", "--json").json
    parts = shown["cost_parts"]
    # The other three: ten tokens asked, at 1,000 a million.
    assert parts["answers"] == pytest.approx(0.03)
    assert parts["answers_without_token_counts_at_most"] == pytest.approx(shown["cost"] - 0.03)
    assert parts["answers_without_token_counts_at_most"] > 0.01
    assert (
        "(answers 0.0300, answers without token counts at most " in ask("runs", "show", project, "last").out
    )


def test_cancel_when_a_run_is_stopped_then_nothing_of_it_waits(project: Path, ask: Verb) -> None:
    known = read_profiles(config_folder())
    dear = msgspec.structs.replace(known["first"], name="dear", price_in=1000.0)
    write_profiles(config_folder(), [*known.values(), dear])
    ask("blind", project, "--models", "dear", "--limit-cost", "0")
    assert ask("runs", "pause", project, "last", "--json").json["state"] == "stopped"
    told = ask("runs", "cancel", project, "last", "--json")
    assert told.json["state"] == "cancelled"
    assert told.json["progress"]["cancelled"] == 4


def test_predictions_when_printed_then_are_one_object_a_line(
    project: Path, ask: Verb, run_id: str, tmp_path: Path
) -> None:
    lines = ask("runs", "predictions", project, run_id[:20]).out.splitlines()
    assert len(lines) == 8
    one = json.loads(lines[0])
    assert one["kind"] == "answer"
    assert one["model"]["name"]
    assert one["spec"]["prompt"] == "ask 1"
    out = tmp_path / "v.jsonl"
    ask("runs", "predictions", project, "last", "--out", out)
    assert out.read_text(encoding="utf-8").splitlines() == lines


def test_predictions_when_asked_for_json_then_are_one_object(
    project: Path, ask: Verb, run_id: str, tmp_path: Path
) -> None:
    told = ask("runs", "predictions", project, run_id, "--json").json
    assert len(told["predictions"]) == 8
    out = tmp_path / "v.jsonl"
    written = ask("runs", "predictions", project, run_id, "--json", "--out", out).json
    assert written == {"file": str(out), "predictions": 8}
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert lines == told["predictions"]
    assert "8 answers written to" in ask("runs", "predictions", project, run_id, "--out", out).out


def test_show_when_a_run_is_called_by_the_end_of_its_id_as_lists_show_it_then_is_found(
    project: Path, ask: Verb, run_id: str
) -> None:
    ask("blind", project, "--models", "sure")
    assert run_id[-12:] in ask("runs", "list", project).out
    assert ask("runs", "show", project, run_id[-12:], "--json").json["id"] == run_id


def test_list_when_there_is_no_run_then_says_how_to_begin_one(project: Path, ask: Verb) -> None:
    assert "There are no runs. Start one with: blind" in ask("runs", "list", project).out
    assert ask("runs", "list", project, "--json").json == {"runs": []}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("pause", "The run is done: nothing was changed."),
        ("cancel", "The run is done: nothing was changed."),
        ("resume", "The run is done and cannot be resumed."),
        ("retry", "0 questions are asked again."),
    ],
)
def test_steering_when_the_run_is_over_then_says_that_nothing_happens(
    project: Path, ask: Verb, run_id: str, step: str, message: str
) -> None:
    said = ask("runs", step, project, run_id, "--json")
    assert (said.status, said.json["state"]) == (0, "done")
    assert message in said.err


def test_retry_when_it_fails_again_then_status_tells_of_problems(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    server.behave(Behaviour(status=400, body=b"{}"), times=5)
    run_id = ask("blind", project, "--models", "first", "--json").json["run"]
    assert ask("runs", "retry", project, run_id).status == 1
    said = ask("runs", "retry", project, run_id)
    assert said.status == 0
    # All is answered by now: what failed on the way is told where somebody asks for it.
    assert "Calls that failed" not in said.out
    assert "Calls that failed" in ask("runs", "show", project, run_id).out


def test_redecide_when_no_policy_is_named_then_asks_for_one(project: Path, ask: Verb, run_id: str) -> None:
    said = ask("runs", "redecide", project, run_id)
    assert said.status == 2
    assert "Missing option '--policy'" in said.err
    assert ask("runs", "redecide", project, run_id, "--policy", "any").status == 1


def test_decisions_when_written_then_each_line_names_the_item_with_its_evidence(
    project: Path, ask: Verb, run_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "decisions.jsonl"
    told = ask("runs", "decisions", project, run_id, "--policy", "calibrated", "--out", file, "--json").json
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert told == {"file": str(file), "decisions": 4}
    assert "O_1" in {line["item"] for line in lines}
    for line in lines:
        assert line["policy"] == "calibrated<0.02"
        assert line["statistics"].keys() == line["options"].keys()
        assert line["statistics"][line["answer_key"]] == line["calibrated"]["statistic"]
    assert ask("runs", "decisions", project, run_id, "--policy", "any", "--out", file).out
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {line["decision"] for line in lines} >= {"guessed"}
    assert all(line["statistics"] == {} for line in lines)


def test_redecide_when_the_policy_is_calibrated_then_states_its_bound_and_its_basis(
    project: Path, ask: Verb, run_id: str
) -> None:
    printed = ask("runs", "redecide", project, run_id, "--policy", "calibrated<0.05").out
    assert "4 items with options are too few: no threshold keeps the loss at 5.0%" in printed
    assert "The set is too small to learn from" in printed
    assert "Calibrated policy: found items by permitted loss" in printed


def test_compare_when_two_runs_differ_then_lists_where(project: Path, ask: Verb) -> None:
    run_id = ask("blind", project, "--models", "first", "--json").json["run"]
    other = ask("blind", project, "--models", "sure", "--json").json["run"]
    told = ask("runs", "compare", project, run_id, other, "--json").json
    assert told["common"] == 4
    assert {change["name"] for change in told["changes"]} == {"O_1"}
    assert "O_1" in ask("runs", "compare", project, run_id, other).out


def test_redecide_when_an_item_was_changed_then_its_answers_count_no_more(
    project: Path, ask: Verb, run_id: str
) -> None:
    with Session.open(project) as session:
        (item,) = [one for one in session.reader.find(Item) if getattr(one, "name", "") == "E_1"]
        write(session, *changed("item", item.id, question="Which of these is it now?"))
    told = ask("runs", "redecide", project, run_id, "--policy", "all", "--json").json
    assert told["report"]["undecided"] == 1
    assert {model["kinds"].get("outdated") for model in told["report"]["models"]} == {1}


def test_redecide_when_the_key_was_mended_then_is_decided_by_the_new_one(
    project: Path, ask: Verb, run_id: str
) -> None:
    with Session.open(project) as session:
        (item,) = [one for one in session.reader.find(Item) if getattr(one, "name", "") == "E_1"]
        write(session, *changed("item", item.id, answer_key="B"))
    told = ask("runs", "redecide", project, run_id, "--policy", "any", "--json").json
    assert told["report"]["undecided"] == 0
    assert "E_1" not in {one["name"] for one in told["items"]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("runs", "show", "nothing"), "Run 'nothing' does not exist"),
        (("runs", "redecide", "nothing", "--policy", "all"), "Run 'nothing' does not exist"),
    ],
)
def test_runs_when_there_is_none_such_then_says_so(
    project: Path, ask: Verb, arguments: tuple[str, ...], message: str
) -> None:
    verb, step, *rest = arguments
    said = ask(verb, step, project, *rest)
    assert said.status == 2
    assert message in said.err


def test_profile_when_it_has_no_server_then_the_run_stands_with_words(project: Path, ask: Verb) -> None:
    known = read_profiles(config_folder())
    nowhere = ModelProfile(
        name="nowhere", adapter="openai", model="m", base_url="http://127.0.0.1:9/v1", tries=1
    )
    write_profiles(config_folder(), [*known.values(), nowhere])
    said = ask("blind", project, "--models", "nowhere", "--json")
    (model,) = said.json["report"]["models"]
    assert model["kinds"] == {"error": 4}
    assert said.json["report"]["undecided"] == 4


def test_confirm_when_a_run_is_from_elsewhere_then_lists_what_it_uses_and_goes_on_only_when_agreed(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    server.behave(Behaviour(status=400, body=b"{}"), times=4)
    run = ask("blind", project, "--models", "first", "--json").json["run"]
    asked = len(server.calls)
    (config_folder() / FILE).unlink()
    refused = ask("runs", "retry", project, run)
    assert refused.status == 2
    assert "not started on this machine" in refused.err
    assert "runs confirm" in refused.err
    assert ask("runs", "confirm", project, run).status == 1
    listed = ask("runs", "confirm", project, run, "--json").json
    (model,) = listed["models"]
    assert not listed["confirmed"]
    assert model["uses"]["base_url"] == server.base_url
    assert len(server.calls) == asked
    agreed = ask("runs", "confirm", project, run, "--yes")
    assert agreed.status == 0
    assert "confirmed for this machine" in agreed.out
    assert ask("runs", "retry", project, run, "--json").json["progress"]["failed"] == 0
    assert len(server.calls) == asked + 4


@pytest.mark.parametrize("limit", ["nan", "inf", "-1", "1e300"])
def test_limit_cost_when_it_is_no_possible_amount_then_is_refused_in_words(
    project: Path, ask: Verb, limit: str
) -> None:
    said = ask("blind", project, "--models", "first", "--limit-cost", limit)
    assert said.status == 2
    assert "is not possible" in said.err
    assert "Enter a number of 0 or more" in said.err
