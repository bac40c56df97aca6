"""Word overlap of two texts, by SpatialUAV's script and by the strict rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from annotator.domain.answers.base import MetricRule
from annotator.domain.answers.reply_text import normalize_typography

TOKEN_F1 = MetricRule(id="token_f1", meaning="F1 over words, for use without a judge model")

_SPACE = re.compile(r"\s+")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
# SpatialUAV, eval_spatialuav.py: other scripts have no tokens, so Chinese answers overlap in nothing.
_PUBLISHED_TOKEN = re.compile(r"[a-z0-9]+")
# Strict rules: words of any script, and every Han character, kana or hangul syllable on its own.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
    r"|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+"
)


class TokenOverlap(msgspec.Struct, frozen=True, kw_only=True):
    """The overlap of two multisets.

    Attributes:
        matched: Size of the multiset intersection.
        guessed: Things in the prediction.
        expected: Things in the key.
    """

    matched: int
    guessed: int
    expected: int

    @property
    def precision(self) -> float:
        """Share of the prediction that is right, 0.0 for an empty one."""
        return 0.0 if self.guessed == 0 else self.matched / self.guessed

    @property
    def recall(self) -> float:
        """Share of the key that was found, 0.0 for an empty one."""
        return 0.0 if self.expected == 0 else self.matched / self.expected

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in the published script's order of operations."""
        precision, recall = self.precision, self.recall
        return 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)

    def details(self, things: str) -> dict[str, float]:
        """Return the counts and shares for a score, with the name of the things in the plural."""
        return {
            f"matched_{things}": self.matched,
            f"guessed_{things}": self.guessed,
            f"expected_{things}": self.expected,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }


def overlap(guess: Sequence[object], truth: Sequence[object]) -> TokenOverlap:
    """Compare two multisets; repeated elements count repeatedly."""
    # SpatialUAV, eval_spatialuav.py, token_f1_metrics and pair_set_metrics: intersection of counters.
    matched = sum((Counter(guess) & Counter(truth)).values())
    return TokenOverlap(matched=matched, guessed=len(guess), expected=len(truth))


def published_text(text: str) -> str:
    """Return the text as SpatialUAV's script compares it: lower case, single blanks, none at the ends."""
    return _SPACE.sub(" ", text.strip().lower())


def published_tokens(text: str) -> list[str]:
    """Return the tokens of SpatialUAV's script: runs of a to z and 0 to 9."""
    return _PUBLISHED_TOKEN.findall(published_text(text))


def tokens(text: str) -> list[str]:
    """Return words of any script, folded and without case; scripts without blanks give single characters."""
    return _TOKEN.findall(normalize_typography(text).casefold())


def collapse(text: str) -> str:
    """Return the text with every run of blanks as one blank, none at the ends, and fit to be stored.

    Half characters (lone surrogates), which UTF-8 cannot hold, become U+FFFD.
    """
    return _SPACE.sub(" ", _HALF_CHARACTER.sub("\ufffd", text)).strip()
