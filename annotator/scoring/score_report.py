"""Scores files of predictions against one release, as finished tables that another process can show."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from annotator.domain.answers import Mode
from annotator.domain.settled_text import SettledText
from annotator.errors import EnvironmentFailure, UserError
from annotator.importers.input_file import InputFile
from annotator.progress import Progress
from annotator.queries.reader import Reader
from annotator.scoring.comparison import (
    Comparison,
    ModelEvaluation,
    ScoreDifference,
    ScoringSettings,
    SharedCoverage,
    compare_predictions,
)
from annotator.scoring.evaluation import Coverage
from annotator.scoring.human_scores import human_scores
from annotator.scoring.judged_scores import Compare, JudgedScores, Judging
from annotator.scoring.prediction_file import PredictionFile
from annotator.scoring.prediction_form import Prediction
from annotator.scoring.prediction_rows import InputProblem
from annotator.scoring.released_items import ReleasedItems
from annotator.scoring.result_table import ReferenceRows, ResultTable, result_tables
from annotator.scoring.row_file import write_scored_rows
from annotator.scoring.score_tables import ScoreTables, ScoreTotal, random_chances, random_totals
from annotator.scoring.scored_row import ScoredRow, scored_rows
from annotator.scoring.settled_texts import SettledTexts
from annotator.scoring.task_correlation import TaskCorrelation, correlate_tasks
from annotator.scoring.text_grades import free_text_count
from annotator.scoring.unreadable_replies import UnreadableText, most_frequent_texts, unreadable_replies

PROBLEMS_SHOWN = 1_000
"""Problems of one kind and model that are handed over with their text; all are counted."""


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder of predictions that is to be scored.

    Attributes:
        path: Where it is.
        name: Name of the model, "" for the one in the file, or else the name of the file.
        form_id: Id of the form, "" to find it from the fields.
    """

    path: str
    name: str = ""
    form_id: str = ""


class ScoreOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be scored, and how.

    Attributes:
        release: A release folder, or a published file of questions.
        sources: The predictions.
        mode: Whose rules apply.
        scores_missing: Whether an item without a prediction scores 0.
        seed: Of the intervals.
        project: A project whose human reference and decisions on unreadable texts are used, "" for none.
        rows: File that the scored predictions are written to, "" for none.
        keys: Folder of the hidden answer keys, "" for the one beside the release if there is one.
    """

    release: str
    sources: tuple[SourceFile, ...]
    mode: Mode = Mode.STRICT
    scores_missing: bool = False
    seed: int = 0
    project: str = ""
    rows: str = ""
    keys: str = ""


class ModelScore(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of one model.

    Attributes:
        name: Its name, which no other model of the report has.
        source: Position of its file among the sources.
        sha256: Digest of the file; of a folder that of its files.
        form_id: Form of the predictions.
        form_reason: Why they count as of this form.
        tables: The scores.
        coverage: What they are computed over.
        counts: Number of problems by kind.
        listed: The problems, up to ``PROBLEMS_SHOWN`` of each kind.
    """

    name: str
    source: int
    sha256: str
    form_id: str
    form_reason: str
    tables: ScoreTables
    coverage: Coverage
    counts: Mapping[str, int]
    listed: Sequence[InputProblem]


class UnusedSource(msgspec.Struct, frozen=True, kw_only=True):
    """A file of predictions that cannot be scored at all.

    Attributes:
        source: Its position among the sources.
        message: Why.
        hint: What to do about it.
    """

    source: int
    message: str
    hint: str = ""


class ScoreReport(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of all models against one release.

    Attributes:
        release_sha256: Number of the release, "" for a file that is not a release of this program.
        items: Items of the release.
        hidden: Items whose answer keys are kept elsewhere; they are not scored.
        models: The models, in the order of their files.
        unused: Files that cannot be scored.
        shared: Over which items the models are compared.
        differences: Of each pair of models, over all tasks and by task.
        counts: Number of problems by kind that belong to no single model.
        listed: Those problems, up to ``PROBLEMS_SHOWN`` of each kind.
        random: What random answers score over the items that were scored.
        random_tasks: The same by task.
        human: What people score, by task, ``overall`` for all tasks; empty without a human reference.
        papers: Tables in the form of each benchmark's paper.
        correlation: How the scores of tasks go together over the models.
        unreadable: Texts that no answer can be read from, the most frequent first.
        unreadable_count: Number of all such texts.
        free_texts: Distinct free texts about the items, which a model can grade.
        judged: What models have read and graded.
    """

    release_sha256: str
    items: int
    hidden: int
    models: Sequence[ModelScore]
    unused: Sequence[UnusedSource]
    shared: SharedCoverage
    differences: Sequence[ScoreDifference]
    counts: Mapping[str, int]
    listed: Sequence[InputProblem]
    random: ScoreTotal
    random_tasks: Mapping[str, ScoreTotal]
    human: Mapping[str, ScoreTotal]
    papers: Sequence[ResultTable]
    correlation: TaskCorrelation
    unreadable: Sequence[UnreadableText]
    unreadable_count: int
    free_texts: int = 0
    judged: JudgedScores = JudgedScores()


class _LoadedFile(PredictionFile):
    """A file that is read at once, so that one that is damaged does not stop the others.

    Args:
        source: The file, and the name of its model.
        progress: Counts the rows; may cancel.
    """

    def __init__(self, source: SourceFile, *, progress: Progress) -> None:
        super().__init__(Path(source.path), form_id=source.form_id)
        self._entries = list(super().read(progress=progress))
        self.sha256 = _digest(self.path)
        named = {entry.model for entry in self._entries if isinstance(entry, Prediction)} - {""}
        # One name for several models would make one model of them.
        if source.name and len(named) < 2:
            self._entries = [_renamed(entry, source.name) for entry in self._entries]

    def read(self, *, progress: Progress) -> Iterator[Prediction | InputProblem]:
        """Yield what was read."""
        del progress
        yield from self._entries


def score_sources(order: ScoreOrder, *, judging: Judging | None = None, progress: Progress) -> ScoreReport:
    """Return the scores of all sources of an order.

    Args:
        order: What is scored.
        judging: Scores with the help of models, None for the rules and people alone.
        progress: Advances as predictions are read and scored; may cancel.

    Raises:
        UserError: The release cannot be used.
        EnvironmentFailure: The disk refused.
        Cancelled: The user stopped it.
    """
    keys = Path(order.keys) if order.keys else None
    released = ReleasedItems.read(Path(order.release), keys=keys, progress=progress)
    files, unused = _loaded(order.sources, progress=progress)
    settled, human = _of_project(order, released, progress=progress)
    settings = ScoringSettings(
        mode=order.mode, scores_missing=order.scores_missing, settled=settled, seed=order.seed
    )
    compare = partial(compare_predictions, released, list(files.values()), progress=progress)
    found, judged = (judging or _unjudged)(compare, released, settings, progress=progress)
    if order.rows:
        _write_rows(order, found.models, released, progress=progress)
    chances = random_chances(released, found.scored_indices, progress=progress)
    random, random_tasks = random_totals(chances, released)
    unreadable = unreadable_replies(found.models)
    return ScoreReport(
        release_sha256=released.sha256,
        items=len(released.items),
        hidden=released.hidden,
        models=_model_scores(found.models, files),
        unused=unused,
        shared=found.coverage,
        differences=found.differences,
        counts=dict(found.problems.counts),
        listed=_first_of_each_kind(found.problems.listed),
        random=random,
        random_tasks=random_tasks,
        human=human,
        papers=result_tables(found, released, ReferenceRows(chances=chances, human=human), seed=order.seed),
        correlation=correlate_tasks({one.model: one.evaluation.tables for one in found.models}),
        unreadable=most_frequent_texts(unreadable, released),
        unreadable_count=len(unreadable),
        free_texts=free_text_count(found, released),
        judged=judged,
    )


def _unjudged(
    compare: Compare, released: ReleasedItems, settings: ScoringSettings, *, progress: Progress
) -> tuple[Comparison, JudgedScores]:
    del released, progress
    return compare(settings), JudgedScores()


def _loaded(
    sources: Sequence[SourceFile], *, progress: Progress
) -> tuple[dict[int, _LoadedFile], list[UnusedSource]]:
    """Return the files by their position, and those that cannot be read at all."""
    files: dict[int, _LoadedFile] = {}
    unused = []
    for at, source in enumerate(sources):
        try:
            files[at] = _LoadedFile(source, progress=progress)
        except (UserError, EnvironmentFailure) as error:
            unused.append(UnusedSource(source=at, message=error.message, hint=error.hint))
    return files, unused


def _model_scores(models: Iterable[ModelEvaluation], files: Mapping[int, _LoadedFile]) -> list[ModelScore]:
    # Distinct: a path that is given twice has been refused by the comparison.
    sources = {file.path: at for at, file in files.items()}
    return [
        _model_score(model, source=sources[model.file], sha256=files[sources[model.file]].sha256)
        for model in models
    ]


def _model_score(model: ModelEvaluation, *, source: int, sha256: str) -> ModelScore:
    found = model.evaluation
    return ModelScore(
        name=model.model,
        source=source,
        sha256=sha256,
        form_id=model.form_id,
        form_reason=model.form_reason,
        tables=found.tables,
        coverage=found.coverage,
        counts=dict(found.problems.counts),
        listed=_first_of_each_kind(found.problems.listed),
    )


def _first_of_each_kind(problems: Iterable[InputProblem]) -> list[InputProblem]:
    shown: Counter[str] = Counter()
    listed = []
    for problem in problems:
        shown[problem.kind] += 1
        if shown[problem.kind] <= PROBLEMS_SHOWN:
            listed.append(problem)
    return listed


def _of_project(
    order: ScoreOrder, released: ReleasedItems, *, progress: Progress
) -> tuple[SettledTexts | None, dict[str, ScoreTotal]]:
    """Return the decisions of a project on unreadable texts, and what people score in it."""
    if not order.project:
        return None, {}
    # In one snapshot: people may annotate in the meantime.
    with contextlib.closing(Reader.open(Path(order.project))) as reader, reader.snapshot():
        settled = SettledTexts(records=reader.find(SettledText))
        return settled, human_scores(reader, released, seed=order.seed, progress=progress)


def _write_rows(
    order: ScoreOrder,
    models: Iterable[ModelEvaluation],
    released: ReleasedItems,
    *,
    progress: Progress,
) -> None:
    progress.begin("Writing scored predictions")

    def rows() -> Iterator[ScoredRow]:
        for model in models:
            for row in scored_rows(model.evaluation, released, model=model.model, mode=order.mode):
                progress.step()
                yield row

    write_scored_rows(Path(order.rows), rows(), released=released)
    progress.end()


def _renamed(entry: Prediction | InputProblem, name: str) -> Prediction | InputProblem:
    return entry if isinstance(entry, InputProblem) else msgspec.structs.replace(entry, model=name)


def _digest(path: Path) -> str:
    if not path.is_dir():
        return InputFile(path).sha256
    files = sorted(child for child in path.rglob("*") if child.is_file())
    parts = (f"{file.relative_to(path).as_posix()} {InputFile(file).sha256}\n" for file in files)
    # Names of files on Linux need not be UTF-8.
    return hashlib.sha256("".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
