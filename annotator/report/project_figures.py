"""The figures of a report that only the project knows, at the point of the log of the release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

import msgspec
import numpy as np
import numpy.typing as npt

from annotator.domain.actor import Actor
from annotator.domain.comment import Comment
from annotator.domain.event_label import EventLabel
from annotator.domain.flag import Flag
from annotator.domain.item import Item, ItemState
from annotator.domain.query import ItemQuery, qualified_task
from annotator.domain.source import Source
from annotator.progress import Progress
from annotator.quality.people_figures import PeopleFigures, people_figures
from annotator.queries.reader import Reader
from annotator.release.dataset_figures import dataset_figures
from annotator.release.exporters import exporter_of
from annotator.release.hidden_keys import HiddenItems
from annotator.release.manifest import Manifest
from annotator.release.release_items import BATCH
from annotator.release.statistics import TaskStatistics
from annotator.report.figures import LabelFigures, ProjectFigures, SourceLine, TaskLine
from annotator.report.run_figures import blind_runs, consensus_runs, model_lines

GUESSED = "blind_guessed"
"""Kind of the flag by which the blind filter says why it took an item out."""
BY_FILTER = "The blind filter found that it is guessed without the images"
NO_FLAG = "No flag of the blind filter says why"
NO_REASON = "No reason is recorded"


@dataclass(frozen=True, kw_only=True)
class ReleaseMembers:
    """The items of a release, read again from the project.

    Attributes:
        numbers: Their row numbers, int64 (n,), rising.
        hidden: Row numbers of those whose answer keys are not in the release.
        concealed: The same with everything that shows what they show, None if no answer keys are hidden.
    """

    numbers: npt.NDArray[np.int64]
    hidden: frozenset[int] = frozenset()
    concealed: HiddenItems | None = None

    @classmethod
    def of(
        cls,
        reader: Reader,
        manifest: Manifest,
        *,
        withheld: frozenset[tuple[str, str]],
        hidden: frozenset[tuple[str, str]],
    ) -> ReleaseMembers:
        """Return the items of a release: those of its selection that it does not list as withheld.

        Args:
            reader: The project as it was released.
            manifest: The manifest.
            withheld: Tasks and public ids of the withheld items.
            hidden: The same of the items whose answer keys are hidden.
        """
        if not exporter_of(manifest.export_format).holds_items:
            return cls(numbers=np.array([], dtype=np.int64))
        selected = reader.gates.items_to_split(reader.items.numbers(manifest.selection))
        found = [item for item in selected if (item.task, item.name) not in withheld]
        concealed = [item for item in found if (item.task, item.name) in hidden]
        return cls(
            numbers=np.array([item.n for item in found], dtype=np.int64),
            hidden=frozenset(item.n for item in concealed),
            concealed=HiddenItems.of(reader, concealed) if concealed else None,
        )

    def items(self, reader: Reader) -> Iterator[Item]:
        """Yield the items, in order of arrival; a hidden answer key is left out, also of what is counted."""
        for start in range(0, len(self.numbers), BATCH):
            for number, item in reader.gates.numbered_items(self.numbers[start : start + BATCH]):
                yield msgspec.structs.replace(item, answer_key="") if number in self.hidden else item

    def media(self, reader: Reader) -> list[str]:
        """Return the ids of the media that they show, each once."""
        return list(dict.fromkeys(medium for _, medium in reader.gates.shown_media(self.numbers)))


def measure_members(reader: Reader, members: ReleaseMembers, *, progress: Progress) -> ProjectFigures:
    """Return the figures of a project and of its released items.

    Args:
        reader: The project as it was released.
        members: The released items.
        progress: Advanced in each phase; may cancel.

    Raises:
        Cancelled: The user cancelled the operation.
    """
    counts = reader.counts()
    is_open = members.concealed is None
    distributions = dataset_figures(
        reader, items=members.items(reader), hidden=members.concealed, progress=progress
    )
    tasks, origins, sources = _tasks_and_origins(reader, members, progress=progress)
    return ProjectFigures(
        states=_states(reader),
        reasons=_reasons(reader, progress=progress),
        scenes=counts["scene"],
        media=counts["medium"],
        persons=sum(actor.role == "person" for actor in reader.records(Actor)),
        events=reader.log.event_total(),
        origins=origins,
        # The digest and the size of a file would confirm a guess of the answer keys in it.
        sources=sources if is_open else tuple(_concealed(source) for source in sources),
        tasks=tasks,
        distributions=tuple(distributions),
        labels=_labels(reader, members, progress=progress),
        models=model_lines(reader),
        blind=blind_runs(reader, progress=progress) if is_open else (),
        consensus=consensus_runs(reader, progress=progress) if is_open else (),
        people=people_figures(reader, progress=progress) if is_open else PeopleFigures(),
        hidden=len(members.hidden),
    )


def _states(reader: Reader) -> dict[str, int]:
    found = Counter({facet.value: facet.count for facet in reader.items.facets(ItemQuery())["state"]})
    return {state: found[state] for state in get_args(ItemState) if found[state]}


def _filter_reasons(reader: Reader) -> Iterator[str]:
    filtered = [item.id for item in reader.find(Item, state="filtered")]
    guessed = {flag.target for flag in reader.find(Flag, kind=GUESSED)} if filtered else set[str]()
    return (BY_FILTER if item in guessed else NO_FLAG for item in filtered)


def _reasons(reader: Reader, *, progress: Progress) -> dict[str, int]:
    """Count why items were filtered or rejected: the reason given is the newest comment on a rejected one."""
    counted = Counter(f"filtered: {reason}" for reason in _filter_reasons(reader))
    rejected = {item.id: NO_REASON for item in reader.find(Item, state="rejected")}
    if rejected:
        for comment in reader.records(Comment):
            progress.step(0)
            if comment.target in rejected:
                rejected[comment.target] = " ".join(comment.text.split())
    counted.update(f"rejected: {reason}" for reason in rejected.values())
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _tasks_and_origins(
    reader: Reader, members: ReleaseMembers, *, progress: Progress
) -> tuple[tuple[TaskLine, ...], dict[str, int], tuple[SourceLine, ...]]:
    tasks: dict[str, TaskStatistics] = {}
    origins: Counter[str] = Counter()
    sources: Counter[str] = Counter()
    progress.begin("Counting items", total=len(members.numbers))
    for item in members.items(reader):
        progress.step()
        tasks.setdefault(qualified_task(item.task_set, item.task), TaskStatistics()).add(item)
        origins[f"{item.provenance.made_by} {item.provenance.maker}".strip()] += 1
        sources[item.provenance.source] += 1
    progress.end()
    lines = tuple(_task_line(task, counted) for task, counted in sorted(tasks.items()))
    found = tuple(_source_line(source, items=sources[source.id]) for source in reader.records(Source))
    return lines, dict(sorted(origins.items())), found


def _task_line(task: str, counted: TaskStatistics) -> TaskLine:
    return TaskLine(
        task=task,
        items=counted.items,
        answer_formats=dict(sorted(counted.answer_formats.items())),
        letters=dict(sorted(counted.letters.items())),
        words=counted.words.to_json(),
        options=counted.options.to_json(),
    )


def _source_line(source: Source, *, items: int) -> SourceLine:
    return SourceLine(
        name=source.name,
        format=source.format,
        sha256=source.sha256,
        records=source.records,
        rejected=source.rejected,
        items=items,
    )


def _concealed(source: SourceLine) -> SourceLine:
    return msgspec.structs.replace(source, sha256="", records=0, rejected=0)


def _labels(reader: Reader, members: ReleaseMembers, *, progress: Progress) -> LabelFigures:
    # A release without items is one of labels or regions.
    shown = set(members.media(reader)) if len(members.numbers) else None
    degradations: Counter[str] = Counter()
    quality: Counter[str] = Counter()
    labels = unusable = 0
    progress.begin("Counting event labels", total=reader.counts()["event_label"])
    for label in reader.records(EventLabel):
        progress.step()
        if shown is not None and label.medium not in shown:
            continue
        if members.concealed is not None and label.medium in members.concealed.media:
            continue
        labels += 1
        degradations.update(label.degradations or ())
        unusable += label.usable is False
        if label.quality is not None:
            quality[str(label.quality)] += 1
    progress.end()
    return LabelFigures(
        labels=labels,
        degradations=dict(sorted(degradations.items(), key=lambda pair: (-pair[1], pair[0]))),
        quality=dict(sorted(quality.items())),
        unusable=unusable,
    )
