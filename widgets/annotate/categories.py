"""The categories for regions, the most recently used first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotator.domain.task_set import TaskSet
from annotator.domain.task_set_catalogue import TaskSetCatalogue
from annotator.queries.reader import Reader
from widgets import display_text
from widgets.translation import tr

VALUE_LIST = "region_category"
"""The value list of a task set whose values are offered as categories."""


@dataclass(frozen=True, kw_only=True)
class CategoryChoice:
    """A category that can be selected.

    Attributes:
        category: The stored value or "".
        text: Display text.
        note: Text after the display text.
    """

    category: str
    text: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class KnownCategories:
    """Categories of a project.

    Attributes:
        used: Categories of existing regions, that of the newest region first.
        suggested: Categories of the project's task set.
    """

    used: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()


def read_categories(reader: Reader) -> KnownCategories:
    """Return the categories of a project and of its task set; runs on the reading thread."""
    task_set = TaskSetCatalogue.of(reader.path).find(reader.project.task_set)
    if task_set is not None:
        display_text.load_task_set_titles_of(task_set)
    return KnownCategories(used=tuple(reader.regions.categories()), suggested=_suggested(task_set))


def _suggested(task_set: TaskSet | None) -> tuple[str, ...]:
    return tuple(value.id for value in task_set.value_lists.get(VALUE_LIST, ())) if task_set else ()


def category_choices(
    known: KnownCategories, *, recent: Iterable[str], typed: str, can_remove: bool
) -> list[CategoryChoice]:
    """Return the selectable categories.

    Args:
        known: The categories of the project.
        recent: Recently selected categories, newest first.
        typed: Text that a category must contain. Categories that begin with it come first, and the text
            itself is offered as a new category.
        can_remove: Whether the category can be removed.
    """
    # Repeated spaces would create categories that look identical.
    wanted = " ".join(typed.split())
    names = list(dict.fromkeys((*recent, *known.used, *known.suggested)))
    choices = [_choice(name, is_used=name not in known.suggested) for name in names]
    if not wanted:
        none = [CategoryChoice(category="", text=tr("No category"))] if can_remove else []
        return choices + none
    folded = wanted.casefold()
    fitting = [choice for choice in choices if folded in f"{choice.text}\n{choice.category}".casefold()]
    # The sort is stable: within both groups, the most recently used remain first.
    fitting.sort(key=lambda choice: not choice.text.casefold().startswith(folded))
    if folded not in {name.casefold() for name in names}:
        fitting.append(CategoryChoice(category=wanted, text=wanted, note=tr("new category")))
    return fitting


def _choice(name: str, *, is_used: bool) -> CategoryChoice:
    title = name if is_used else display_text.listed_value_title(VALUE_LIST, name)
    # The stored value is displayed as well, because exports and the annotation list contain it.
    return CategoryChoice(category=name, text=title, note="" if title.casefold() == name.casefold() else name)
