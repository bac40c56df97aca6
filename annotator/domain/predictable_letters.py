"""Items whose answer letter anybody can compute: earlier versions drew their options by the seed alone."""

from __future__ import annotations

from collections.abc import Callable

from annotator.domain.item import Item

DEMO = "demo."
"""How the makers of a demo's questions begin: their answers are the same in every demo."""


def has_predictable_letter(item: Item, *, source: Callable[[str], Item | None]) -> bool:
    """Return whether the letter of an item's answer key can be computed from its public id.

    Args:
        item: The item.
        source: Returns the item with an id, None if it is gone.
    """
    made = item.provenance
    if made.is_keyed or not item.options or made.made_by == "import" or made.maker.startswith(DEMO):
        return False
    if item.variant is not None and item.variant.kind != "choice":
        # It has the letters of its source, which may be imported.
        shown = source(item.variant.source)
        return shown is not None and has_predictable_letter(shown, source=source)
    # Of the items made by hand, only those with a template had their letter dealt.
    return made.made_by != "hand" or bool(made.wording)


def needs_other_options(item: Item) -> bool:
    """Return whether the wrong options of an item give the right one away, wherever it stands."""
    is_choice = item.variant is not None and item.variant.kind == "choice"
    return is_choice and item.provenance.made_by == "rule" and not item.provenance.is_keyed
