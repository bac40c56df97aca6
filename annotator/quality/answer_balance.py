"""How evenly answer keys are spread over letters, and whether lengths of options give them away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from annotator.domain.item import LETTERS, Item
from annotator.domain.record import ValueObject
from annotator.quality.checks.balance import is_biased, is_uneven, uniform_chance
from annotator.quality.context import CheckContext
from annotator.queries.reader import Reader


class AnswerBalance(ValueObject, frozen=True, kw_only=True):
    """Letters and lengths of the answers of one task, among its items with one number of options.

    Attributes:
        task_set: Id of the task set.
        task: Id of the task.
        letters: Items by the letter of their answer key, from A on.
        p_value: Probability of letters this uneven under a uniform draw, None where there are too few items.
        lengths: Items that have one longest option; 0 for a task whose options are a closed list.
        longest: Items among them whose longest option is the answer key.
    """

    task_set: str
    task: str
    letters: tuple[int, ...]
    p_value: float | None
    lengths: int
    longest: int

    @property
    def items(self) -> int:
        """Number of items."""
        return sum(self.letters)

    @property
    def options(self) -> int:
        """Number of options."""
        return len(self.letters)

    @property
    def chance(self) -> float:
        """Share of each letter, and of the longest option, that gives nothing away."""
        return 1 / len(self.letters)

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of each letter, 0 to 1."""
        return tuple(count / self.items for count in self.letters)

    @property
    def is_uneven(self) -> bool:
        """Whether the check ``letter_balance`` objects."""
        return is_uneven(list(self.letters))

    @property
    def is_length_biased(self) -> bool:
        """Whether the check ``longest_option`` objects."""
        return is_biased(self.longest, items=self.lengths, options=self.options)

    @property
    def longest_share(self) -> float | None:
        """Share of items in which the longest option is right, 0 to 1; None without such items."""
        return self.longest / self.lengths if self.lengths else None


def balance_of_item(reader: Reader, item: Item) -> AnswerBalance | None:
    """Return the balance of the items of an item's task with as many options, None where it has no letter."""
    if item.answer_format != "option_letter":
        return None
    found = balances_of(reader, task_set=item.task_set, task=item.task)
    return next((balance for balance in found if balance.options == len(item.options)), None)


def balances_of(reader: Reader, *, task_set: str = "", task: str = "") -> list[AnswerBalance]:
    """Return the balance of each task and number of options, in the order of their names.

    Args:
        reader: The project.
        task_set: Id of the only task set, "" for all.
        task: Id of the only task, "" for all.
    """
    groups: dict[tuple[str, str, int], Counter[str]] = {}
    for name, kind, shape, count in reader.similar.answer_shapes(task_set=task_set, task=task):
        # Three characters (``domain.item``): letter of the key, number of options, place of the longest one.
        groups.setdefault((name, kind, int(shape[1])), Counter())[shape[0] + shape[2]] += count
    context = CheckContext(
        find_medium=lambda _: None, find_regions=lambda _: frozenset(), project=reader.path
    )
    return [
        _balance(name, kind, LETTERS[:options], counts, is_closed_list=_is_closed_list(context, name, kind))
        for (name, kind, options), counts in sorted(groups.items())
    ]


def _balance(
    task_set: str, task: str, letters: Iterable[str], counts: Counter[str], *, is_closed_list: bool
) -> AnswerBalance:
    by_letter = tuple(sum(counts[letter + sign] for sign in "+-=") for letter in letters)
    longest = sum(count for shape, count in counts.items() if shape[1] == "+")
    lengths = longest + sum(count for shape, count in counts.items() if shape[1] == "-")
    return AnswerBalance(
        task_set=task_set,
        task=task,
        letters=by_letter,
        p_value=uniform_chance(list(by_letter)),
        lengths=0 if is_closed_list else lengths,
        longest=0 if is_closed_list else longest,
    )


def _is_closed_list(context: CheckContext, task_set: str, task: str) -> bool:
    # "Yes, partially usable" is long because the list says so.
    known = context.task_set(task_set)
    found = known.find(task) if known and task else None
    return found is not None and bool(found.choices)
