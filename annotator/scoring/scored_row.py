"""One scored prediction as it is listed, and the rows of the predictions of a model."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from annotator.domain.answers import Mode
from annotator.domain.item import Item
from annotator.scoring.evaluation import Evaluation
from annotator.scoring.navigation import FlightScore
from annotator.scoring.released_items import ReleasedItem, ReleasedItems
from annotator.scoring.released_pictures import ReleasedPicture
from annotator.scoring.score_tables import UNKNOWN, task_group
from annotator.scoring.scorer import ScoredPrediction, read_answer
from annotator.scoring.shown_flight import Position, recorded_positions


class ScoredRow(msgspec.Struct, frozen=True, kw_only=True):
    """One scored prediction.

    Attributes:
        item: Public id of the item, which is its id in the release.
        project_item: Id of the item in the project, "" if the release does not contain it.
        model: Name of the model, "" for a file that does not name it.
        task: ``set/task``.
        group: ``set/group``.
        format: Id of the answer format.
        source: ``real``, ``simulated`` or ``unknown``.
        text: The reply as the model gave it.
        answer: The answer that was read from it, or that people decided; "" for none.
        key: The answer key.
        score: 0.0 to 1.0.
        exact: Whether it counts as right.
        readable: Whether an answer can be read strictly.
        settled: Whether people have decided what the reply means.
        read_by_model: Whether a model has read the answer in a reply that no rule can read.
        position: Position of the item in the release, -1 if unknown.
        n: Number of the row in its file, 0 before it is written.
        flight: Its measures if it is a flight; a file has them apart (``ScoredRows.flight``).
    """

    item: str
    model: str
    task: str
    group: str
    format: str
    source: str
    text: str
    answer: str
    key: str
    score: float
    exact: bool
    readable: bool
    settled: bool = False
    read_by_model: bool = False
    project_item: str = ""
    position: int = -1
    n: int = 0
    flight: FlightScore | None = None


class ItemFacts(msgspec.Struct, frozen=True, array_like=True):
    """What all predictions about one item share."""

    name: str
    project_item: str
    task: str
    group: str
    format: str
    source: str
    key: str
    position: int


class ShownItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item as it was released, for a project that does not have it.

    Attributes:
        item: The item, without its original record.
        pictures: Its pictures, relative to the release.
        recorded: Places of its recorded flight, () for an item without one.
    """

    item: Item
    pictures: tuple[ReleasedPicture, ...] = ()
    recorded: tuple[Position, ...] = ()

    @classmethod
    def of(cls, index: int, released: ReleasedItems) -> ShownItem:
        """Return what is shown of an item of a release.

        Args:
            index: Its position in the release.
            released: The items of the release.
        """
        own = released.items[index]
        item = msgspec.structs.replace(own.item, original=msgspec.Raw(b"null"))
        recorded = recorded_positions(own.item, released.flights)
        return cls(item=item, pictures=own.pictures, recorded=recorded)


def scored_rows(
    evaluation: Evaluation, released: ReleasedItems, *, model: str, mode: Mode
) -> Iterator[ScoredRow]:
    """Yield the rows of the predictions of one model, in the order of the release.

    Args:
        evaluation: Its scored predictions.
        released: The items.
        model: Name of the model as it is displayed.
        mode: The rules by which they were scored.
    """
    for one in evaluation.scored:
        yield _row(one, released.items[one.position], model=model, mode=mode)


def _row(one: ScoredPrediction, released: ReleasedItem, *, model: str, mode: Mode) -> ScoredRow:
    item, prediction = released.item, one.prediction
    return ScoredRow(
        item=item.name,
        project_item=item.id,
        model=model,
        task=released.task,
        group=task_group(released),
        format=item.answer_format,
        source=released.footage or UNKNOWN,
        text=prediction.reply or prediction.text,
        answer=read_answer(one, released, mode=mode),
        key=item.answer_key,
        score=one.score,
        exact=one.is_correct,
        readable=one.is_readable,
        settled=bool(prediction.reply) and not prediction.read_by,
        read_by_model=bool(prediction.read_by),
        position=one.position,
        flight=one.flight,
    )
