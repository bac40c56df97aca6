"""Scores a file of predictions against a release, and says what the score does not contain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from annotator.domain.answers import Mode
from annotator.domain.settled_text import NO_ANSWER
from annotator.progress import Progress
from annotator.scoring.navigation import FlightScorer
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.prediction_rows import InputProblem, ProblemKind
from annotator.scoring.released_items import ReleasedItem, ReleasedItems
from annotator.scoring.score_tables import PERCENT, ScoreTables, score_tables
from annotator.scoring.scorer import ScoredPrediction, Scorer, is_scorable, mode_of
from annotator.scoring.settled_texts import SettledTexts, is_applicable

MOST_LISTED = 10_000
"""Problems of one kind that are kept with their text; all are counted."""
STEP = 1_000


Subject = tuple[int, str]
"""Position of an item in the release, and a reply about it."""


class TextReadings(msgspec.Struct, frozen=True, kw_only=True):
    """What a model read in replies that no rule can read.

    Attributes:
        name: Name of the model with that of the prompt.
        answers: The answer of each reply, ``NO_ANSWER`` where it gives none.
    """

    name: str
    answers: Mapping[Subject, str]


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """What a score is computed over.

    Attributes:
        items: Number of items in the release.
        predicted: Items with a prediction.
        missing: Items without one.
        missing_scored: Whether those score 0; otherwise they are left out.
        left_out: Predictions that a published script leaves out, and flights that a task does not count.
        settled: Predictions whose text people have decided.
        strict_tasks: Tasks that were scored strictly in compatible mode, since nothing is published for them.
        statement: The same in one sentence.
        read_by_model: Predictions whose text a model has read, since no rule could.
        read_by_model_pct: Share of these in all predictions, None without any, and without a reader.
        reader: Name of that model with the prompt and its version, "" for none.
    """

    items: int
    predicted: int
    missing: int
    missing_scored: bool
    left_out: int
    settled: int
    strict_tasks: tuple[str, ...]
    statement: str
    read_by_model: int = 0
    read_by_model_pct: float | None = None
    reader: str = ""


class ProblemList:
    """Problems by kind: all of them counted, the first of each kind kept."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.listed: list[InputProblem] = []

    def add(self, problem: InputProblem) -> None:
        """Count a problem."""
        self.counts[problem.kind] += 1
        if self.counts[problem.kind] <= MOST_LISTED:
            self.listed.append(problem)


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one model.

    Attributes:
        scored: The predictions with their scores, in the order of the release.
        tables: The sums.
        coverage: What they are computed over.
        problems: What they do not contain.
    """

    scored: Sequence[ScoredPrediction]
    tables: ScoreTables
    coverage: Coverage
    problems: ProblemList

    def unparsed_texts(self, released: ReleasedItems) -> list[tuple[str, str]]:
        """Return id and text of each prediction that cannot be read strictly, and that nobody has decided."""
        return [
            (released.items[one.position].item.name, one.prediction.text)
            for one in self.scored
            if not (one.is_readable or one.prediction.reply)
            and one.prediction.text.strip()
            and one.flight is None
        ]


class Evaluator:
    """Matches predictions with the items of a release and scores them.

    Args:
        released: The items.
        mode: Whose rules apply.
        model: Name of the model, for predictions that do not name it.
        settled: Decisions of people on texts that cannot be read.
        scores_missing: Whether an item without a prediction scores 0.
        readings: What a model read in texts that cannot be read and that people have not decided.
        scorer: Scores single predictions by the rules of the mode, and remembers readings; None for its own.
    """

    def __init__(
        self,
        released: ReleasedItems,
        *,
        mode: Mode = Mode.STRICT,
        model: str = "",
        settled: SettledTexts | None = None,
        scores_missing: bool = False,
        readings: TextReadings | None = None,
        scorer: Scorer | None = None,
    ) -> None:
        self._released = released
        self._mode = mode
        self._model = model
        self._settled = settled
        self._scores_missing = scores_missing
        self._scorer = scorer or scorer_for(released, mode=mode)
        self._readings = readings
        self._settled_count = self._read_count = 0

    def evaluate(
        self, entries: Iterable[Prediction | InputProblem], *, seed: int = 0, progress: Progress
    ) -> Evaluation:
        """Score predictions.

        Args:
            entries: Predictions of one model, and what cannot be read among them.
            seed: Of the intervals.
            progress: Counts the predictions; may cancel.

        Raises:
            Cancelled: The user stopped it.
        """
        problems = ProblemList()
        for issue in self._released.issues:
            message = f"An item of the release cannot be read. {issue.message}"
            problems.add(InputProblem(kind="unreadable_item", message=message, line=issue.line))
        first = self._counting_predictions(entries, problems)
        progress.begin("Scoring", total=len(first))
        scored: list[ScoredPrediction] = []
        # In the order of the release: a bootstrap draws by position, so that a file with its rows in
        # another order would get another interval.
        for number, (index, prediction) in enumerate(sorted(first.items(), key=_position_of), start=1):
            if number % STEP == 0:
                progress.step(STEP)
            self._score(index, prediction, scored=scored, problems=problems)
        progress.step(len(first) % STEP)
        progress.end()
        missing = self._add_missing(first, scored=scored, problems=problems)
        scored.sort(key=lambda one: one.position)
        return Evaluation(
            scored=scored,
            tables=score_tables(scored, self._released, seed=seed),
            coverage=self._coverage(scored, missing=missing),
            problems=problems,
        )

    def _counting_predictions(
        self, entries: Iterable[Prediction | InputProblem], problems: ProblemList
    ) -> dict[int, Prediction]:
        """Return the first prediction about each item that has an answer; what is not used is a problem."""
        first: dict[int, Prediction] = {}
        for entry in entries:
            if isinstance(entry, InputProblem):
                problems.add(entry)
                continue
            index = self._position(entry, problems)
            if index is None:
                continue
            earlier = first.setdefault(index, entry)
            if earlier is entry:
                continue
            # Runs that go on after failures append the answers to the rows of the failed requests.
            if _has_failed(earlier) and not _has_failed(entry):
                first[index] = entry
                problems.add(_superseded(earlier, entry))
            else:
                problems.add(_duplicate(entry, earlier))
        return first

    def _position(self, entry: Prediction, problems: ProblemList) -> int | None:
        indices = self._released.indices_of(entry.item, dataset=entry.dataset, is_index=entry.is_index)
        if len(indices) == 1:
            return indices[0]
        if indices:
            message = "Several items have this id; the prediction does not name the dataset."
            problems.add(_problem("ambiguous_item", message, entry))
        else:
            message = "The release does not contain this item."
            problems.add(_problem("unknown_item", message, entry))
        return None

    def _score(
        self, index: int, prediction: Prediction, *, scored: list[ScoredPrediction], problems: ProblemList
    ) -> None:
        released = self._released.items[index]
        if not is_scorable(released.item):
            message = f"The answer format {released.item.answer_format!r} is unknown."
            problems.add(_problem("unknown_format", message, prediction))
            return
        if not released.item.answer_key.strip():
            # A published script would take "no letter" for equal to it.
            message = "The item has no answer key."
            problems.add(_problem("no_answer_key", message, prediction))
            return
        if prediction.error:
            problems.add(_problem("failed_request", prediction.error, prediction))
        one = self._scorer.score(index, released, self._decided(index, prediction))
        if one.is_key_parsed:
            scored.append(one)
        else:
            problems.add(_problem("no_answer_key", one.reason, prediction))

    def _decided(self, index: int, prediction: Prediction) -> Prediction:
        """Return a prediction with what people or, if they have not, a model have decided that it means."""
        answer = self._settled_answer(prediction, self._released.items[index])
        if answer is not None:
            self._settled_count += 1
            # Decided to be no answer: the rules read it as they can, and nobody is asked again.
            text = prediction.text if answer == NO_ANSWER else answer
            return msgspec.structs.replace(prediction, text=text, reply=prediction.text)
        read = self._readings.answers.get((index, prediction.text)) if self._readings is not None else None
        if self._readings is None or read is None or read == NO_ANSWER:
            # Without an answer for the model, people may still find one: the text stays among the unread.
            return prediction
        self._read_count += 1
        name = self._readings.name
        return msgspec.structs.replace(prediction, text=read, reply=prediction.text, read_by=name)

    def _settled_answer(self, prediction: Prediction, released: ReleasedItem) -> str | None:
        answer_format, context = released.item.answer_format, released.context
        found = self._settled and self._settled.answer_for(
            prediction.text,
            item=released.item.name,
            model=prediction.model or self._model,
            answer_format=answer_format,
            context=context,
        )
        # What the file carries is older than what was decided here.
        carried = prediction.settled.strip()
        if found or not carried:
            return found or None
        answer = NO_ANSWER if carried.casefold() == NO_ANSWER else carried
        is_used = is_applicable(answer, prediction.text, answer_format=answer_format, context=context)
        return answer if is_used else None

    def _add_missing(
        self, first: Mapping[int, Prediction], *, scored: list[ScoredPrediction], problems: ProblemList
    ) -> int:
        """Count the items without a prediction; they score 0 where that was chosen."""
        missing = [index for index in range(len(self._released.items)) if index not in first]
        for index in missing:
            released = self._released.items[index]
            message = "There is no prediction about this item."
            problems.add(InputProblem(kind="missing", message=message, item=released.item.name))
            if self._scores_missing and is_scorable(released.item) and released.item.answer_key.strip():
                one = self._scorer.score_missing(index, released)
                scored.extend([one] if one.is_key_parsed else [])
        return len(missing)

    def _coverage(self, scored: Sequence[ScoredPrediction], *, missing: int) -> Coverage:
        items = self._released.items
        total = sum(one.is_counted for one in scored)
        left_out = len(scored) - total
        strict = {
            released.task
            for released in items
            if self._mode is Mode.COMPATIBLE and mode_of(released.item, self._mode) is Mode.STRICT
        }
        statement = _statement(total, len(items), left_out=left_out, scores_missing=self._scores_missing)
        if self._readings is not None:
            statement = f"{statement} {self._readings_statement(self._readings.name)}"
        return Coverage(
            items=len(items),
            predicted=len(items) - missing,
            missing=missing,
            missing_scored=self._scores_missing,
            left_out=left_out,
            settled=self._settled_count,
            strict_tasks=tuple(sorted(strict)),
            statement=statement,
            read_by_model=self._read_count,
            read_by_model_pct=PERCENT * self._read_count / total if total and self._readings else None,
            reader=self._readings.name if self._readings is not None else "",
        )

    def _readings_statement(self, name: str) -> str:
        return f"{self._read_count:,} texts that no rule can read were read by {name}."


def scorer_for(released: ReleasedItems, *, mode: Mode) -> Scorer:
    """Return what scores predictions about the items of a release by the rules of a mode."""
    return Scorer(mode, flights=FlightScorer(mode, flights=released.flights))


def _position_of(entry: tuple[int, Prediction]) -> int:
    return entry[0]


def _has_failed(prediction: Prediction) -> bool:
    return bool(prediction.error) and not prediction.text.strip()


def _superseded(failed: Prediction, answer: Prediction) -> InputProblem:
    message = (
        f"The request failed; the answer in line {answer.line} counts."
        if answer.file == failed.file
        else f"The request failed; the answer in line {answer.line} of {answer.file} counts."
    )
    return _problem("duplicate", message, failed)


def _duplicate(entry: Prediction, earlier: Prediction) -> InputProblem:
    is_same, line, file = entry.text == earlier.text, earlier.line, earlier.file
    if entry.file != file:
        # Of a folder with the files of several models, all but the first would be such.
        message = (
            f"Line {line} of {file} has the same prediction about this item; the first one counts."
            if is_same
            else f"Line {line} of {file} has another prediction about this item; the first one counts."
        )
    else:
        message = (
            f"Line {line} has the same prediction about this item; the first one counts."
            if is_same
            else f"Line {line} has another prediction about this item; the first one counts."
        )
    return _problem("duplicate", message, entry)


def _statement(total: int, items: int, *, left_out: int, scores_missing: bool) -> str:
    if scores_missing:
        over = f"The score is computed over {total:,} of {items:,} items; missing predictions score 0."
    else:
        over = (
            f"The score is computed over {total:,} of {items:,} items; "
            "items without a prediction are left out."
        )
    if not left_out:
        return over
    return f"{over} By the rules of the benchmark, {left_out:,} predictions do not count."


def _problem(kind: ProblemKind, message: str, entry: Prediction) -> InputProblem:
    return InputProblem(kind=kind, message=message, item=entry.item, file=entry.file, line=entry.line)
