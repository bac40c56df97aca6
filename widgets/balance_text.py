"""Sentences about letters and lengths of the answers of a task."""

from __future__ import annotations

from annotator.domain.item import LETTERS
from annotator.quality.answer_balance import AnswerBalance
from widgets.translation import join_texts, tr


def letters_text(balance: AnswerBalance) -> str:
    """Return the share of each letter: 'Letters so far: A 31 %, B 19 %'."""
    shares = zip(LETTERS, balance.shares, strict=False)
    listed = join_texts(f"{letter} {100 * share:.0f} %" for letter, share in shares)
    return tr("Letters so far: {shares}", shares=listed)


def length_text(balance: AnswerBalance) -> str:
    """Return how often the longest option is right, "" where no item has one."""
    if balance.longest_share is None:
        return ""
    return tr(
        "The longest option is right in {share} % of {n} items (chance {chance} %)",
        share=f"{100 * balance.longest_share:.0f}",
        n=f"{balance.lengths:,}",
        chance=f"{100 * balance.chance:.0f}",
    )
