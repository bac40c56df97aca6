"""The figures of a report, computed from a release folder and from its project at that point of the log."""

from __future__ import annotations

from annotator.domain.record import ValueObject
from annotator.quality.blind import BlindReport
from annotator.quality.consensus import ConsensusReport
from annotator.quality.people_figures import PeopleFigures
from annotator.release.card import CardFigures
from annotator.release.dataset_figures import DatasetFigure


class TaskLine(ValueObject, frozen=True, kw_only=True):
    """The released items of one task; the numbers are those of ``release.statistics``.

    Attributes:
        task: ``set/task``.
        items: Number of items.
        answer_formats: Items per answer format.
        letters: Items per answer key, for items that are answered with one option's letter.
        words: Words per question: ``min``, ``median``, ``mean`` and ``max``.
        options: Options per item: the same.
    """

    task: str
    items: int
    answer_formats: dict[str, int]
    letters: dict[str, int]
    words: dict[str, float]
    options: dict[str, float]


class SourceLine(ValueObject, frozen=True, kw_only=True):
    """One imported file.

    Attributes:
        name: File name.
        format: Id of the importer.
        sha256: Hex digest of the file.
        records: Records in it.
        rejected: Rejected records.
        items: Released items that came from it.
    """

    name: str
    format: str
    sha256: str
    records: int
    rejected: int
    items: int


class ModelLine(ValueObject, frozen=True, kw_only=True):
    """One model of one run.

    Attributes:
        run: Kind and number of the run: ``blind 1``.
        state: State of the run.
        model: Name of the profile.
        served: Name of the model on its server.
        revision: Its revision, "" where nobody said.
        settings: Temperature, number of tokens and seed, as a text.
    """

    run: str
    state: str
    model: str
    served: str
    revision: str
    settings: str


class BlindRun(ValueObject, frozen=True, kw_only=True):
    """A run of the blind filter with the decisions of its policy."""

    number: int
    report: BlindReport


class ConsensusRun(ValueObject, frozen=True, kw_only=True):
    """A run of models with images."""

    number: int
    report: ConsensusReport


class LabelFigures(ValueObject, frozen=True, kw_only=True):
    """The event labels of the media that the released items show; all of a release without items.

    Attributes:
        labels: Number of labels.
        degradations: Labels per visual degradation; a label may have several.
        quality: Labels per grade of quality.
        unusable: Labels of images that are not usable.
    """

    labels: int
    degradations: dict[str, int]
    quality: dict[str, int]
    unusable: int


class ProjectFigures(ValueObject, frozen=True, kw_only=True):
    """What only the project knows.

    Attributes:
        states: Items of the whole project per state.
        reasons: Why items left the project's use, ``state: reason`` with the number of items.
        scenes: Scenes of the whole project.
        media: Media of the whole project.
        persons: Persons who worked on the project.
        events: Events in the log.
        origins: Released items per origin: ``rule``, ``llm`` and so on, with what made them.
        sources: The imported files.
        tasks: The released items by task.
        distributions: Distributions over the released items.
        labels: Event labels of the media that they show.
        models: Models with their versions, run by run.
        blind: Runs of the blind filter.
        consensus: Runs of models with images.
        people: Agreement and human reference of the whole project.
        hidden: Number of released items whose answer keys are hidden. Figures from which those could be
            computed are left out then: labels of what they show, answers of models and people, and digests of
            sources.
    """

    states: dict[str, int]
    reasons: dict[str, int]
    scenes: int
    media: int
    persons: int
    events: int
    origins: dict[str, int]
    sources: tuple[SourceLine, ...]
    tasks: tuple[TaskLine, ...]
    distributions: tuple[DatasetFigure, ...]
    labels: LabelFigures
    models: tuple[ModelLine, ...]
    blind: tuple[BlindRun, ...]
    consensus: tuple[ConsensusRun, ...]
    people: PeopleFigures
    hidden: int = 0


class ReportFigures(ValueObject, frozen=True, kw_only=True):
    """Everything that a report says.

    Attributes:
        name: Name of the release folder.
        card: What the card of the release says.
        files: Number of files in the release.
        bytes: Size of the files.
        is_signed: Whether the folder has a signature.
        project: What the project adds, None for a report of the folder alone.
    """

    name: str
    card: CardFigures
    files: int
    bytes: int
    is_signed: bool
    project: ProjectFigures | None = None
