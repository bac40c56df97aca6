"""Shortcuts that the text does not show, found through servers that know them: real requests over HTTP."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile
from annotator.jobs.profile_file import write_profiles
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.bench.model_evidence import ACCURACY, GUESS, KNOWLEDGE, LOOKUPS
from tests.bench.shortcut_sets import generated_set, planted_in
from tests.patience import PATIENCE_S
from tests.servers.chat_server import ChatServer, Json, completion, texts_of
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import created, write

ITEMS, PLANTED = 240, 0.3
OPTION = re.compile(r"^([A-D])\. (.*)$", re.MULTILINE)
TOWN = re.compile(r"the old town of (\w+)\?")


class Knowing:
    """Answers as a model that knows which river flows through most towns, and else guesses less surely."""

    def __init__(self, items: list[Item]) -> None:
        self._draw = random.Random(3)
        known = [item for item in items if planted_in(item) and self._draw.random() < ACCURACY]
        self._rivers = {_town(item.question): _key_text(item) for item in known}
        self._guesses: dict[str, str] = {}

    def __call__(self, body: Json) -> str | bytes:
        """Answer a request; with log-probabilities where they are asked for."""
        if body["model"] == "constant":
            return "A"
        text = texts_of(body)
        options = dict(OPTION.findall(text))
        river = self._rivers.get(_town(text), "")
        guess = self._guesses.setdefault(
            "\n".join(sorted(options.values())), self._draw.choice(list(options.values()))
        )
        nats, steadiness = KNOWLEDGE if river else GUESS
        believed = next(letter for letter, own in options.items() if own == (river or guess))
        if not body.get("logprobs"):
            return believed if self._draw.random() < steadiness else self._draw.choice(list(options))
        scores = {letter: self._draw.gauss(0.0, 1.0) + nats * (letter == believed) for letter in options}
        return _with_letters(scores)


def _town(text: str) -> str:
    found = TOWN.search(text)
    return found[1] if found else ""


def _key_text(item: Item) -> str:
    return next(option.text for option in item.options if option.letter == item.answer_key)


def _with_letters(scores: dict[str, float]) -> bytes:
    total = math.log(sum(map(math.exp, scores.values())))
    tops = [{"token": letter, "logprob": score - total} for letter, score in scores.items()]
    best = max(tops, key=lambda top: float(str(top["logprob"])))
    value = msgspec.json.decode(completion(str(best["token"])))
    value["choices"][0]["logprobs"] = {"content": [{**best, "top_logprobs": tops}]}
    return msgspec.json.encode(value)


@pytest.fixture(scope="module")
def items() -> list[Item]:
    made = generated_set(items=ITEMS, planted=PLANTED, seed=4, source=LOOKUPS, kinds=("knowledge",))
    return [entry.item for entry in made]


@pytest.fixture
def project(tmp_path: Path, items: list[Item]) -> Iterator[Path]:
    path = tmp_path / "p.vantage"
    with Session.create(path) as session:
        write(session, *(created("item", item) for item in items))
    with ChatServer(answer=Knowing(items)) as server:
        profiles = [
            ModelProfile(
                name=name,
                adapter="openai",
                model=name,
                base_url=server.base_url,
                timeout_s=PATIENCE_S,
                options={"rank": name == "letters"},
            )
            for name in ("constant", "letters", "plain")
        ]
        write_profiles(config_folder(), profiles)
        yield path


@pytest.mark.slow
def test_blind_when_models_know_what_the_text_does_not_show_then_their_evidence_finds_it(
    project: Path, items: list[Item], ask: Verb, tmp_path: Path
) -> None:
    planted = {item.name for item in items if planted_in(item)}
    found: dict[str, set[str]] = {}
    for model, rotations in (("constant", "1"), ("letters", "1"), ("plain", "all")):
        said = ask(
            "blind", project, "--models", model, "--rotations", rotations, "--outcome", "none", "--json"
        )
        assert said.json["report"]["policy"] == "calibrated<0.02"
        file = tmp_path / f"{model}.jsonl"
        ask("runs", "decisions", project, "last", "--policy", "calibrated", "--out", file)
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        found[model] = {line["item"] for line in lines if line["decision"] == "guessed"}
        signals = {reason["model"] for line in lines for reason in line["calibrated"].get("reasons", [])}
        assert model == "constant" or model in signals
    assert len(found["constant"] & planted) < 0.1 * len(planted)
    for model in ("letters", "plain"):
        assert len(found[model] & planted) > 0.3 * len(planted)
        # The bound of 240 items permits four, and the set has 168 without a shortcut.
        assert len(found[model] - planted) <= 4
