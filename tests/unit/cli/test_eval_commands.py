"""Blind filter and consensus from the command line, over real HTTP with a server of our own."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.apply_blind import KEPT_TEXT
from annotator.domain.flag import Flag
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.profile import ModelProfile
from annotator.domain.query import ItemQuery
from annotator.jobs.profile_file import read_profiles, write_profiles
from annotator.quality.policy import DEFAULT_POLICY
from annotator.session import Session
from annotator.store.work.queue import WorkQueue
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S
from tests.servers.chat_server import Behaviour, ChatServer, texts_of
from tests.unit.cli.conftest import Verb
from tests.unit.jobs.job_types.asking import choice, open_question, picture_file
from tests.unit.release.samples import UAV1, UAV2, aircop_item, fill, release
from tests.unit.store.making import changed, created, write

EASY = choice(
    "a red car that waits at the crossing until the light is green",
    "it",
    "no",
    "so",
    answer_key="A",
    name="E_1",
)
FAIR = choice("left", "right", "front", "back", answer_key="C", name="F_1", question="Where is the van?")
ODD = choice("2", "3", "4", "5", answer_key="B", name="O_1", question="How many vans?", state="in_refinement")
DONE = choice(
    "red", "blue", "white", "black", answer_key="A", name="D_1", question="Which colour?", state="accepted"
)


@pytest.fixture
def moments() -> dict[int, Callable[[], None]]:
    """Give what happens while a model is asked, by the number of the call."""
    return {}


@pytest.fixture
def server(moments: dict[int, Callable[[], None]]) -> Iterator[ChatServer]:
    """Give a server whose models answer as told: by the model's name and the words of the question."""

    def answer(body: dict[str, Any]) -> str:
        moments.get(len(opened.calls), lambda: None)()
        return _answer(body)

    with ChatServer(answer=answer) as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path, server: ChatServer) -> Path:
    """Give a project with four items, and profiles of three models behind the server."""
    path = tmp_path / "p.vantage"
    with Session.create(path) as session:
        write(session, *(created("item", item) for item in (EASY, FAIR, ODD, DONE)))
    profiles = [
        ModelProfile(name=name, adapter="openai", model=name, base_url=server.base_url, timeout_s=PATIENCE_S)
        for name in ("longest", "first", "shy", "sure", "certain", "lone")
    ]
    write_profiles(config_folder(), profiles)
    return path


def _answer(body: dict[str, Any]) -> str:
    lines = [line for line in texts_of(body).splitlines() if line[1:3] == ". "]
    options = {line[0]: line[3:] for line in lines}
    told = {
        "longest": lambda: max(options, key=lambda letter: len(options[letter])),
        "first": lambda: "A",
        "shy": lambda: "I cannot see any picture.",
        "sure": lambda: next((k for k, text in options.items() if text in {"left", "4", "red"}), "A"),
        "certain": lambda: next((k for k, text in options.items() if text in {"left", "5", "red"}), "A"),
        "lone": lambda: next((k for k, text in options.items() if text in {"back", "2", "red"}), "A"),
    }
    return str(told[body["model"]]())


def items_of(project: Path) -> dict[str, Item]:
    with Session.open(project) as session:
        return {item.name: item for item in session.reader.find(Item)}


def flags_of(project: Path, item: Item) -> list[Flag]:
    with Session.open(project) as session:
        return session.reader.flags_of(item.id)


def test_blind_when_items_cannot_be_asked_then_says_how_many_and_why_before_the_run(
    project: Path, ask: Verb
) -> None:
    with Session.open(project) as session:
        write(
            session,
            created("item", choice(answer_key="", name="N_1")),
            created("item", choice(answer_key="", name="N_2")),
        )
    said = ask("blind", project, "--models", "first")
    assert "4 questions, 0 of them already answered.\n2 skipped: no answer key.\n" in said.err


def test_blind_when_policies_are_compared_then_tells_what_they_lose_to_guessing_that_sticks(
    project: Path, ask: Verb
) -> None:
    said = ask("blind", project, "--models", "first", "--rotations", "all", "--policy", "every-rotation")
    head, row = said.out.partition("Comparison of policies")[2].splitlines()[1:3]
    assert head.endswith("good items lost (at worst)")
    # Of 4 options in 4 rotations: right in all by luck is one of 256, or one of 4 where the guess sticks.
    assert row.split()[-2:] == ["0.4%", "25.0%"]


def test_blind_when_all_models_are_right_then_the_author_is_told_with_evidence(
    project: Path, ask: Verb
) -> None:
    said = ask("blind", project, "--models", "longest,first", "--policy", "all", "--json")
    assert said.status == 1
    told = said.json
    assert told["state"] == "done"
    report = told["report"]
    # EASY and DONE (all options of one length are a tie that 'longest' settles as A) are guessed by both.
    assert (report["items"], report["guessed"], report["kept"]) == (4, 1, 3)
    (flag,) = flags_of(project, EASY)
    assert (flag.kind, flag.state, flag.raised_by) == ("blind_guessed", "open", "blind")
    assert flag.evidence["models"]["longest"] == {"asked": 1, "right": 1, "answers": {"A": 1}}
    assert flag.evidence["policy"] == "all"
    assert flag.evidence["run"] == told["run"]
    assert flags_of(project, FAIR) == []
    assert items_of(project)["E_1"].state == "drafted"


def test_blind_when_no_policy_is_named_then_the_calibrated_one_decides_and_says_that_the_set_is_small(
    project: Path, ask: Verb
) -> None:
    said = ask("blind", project, "--models", "first")
    assert "policy 'the text points at the answer key, with at most 2 % of good items lost'" in said.out
    assert "The set is too small to learn from: the weights are those of version" in said.out
    with Session.open(project) as session:
        (run,) = session.reader.runs.all()
    assert run.settings["policy"] == DEFAULT_POLICY.text == "calibrated<0.02"


def test_blind_when_run_twice_then_nobody_is_asked_again(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    ask("blind", project, "--models", "longest", "--json")
    count = len(server.calls)
    assert count == 4
    ask("blind", project, "--models", "longest", "--json")
    assert len(server.calls) == count


def test_blind_when_filtered_then_one_undo_takes_all_back(project: Path, ask: Verb) -> None:
    before = items_of(project)
    said = ask("blind", project, "--models", "first", "--policy", "any", "--outcome", "filtered")
    assert "Correct without the images: first 1/1. Policy: at least one model is right." in said.out
    assert items_of(project)["E_1"].state == "filtered"
    assert items_of(project)["D_1"].state == "accepted"
    (flag,) = flags_of(project, EASY)
    assert flag.state == "resolved"
    with Session.open(project) as session:
        session.undo().result()
    assert items_of(project) == before
    assert flags_of(project, EASY) == []


def test_blind_when_settled_items_are_included_then_they_are_touched(project: Path, ask: Verb) -> None:
    ask(
        "blind", project, "--models", "first", "--policy", "all", "--outcome", "filtered", "--include-settled"
    )
    assert items_of(project)["D_1"].state == "filtered"


def test_blind_when_a_model_never_answers_then_items_are_undecided_and_say_so(
    project: Path, ask: Verb
) -> None:
    said = ask("blind", project, "--models", "first,shy", "--policy", "all", "--json")
    # Where 'first' is wrong already, 'shy' could not make it 'all'.
    assert (said.json["report"]["undecided"], said.json["report"]["kept"]) == (2, 2)
    shy = next(model for model in said.json["report"]["models"] if model["model"] == "shy")
    assert (shy["kinds"], shy["right"], shy["known"]) == ({"unparsed": 4}, 0, 0)
    (flag,) = flags_of(project, EASY)
    assert (flag.kind, flag.severity) == ("blind_undecided", "note")
    assert "1 of 2 requests: a reply could not be read." in flag.message
    printed = ask("runs", "redecide", project, "last", "--policy", "all").out
    assert "of 4 answers (95% Wilson interval" in printed
    assert "2 items decided (1 of 2 models answered): a reply could not be read." in printed


def test_blind_when_unread_replies_count_as_misses_then_items_are_kept(project: Path, ask: Verb) -> None:
    said = ask("blind", project, "--models", "first,shy", "--policy", "all", "--unread-as-miss", "--json")
    assert (said.json["report"]["undecided"], said.json["report"]["kept"]) == (0, 4)


def test_blind_when_asked_in_every_rotation_then_a_model_of_one_letter_is_right_in_one(
    project: Path, ask: Verb
) -> None:
    said = ask(
        "blind",
        project,
        "--models",
        "first,longest",
        "--rotations",
        "all",
        "--policy",
        "every-rotation",
        "--json",
    )
    report = said.json["report"]
    assert report["guessed"] == 1
    assert report["loss"] == pytest.approx(1 - (1 - 1 / 256) ** 2)
    first = next(model for model in report["models"] if model["model"] == "first")
    assert (first["right"], first["known"], first["by_chance"]) == (4, 16, 4.0)


def test_redecide_when_another_policy_is_chosen_then_flags_follow_and_nobody_is_asked(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    ask(
        "blind",
        project,
        "--models",
        "first,longest",
        "--rotations",
        "all",
        "--policy",
        "any",
        "--outcome",
        "filtered",
    )
    assert items_of(project)["E_1"].state == "filtered"
    asked = len(server.calls)
    said = ask("runs", "redecide", project, "last", "--policy", "all", "--outcome", "filtered", "--json")
    assert len(server.calls) == asked
    assert said.json["report"]["guessed"] == 0
    assert items_of(project)["E_1"].state == "drafted"
    (flag,) = flags_of(project, EASY)
    assert (flag.state, flag.resolution) == ("resolved", KEPT_TEXT)
    ask("runs", "redecide", project, "last", "--policy", "any", "--outcome", "filtered")
    assert items_of(project)["E_1"].state == "filtered"


def test_blind_when_the_probe_is_asked_too_then_it_takes_the_set_in_one_question(
    project: Path, ask: Verb
) -> None:
    with Session.open(project) as session:
        more = [choice(*f"{n} long words for this one|a|b|c".split("|"), name=f"P_{n}") for n in range(20)]
        write(session, *(created("item", item) for item in more))
    said = ask("blind", project, "--models", "Text probe", "--policy", "any", "--json")
    (probe,) = said.json["report"]["models"]
    assert probe["asked"] == 24
    assert probe["right"] >= 18
    with Session.open(project) as session:
        (prediction,) = session.reader.runs.predictions(said.json["run"])
    assert set(json.loads(prediction.answer)["items"]) == {item.id for item in items_of(project).values()}
    report = said.json["probes"]["Text probe"]
    assert report["whole"]["items"] == 24
    assert report["whole"]["p_value"] < 0.001
    assert report["giveaways"]


def test_blind_when_there_is_too_little_for_the_probe_then_says_so_as_an_error(
    project: Path, ask: Verb
) -> None:
    with Session.open(project) as session:
        gone = [item.id for item in (FAIR, ODD, DONE)]
        write(session, *(edit for item in gone for edit in changed("item", item, state="rejected")))
    said = ask("blind", project, "--models", "Text probe", "--json")
    (probe,) = said.json["report"]["models"]
    assert probe["kinds"] == {"error": 1}
    assert said.json["report"]["undecided"] == 1
    assert "ProbeJob" not in ask("runs", "show", project, "last").out


def test_consensus_when_models_agree_against_the_key_then_flags_with_answers(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    with Session.open(project) as session:
        picture_file(session.media_root, "a.png")
        medium = Medium(id="m" * 32, name="a.png", path="a.png")
        pair = open_question("clock", "2 o'clock", name="C_1", media=(medium.id,))
        write(session, created("medium", medium), created("item", pair))
    said = ask("consensus", project, "--models", "sure,certain", "--json")
    kinds = {(one["name"], one["kind"]) for one in said.json["items"]}
    # Both say 'left' where the key is 'front'; of the vans one says 4, the other 5, the key says 3.
    assert kinds == {("F_1", "consensus_against_key"), ("O_1", "consensus_ambiguous")}
    (flag,) = flags_of(project, FAIR)
    assert (flag.severity, flag.field, flag.raised_by) == ("warning", "answer_key", "consensus")
    assert flag.evidence["answer"] == "A"
    assert flag.evidence["models"]["sure"]["answer"] == "A"
    assert "2 of 2 models answer 'A', the answer key is 'C'" in flag.message
    sent = [call.body for call in server.calls]
    assert any(isinstance(body["messages"][-1]["content"], list) for body in sent)
    again = ask("consensus", project, "--models", "sure,certain", "--json")
    assert again.json["flags"] == {"flags added": 0, "flags closed": 0, "items to review": 0}


def test_consensus_when_a_release_holds_a_doubted_item_then_says_which(
    project: Path, ask: Verb, tmp_path: Path
) -> None:
    options = choice("left", "right", "front", "back").options
    with Session.open(project) as session:
        for medium in (UAV1, UAV2):
            picture_file(session.media_root, medium.name)
        fill(session, aircop_item(name="R_1", state="accepted", options=options, answer_key="C"))
        frozen = release(session, tmp_path / "out", "aircop", selection=ItemQuery(tasks=("object_counting",)))
    name = f"aircop {frozen.manifest.sha256[:12]}"
    said = ask("consensus", project, "--models", "sure,certain", "--json")
    releases = {one["name"]: one["releases"] for one in said.json["items"]}
    assert releases == {"F_1": [], "O_1": [], "R_1": [name]}
    said = ask("consensus", project, "--models", "sure,certain")
    assert f"1 of the flagged items are in a release ({name}). Releases do not change" in said.out


def test_consensus_when_two_of_three_are_enough_then_one_may_say_otherwise(project: Path, ask: Verb) -> None:
    said = ask("consensus", project, "--models", "sure,certain,lone", "--json")
    assert ("F_1", "consensus_against_key") not in {(one["name"], one["kind"]) for one in said.json["items"]}
    said = ask("consensus", project, "--models", "sure,certain,lone", "--agree", "2", "--json")
    assert ("F_1", "consensus_against_key") in {(one["name"], one["kind"]) for one in said.json["items"]}


def test_consensus_when_a_model_follows_the_letter_then_it_is_unstable(project: Path, ask: Verb) -> None:
    said = ask("consensus", project, "--models", "first,sure", "--rotations", "all", "--json")
    unstable = {one["name"] for one in said.json["items"] if one["kind"] == "consensus_unstable"}
    assert {"F_1", "O_1", "D_1"} <= unstable


def one_at_a_time() -> None:
    """Ask models one question after the other."""
    known = read_profiles(config_folder())
    write_profiles(config_folder(), [msgspec.structs.replace(one, in_flight=1) for one in known.values()])


def test_blind_when_interrupted_then_decides_nothing_and_asks_only_the_rest_later(
    project: Path, ask: Verb, server: ChatServer, moments: dict[int, Callable[[], None]]
) -> None:
    one_at_a_time()
    moments[2] = lambda: os.kill(os.getpid(), signal.SIGINT)
    said = ask("blind", project, "--models", "first", "--policy", "any", "--json")
    assert (said.status, said.out) == (130, "")
    assert "questions are open, and its answers are not applied yet" in said.err
    assert "worker PROJECT --until-done" in said.err
    assert flags_of(project, EASY) == []
    assert 2 <= len(server.calls) < 4
    said = ask("blind", project, "--models", "first", "--policy", "any", "--json")
    assert (said.status, said.json["state"], len(server.calls)) == (1, "done", 4)
    assert len(flags_of(project, EASY)) == 1


def test_resume_when_interrupted_then_ends_as_any_verb_that_was(
    project: Path, ask: Verb, server: ChatServer, moments: dict[int, Callable[[], None]]
) -> None:
    one_at_a_time()
    with Session.open(project) as session:
        more = [choice(question=f"Which of these is in picture {n}?", name=f"M_{n}") for n in range(60)]
        write(session, *(created("item", item) for item in more))
    moments[1] = lambda: os.kill(os.getpid(), signal.SIGINT)
    assert ask("blind", project, "--models", "first").status == 130
    # Later than what may have been on its way with the first: a second Ctrl+C ends a program at once.
    moments[len(server.calls) + 1] = moments.pop(1)
    said = ask("runs", "resume", project, "last", "--json")
    assert (said.status, said.out) == (130, "")
    said = ask("runs", "resume", project, "last", "--json")
    assert (said.status, said.json["state"], len(server.calls)) == (0, "done", 64)


@pytest.mark.parametrize(("step", "phrase"), [("pause", "runs resume PROJECT"), ("cancel", "was cancelled")])
def test_consensus_when_somebody_else_ends_the_run_then_flags_nothing(
    project: Path, ask: Verb, moments: dict[int, Callable[[], None]], step: str, phrase: str
) -> None:
    one_at_a_time()

    def steer() -> None:
        queue = WorkQueue.open(project)
        with Session.open(project) as session:
            run_id = session.reader.runs.all()[0].id
        getattr(queue.runs, step)(run_id)
        queue.close()

    moments[2] = steer
    said = ask("consensus", project, "--models", "sure,certain")
    assert said.status == 130
    assert phrase in said.err
    assert flags_of(project, FAIR) == []


def test_blind_when_nobody_answers_then_status_and_words_say_so(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    server.behave(Behaviour(status=400, body=b'{"error": {"message": "no such model"}}'), times=8)
    said = ask("blind", project, "--models", "first", "--outcome", "none", "--json")
    assert (said.status, said.json["failed"]) == (1, 4)
    assert said.json["failures"][0]["kind"] == "refused"
    said = ask("blind", project, "--models", "sure", "--outcome", "none")
    assert said.status == 1
    assert "no such model" in said.out
    assert "Retry failed questions with: runs retry PROJECT" in said.out


def test_blind_when_the_run_stops_by_itself_then_nothing_is_written(project: Path, ask: Verb) -> None:
    known = read_profiles(config_folder())
    keyless = msgspec.structs.replace(known["first"], name="keyless", key_from="env:VANTAGE_NO_SUCH_KEY")
    write_profiles(config_folder(), [*known.values(), keyless])
    said = ask("blind", project, "--models", "keyless")
    assert said.status == 1
    assert "The run stopped before its end: no items were changed." in said.err
    assert "Set the environment variable VANTAGE_NO_SUCH_KEY" in said.out
    assert "resume with: runs resume PROJECT" in said.out
    assert all(flags_of(project, item) == [] for item in (EASY, FAIR, ODD, DONE))


def test_blind_when_a_model_is_named_twice_then_it_is_asked_once(
    project: Path, ask: Verb, server: ChatServer
) -> None:
    ask("blind", project, "--models", "first, first", "--json")
    assert len(server.calls) == 4


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (("--models", "sure"), "needs at least two models"),
        (("--models", "sure,certain", "--agree", "3"), "--agree is 3, but the run has only 2 models"),
        (("--models", "sure,certain", "--agree", "1"), "1 is not in the range"),
    ],
)
def test_consensus_when_nothing_could_come_of_it_then_nobody_is_asked(
    project: Path, ask: Verb, server: ChatServer, arguments: tuple[str, ...], phrase: str
) -> None:
    said = ask("consensus", project, *arguments)
    assert said.status == 2
    assert phrase in said.err
    assert server.calls == []
    assert ask("consensus", project, "--models", "sure", "--rotations", "2").status in {0, 1}


@pytest.mark.parametrize(
    ("arguments", "phrase"),
    [
        (("--models", " , "), "No model is given"),
        (("--models", "nobody"), "There is no model 'nobody'"),
        (("--models", "first", "--policy", "most"), "Unknown policy"),
        (("--models", "first", "--task", "none_such"), "no item to ask about"),
        (("--models", "first", "--rotations", "0"), "a number of at least 1"),
        (("--models", "first", "--limit-cost", "-1"), "The cost limit -1 is not possible"),
    ],
)
def test_blind_when_it_cannot_be_asked_then_says_why(
    project: Path, ask: Verb, arguments: tuple[str, ...], phrase: str
) -> None:
    said = ask("blind", project, *arguments)
    assert said.status == 2
    assert phrase in said.err


def test_key_errors_when_models_agree_against_a_key_then_lists_and_flags_it_once(
    project: Path, ask: Verb
) -> None:
    assert ask("key-errors", project).status == 2
    ask("consensus", project, "--models", "sure,certain,lone", "--json")
    said = ask("key-errors", project, "--least", "0", "--json")
    found = {one["name"]: one for one in said.json["findings"]}
    assert found["F_1"]["answer"] == "A"
    assert found["F_1"]["answers"]["sure"] == "A"
    probabilities = [one["probability"] for one in said.json["findings"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert {one["name"] for one in said.json["respondents"]} >= {"sure", "certain"}

    said = ask("key-errors", project, "--least", "0", "--limit", "1", "--flag", "--json")
    assert said.json["flags"]["flags added"] == 1
    again = ask("key-errors", project, "--least", "0", "--limit", "1", "--flag", "--json")
    assert again.json["flags"] == {"flags added": 0, "flags closed": 0, "items to review": 0}
    none = ask("key-errors", project, "--least", "1", "--flag", "--json")
    assert none.json["flags"]["flags closed"] == 1
    printed = ask("key-errors", project, "--least", "0")
    assert "answer keys are expected to be wrong" in printed.out
