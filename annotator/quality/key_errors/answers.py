"""Collects what models with images, and people, have answered to the present form of each item."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotator.domain import answers
from annotator.domain.answer_groups import is_same
from annotator.domain.eval_settings import prompt_digest
from annotator.domain.item import Item
from annotator.domain.response import Response
from annotator.domain.run import Run
from annotator.domain.study import sends_images
from annotator.progress import Progress
from annotator.quality.key_errors.estimate import Answered, Confidence, Vote
from annotator.quality.predictions import collect_predictions
from annotator.queries.reader import Reader

MOST = 2 / 3
IMAGINED_SAME, IMAGINED_PAIRS = 1.0, 4.0
"""Prior of the share of equal answers among wrong ones of formats without options."""
Given = dict[str, dict[str, list[str]]]
"""Answers by item and respondent."""


def collect_answers(
    reader: Reader, *, run_ids: Sequence[str] = (), progress: Progress
) -> tuple[list[Answered], dict[str, list[str]]]:
    """Return the answers to each item that anybody answered, and the text of each group of equal ones.

    The first group of an item has its answer key, also if nobody gave it. A model that answered several
    times, in one run or in several, has one vote: its most frequent answer, none where two are equally
    frequent. Answers to an earlier form of an item do not count, nor do runs with fewer images or frames than
    the profile sends.

    Args:
        reader: The project.
        run_ids: Ids of the only runs, () for all of models with images.
        progress: Counts what is read; may cancel.

    Raises:
        Cancelled: The user stopped it.
    """
    given: Given = defaultdict(lambda: defaultdict(list))
    items: dict[str, Item] = {}
    for item, respondent, text in _given(reader, run_ids, progress=progress):
        items[item.id] = item
        given[item.id][respondent].append(text)
    groups = {item: _Groups(items[item], own) for item, own in sorted(given.items())}
    usable = {item: own for item, own in groups.items() if own.votes}
    chances = _chances(usable.values())
    answered = [
        Answered(item=item, groups=len(own.texts), chance=own.chance or chances[own.task], votes=own.votes)
        for item, own in usable.items()
    ]
    return answered, {item: own.texts for item, own in usable.items()}


def _given(reader: Reader, run_ids: Sequence[str], *, progress: Progress) -> Iterator[tuple[Item, str, str]]:
    """Yield each answer to the present form of an item: the item, who gave it, and its text."""
    for run in reader.runs.all():
        if run.id in run_ids if run_ids else sends_images(run):
            yield from _predicted(reader, run, progress=progress)
    for response in reader.records(Response):
        item = reader.get(Item, response.item)
        if item is not None and response.shown == prompt_digest(item):
            yield item, response.person, response.answer


def _predicted(reader: Reader, run: Run, *, progress: Progress) -> Iterator[tuple[Item, str, str]]:
    """Yield the answers of the models of a run, as ``_given`` does."""
    entries = collect_predictions(reader, run, progress=progress)
    present = {item.id: item for item in reader.records(Item, ids=[one.item.id for one in entries])}
    for entry in entries:
        item = present.get(entry.item.id)
        # A run about a release asked the item as it was released, which may have another answer key.
        if item is None or prompt_digest(item) != prompt_digest(entry.item):
            continue
        for prediction in entry.predictions:
            if prediction.kind == "answer" and prediction.answer:
                yield item, prediction.model, prediction.answer


class _Groups:
    """The answers to one item in groups of equal ones.

    Attributes:
        task: Qualified task and format of the item.
        texts: One answer of each group; the first is the answer key.
        votes: One per respondent with a most frequent answer; none if the key cannot be compared.
        chance: Probability that a wrong answer is a given one; None without options.
    """

    def __init__(self, item: Item, given: Mapping[str, list[str]]) -> None:
        self.task = (item.task_set, item.task, item.answer_format)
        self.texts: list[str] = []
        self._item = item
        self.chance = _chance_of(item)
        self.votes: tuple[Vote, ...] = ()
        if answers.is_known(item.answer_format) and item.answer_key.strip():
            self.texts.append(item.answer_key)
            self.votes = tuple(self._votes(given))

    def _votes(self, given: Mapping[str, list[str]]) -> Iterator[Vote]:
        for respondent, texts in sorted(given.items()):
            counts = Counter(self._group(text) for text in texts)
            (group, most), *others = counts.most_common()
            if not others or others[0][1] < most:
                yield Vote(
                    respondent=respondent, group=group, confidence=_confidence(most, sum(counts.values()))
                )

    def _group(self, text: str) -> int:
        for number, known in enumerate(self.texts):
            if is_same(known, text, item=self._item):
                return number
        self.texts.append(text)
        return len(self.texts) - 1


def _chance_of(item: Item) -> float | None:
    if not answers.is_known(item.answer_format) or not answers.has_options(item.answer_format):
        return None
    return 1 / (len(item.options) - 1) if len(item.options) > 1 else None


def _chances(found: Iterable[_Groups]) -> dict[tuple[str, str, str], float]:
    """Return for each task without options how often two wrong answers to an item are equal."""
    same: Counter[tuple[str, str, str]] = Counter()
    pairs: Counter[tuple[str, str, str]] = Counter()
    for one in found:
        wrong = [vote.group for vote in one.votes if vote.group]
        pairs[one.task] += len(wrong) * (len(wrong) - 1) // 2
        same[one.task] += sum(count * (count - 1) // 2 for count in Counter(wrong).values())
    return {task: (same[task] + IMAGINED_SAME) / (pairs[task] + IMAGINED_PAIRS) for task in pairs}


def _confidence(most: int, asked: int) -> Confidence:
    if asked == 1:
        return "single"
    if most == asked:
        return "unanimous"
    return "most" if most >= MOST * asked else "split"
