"""What the embedded language model says about demo questions with planted shortcuts, recorded once.

``python -m tests.bench.demo_evidence FOLDER`` makes a demo in FOLDER, or takes the one that is there, asks
the model, and writes ``samples/demo_evidence.jsonl``: weights for small sets are learnt from it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from annotator.domain.eval_settings import item_for_model
from annotator.domain.item import LETTERS, Item, Option
from annotator.domain.record import ValueObject
from annotator.quality.context import CheckContext
from annotator.quality.predictions import ItemPrediction, ItemPredictions
from annotator.session import Session
from models.option_scoring import per_character, rank
from models.smollm import CONTEXT, Engine, good_threads, wheel_file
from tests.bench.blind import demo_project
from tests.bench.giveaways import can_take, plant, planted_in
from tests.bench.shortcut_sets import MARK

FILE = Path(__file__).with_name("samples") / "demo_evidence.jsonl"
SEED, ITEMS, EACH = 7, 200, 12
MODEL = "SmolLM2"


class DemoItem(ValueObject, frozen=True, kw_only=True):
    """A question of the demo and how likely its options are to the model.

    Attributes:
        task: Its task.
        question: Its text.
        options: Texts of the options.
        key: Place of the right one.
        planted: The planted shortcut, "" for none.
        totals: Log-likelihood of each option after the question.
        pmi: By how much the question raises it.
    """

    task: str
    question: str
    options: tuple[str, ...]
    key: int
    planted: str
    totals: tuple[float, ...]
    pmi: tuple[float, ...]


def recorded_entries() -> list[ItemPredictions]:
    """Return the recorded items with the model's scores as two predictions, per character and as PMI."""
    lines = FILE.read_bytes().splitlines()
    return [_entry(msgspec.json.decode(line, type=DemoItem), index) for index, line in enumerate(lines)]


def record(folder: Path) -> None:
    """Ask the model about the demo in a folder and write the file.

    Raises:
        UserError: The model is not installed.
        EnvironmentFailure: The demo could not be made.
    """
    items = plant(_drawn(demo_project(folder, seed=SEED)), each=EACH, seed=SEED)
    engine = Engine(wheel_file(), threads=good_threads(), context=CONTEXT)
    try:
        with FILE.open("wb") as file:
            for item in _asked(engine, items):
                file.write(msgspec.json.encode(item) + b"\n")
                file.flush()
    finally:
        engine.close()


def _drawn(project: Path) -> list[Item]:
    with Session.open(project) as session:
        context = CheckContext.of(session.reader)
        shown = [item_for_model(item, context.task(item)) for item in session.reader.find(Item)]
    different = {(item.question, *sorted(one.text for one in item.options)): item for item in shown}
    usable = [item for item in different.values() if can_take(item)]
    return random.Random(SEED).sample(usable, ITEMS)


def _asked(engine: Engine, items: Sequence[Item]) -> Iterator[DemoItem]:
    for item in items:
        options = tuple(option.text for option in item.options)
        ranking = rank(engine, stem=item.question, options=options, method="text-pmi")
        yield DemoItem(
            task=item.task,
            question=item.question,
            options=options,
            key=[option.letter for option in item.options].index(item.answer_key),
            planted=planted_in(item),
            totals=tuple(round(sum(logs), 2) for logs in ranking.evidence),
            pmi=tuple(round(score, 2) for score in ranking.scores),
        )


def _entry(recorded: DemoItem, index: int) -> ItemPredictions:
    options = tuple(
        Option(letter=letter, text=text) for letter, text in zip(LETTERS, recorded.options, strict=False)
    )
    item = Item(
        id=f"demo-{index:03}",
        name=f"demo_{index:03}",
        task_set="demo",
        task=recorded.task,
        question=recorded.question,
        options=options,
        answer_key=LETTERS[recorded.key],
        extras={MARK: recorded.planted} if recorded.planted else {},
    )
    scores = tuple(
        per_character([total], option=text)
        for total, text in zip(recorded.totals, recorded.options, strict=True)
    )
    predictions = (
        ItemPrediction(model=MODEL, kind="answer", scores=scores, method="text"),
        ItemPrediction(model=f"{MODEL} PMI", kind="answer", scores=recorded.pmi, method="text-pmi"),
    )
    return ItemPredictions(item=item, chance=1.0 / len(options), predictions=predictions)


if __name__ == "__main__":
    record(Path(sys.argv[1]))
