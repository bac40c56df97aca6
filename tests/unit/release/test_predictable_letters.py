"""Hidden answer keys: who has all that a release shows, and tries seeds, guesses no better than chance."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from annotator.commands.drafts import DraftItems
from annotator.commands.item_batches import RebalanceLetters
from annotator.commands.variants import MakeVariants
from annotator.domain import answers
from annotator.domain.answers.distractors import choice_texts
from annotator.domain.event_label import EventLabel
from annotator.domain.item import LETTERS, Item, Option, Provenance
from annotator.domain.item_variants import link_to
from annotator.domain.medium import Medium
from annotator.domain.predictable_letters import has_predictable_letter
from annotator.domain.scene import Scene, SceneView
from annotator.draft.seeded_random import SeededRandom, dealt_position, keyed_seed
from annotator.draft.variants.variant_rule import VariantSettings
from annotator.errors import UserError
from annotator.release.manifest import MANIFEST
from annotator.release.splits import Split, SplitSettings
from annotator.session import Session
from tests.unit.release.samples import fill, release, spatialuav_item

TEST_HIDDEN = SplitSettings(
    splits=(Split(name="train", share=0.4), Split(name="test", share=0.6)), hidden=("test",)
)
SOURCES, SCENES, SEEDS = 160, 120, range(30)
Row = Mapping[str, Any]
Guess = Callable[[Sequence[Row], str | int], Mapping[str, str]]


@pytest.fixture(autouse=True)
def _project_id(monkeypatch: pytest.MonkeyPatch) -> None:
    # The same letters in each run: chance must not decide whether a test passes.
    monkeypatch.setattr("annotator.store.project_file.new_id", lambda: "0192" + "5e" * 14)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as session:
        yield session


def make_choices(session: Session) -> None:
    media = [Medium(id=f"{n:032x}", name=f"{n}.jpg", path=f"{n}.jpg") for n in range(SOURCES)]
    items = [
        spatialuav_item(
            id=f"a{n:031x}",
            name=f"Direction_Recognition_{n:05}",
            task="direction_recognition",
            question=f"Where does sign {n * 7} lie?",
            media=(media[n].id,),
            answer_format="clock",
            answer_key=f"{n * 5 % 12 + 1} o'clock",
        )
        for n in range(SOURCES)
    ]
    fill(session, *items, positions=tuple(media))
    command = MakeVariants(
        items=tuple(item.id for item in items), settings=VariantSettings(kind="choice"), roots=session.roots
    )
    session.execute(command).result()


def make_drafts(session: Session) -> None:
    for n in range(SCENES):
        media = [Medium(id=f"{n:016x}{k:016x}", name=f"{n}-{k}.jpg", path=f"{n}-{k}.jpg") for k in (1, 2)]
        views = tuple(SceneView(name=f"UAV{k}", medium=media[k - 1].id) for k in (1, 2))
        scene = Scene(id=f"b{n:031x}", name=f"scene-{n:03}", dataset="Real", views=views)
        labels = [
            EventLabel(
                id=f"{n:016x}{k:016x}", scene=scene.id, view=f"UAV{k}", medium=media[k - 1].id,
                quality=(n + k) % 5 + 1, usable=True, state="finished",
            )
            for k in (1, 2)
        ]  # fmt: skip
        fill(session, scene, *labels, positions=tuple(media))
    session.execute(DraftItems(task_set="aircop", tasks=("quality_assessment",))).result()


def lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def published(session: Session, out: Path) -> tuple[list[Row], dict[str, str]]:
    """Return the records of a release with hidden answer keys, and the hidden keys."""
    release(session, out, "huggingface", splits=TEST_HIDDEN)
    rows = [row for path in sorted((out / "data").glob("*.jsonl")) for row in lines(path)]
    keys = lines(out.with_name("out-keys") / "keys.jsonl")
    return sorted(rows, key=lambda row: row["id"]), {key["name"]: key["answer_key"] for key in keys}


def score(guess: Guess, rows: Sequence[Row], hidden: Mapping[str, str], seeds: Sequence[str | int]) -> float:
    """Return how far the hits of the seed that fits the published keys best are above chance, in sigmas."""
    guesses = [guess(rows, seed) for seed in seeds]
    shown = {row["id"]: row["answer"] for row in rows if row["answer"]}
    best = max(guesses, key=lambda found: sum(shown.get(name) == letter for name, letter in found.items()))
    asked = [name for name in best if name in hidden]
    assert len(asked) > 50
    hits = sum(hidden[name] == best[name] for name in asked)
    return (hits - len(asked) / 4) / math.sqrt(len(asked) * 3 / 16)


def by_deck(rows: Sequence[Row], seed: str | int) -> dict[str, str]:
    """Deal the letters of multiple-choice variants as earlier versions did."""
    decks: dict[tuple[str, str, int], tuple[SeededRandom, list[int]]] = {}
    found = {}
    for row in rows:
        if row["variant"] == "choice":
            group = (row["task_set"], row["task"], len(row["options"]))
            if group not in decks:
                decks[group] = (SeededRandom(seed, "variant letters", *group, row["variant_of"]), [])
            draw, left = decks[group]
            if not left:
                left += draw.shuffled(range(group[2]))
            found[row["id"]] = LETTERS[left.pop()]
    return found


def by_neighbours(rows: Sequence[Row], _seed: str | int) -> dict[str, str]:
    """Guess the letter that is left over among four items in a row."""
    found, versions = {}, [row for row in rows if row["variant"] == "choice"]
    for start in range(0, len(versions), 4):
        block = versions[start : start + 4]
        left = [letter for letter in "ABCD" if letter not in {row["answer"] for row in block}]
        found |= {row["id"]: (left or ["A"])[0] for row in block if not row["answer"]}
    return found


def by_options(rows: Sequence[Row], seed: str | int) -> dict[str, str]:
    """Draw wrong options for each option, and guess the one that gives all others."""
    sources, form, found = {row["id"]: row for row in rows}, answers.get("clock"), {}
    for row in rows:
        if row["variant"] == "choice":
            source = sources[row["variant_of"]]
            for letter, text in zip(LETTERS, row["options"], strict=False):
                draw = SeededRandom(seed, "choice", source["task_set"], source["task"], source["id"])
                if {*choice_texts(form, text, wrong=3, random=draw)} == {*row["options"]}:
                    found[row["id"]] = letter
            found.setdefault(row["id"], "A")
    return found


def by_turn(rows: Sequence[Row], seed: str | int) -> dict[str, str]:
    """Deal the letters of drafts by rule, of which scene and view are published."""
    found = {}
    for row in rows:
        scene, view = row["scene"], row["view"]
        turn = int(view[-1]) - 1
        index = dealt_position(seed, "aircop", row["task"], "Real", scene, turn=turn, count=4)
        found[row["id"]] = LETTERS[index]
    return found


@pytest.mark.parametrize("guess", [by_deck, by_neighbours, by_options])
def test_choices_when_their_keys_are_hidden_then_nobody_computes_them(
    session: Session, tmp_path: Path, guess: Guess
) -> None:
    make_choices(session)
    rows, hidden = published(session, tmp_path / "out")
    assert score(guess, rows, hidden, seeds=SEEDS) < 3


def test_drafts_when_their_keys_are_hidden_then_only_the_project_gives_them(
    session: Session, tmp_path: Path
) -> None:
    make_drafts(session)
    rows, hidden = published(session, tmp_path / "out")
    assert score(by_turn, rows, hidden, seeds=SEEDS) < 3
    # The attack itself works: with the id of the project it gives every key.
    mine = keyed_seed(0, project=session.reader.project.id)
    assert by_turn(rows, mine).items() >= hidden.items()


def test_release_when_any_format_is_written_then_holds_no_id_of_the_project(
    session: Session, tmp_path: Path
) -> None:
    make_choices(session)
    for form in ("native", "huggingface", "spatialuav"):
        release(session, tmp_path / form, form)
        for path in (tmp_path / form).rglob("*"):
            assert path.is_dir() or session.reader.project.id.encode() not in path.read_bytes()


def make_older(session: Session) -> list[Item]:
    """Add drafts of an earlier version, the second of which has a multiple-choice variant of its own."""
    options = tuple(Option(letter=letter, text=f"{letter} street") for letter in "ABCD")
    items = [
        spatialuav_item(
            id=f"a{n:031x}", name=f"Old_{n:05}", question=f"Where is {n * 7}?", media=(f"{n:032x}",),
            options=options, answer_format="option_letter", answer_key="A",
            provenance=Provenance(made_by="rule", maker="spatialuav.a2a_collaboration_recognition@1", seed=0),
        )
        for n in range(8)
    ]  # fmt: skip
    media = [Medium(id=f"{n:032x}", name=f"{n}.jpg", path=f"{n}.jpg") for n in range(8)]
    fill(session, *items, positions=tuple(media))
    return items


def test_release_when_hidden_letters_can_be_computed_then_is_refused_until_they_are_dealt_anew(
    session: Session, tmp_path: Path
) -> None:
    items = make_older(session)
    with pytest.raises(UserError, match=r"of \d hidden answer keys can be computed") as refused:
        release(session, tmp_path / "out", "native", splits=TEST_HIDDEN)
    assert "items PROJECT rebalance" in str(refused.value.hint)
    assert not (tmp_path / "out").exists()
    session.execute(RebalanceLetters(items=tuple(item.id for item in items))).result()
    release(session, tmp_path / "out", "native", splits=TEST_HIDDEN)
    hidden = json.loads((tmp_path / "out" / MANIFEST).read_text())["splits"]["hidden"]
    assert "predictable" not in hidden


def test_letters_when_items_are_told_apart_then_only_seeded_draws_of_earlier_versions_are_predictable() -> (
    None
):
    options = (Option(letter="A", text="a"), Option(letter="B", text="b"))
    ruled = spatialuav_item(options=options, provenance=Provenance(made_by="rule", maker="x@1"))
    known = defaultdict(lambda: None, {ruled.id: ruled})

    def of(item: Item, **fields: Any) -> bool:
        made = msgspec.structs.replace(item.provenance, **fields)
        return has_predictable_letter(
            msgspec.structs.replace(item, provenance=made), source=known.__getitem__
        )

    assert of(ruled)
    assert of(ruled, made_by="llm")
    assert of(ruled, made_by="hand", wording="first")
    assert not of(ruled, made_by="hand")
    assert not of(ruled, made_by="import")
    assert not of(ruled, maker="demo.aircop@1")
    assert not of(ruled, is_keyed=True)
    assert not of(msgspec.structs.replace(ruled, options=()))
    larger = msgspec.structs.replace(ruled, id="e" * 32, variant=link_to(ruled, "resolution"))
    assert of(larger)
    known[ruled.id] = msgspec.structs.replace(ruled, provenance=Provenance(made_by="import"))
    assert not of(larger)
