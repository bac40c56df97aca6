from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from models.option_scoring import (
    NO_QUESTION,
    chosen,
    cloze_prompt,
    letter_prompt,
    per_character,
    rank,
    stem_of,
)

OPTIONS = ("It stops.", "It turns left.", "Nothing")


class Bytes:
    """A model whose tokens are bytes; its opinion is a table by the end of what it read and the token."""

    def __init__(self, table: Mapping[tuple[str, str], float] | None = None, *, told: str = "") -> None:
        self.table = table or {}
        self.told = told
        self.starts: list[str] = []
        self.asked: list[str] = []

    def tokens(self, text: str) -> list[int]:
        return list(text.encode())

    def start(self, prompt: list[int]) -> Mapping[int, float]:
        self.starts.append(bytes(prompt).decode())
        return {ord(letter): self._log(self.starts[-1], letter) for letter in self.told}

    def log_probability(self, prefix: list[int], token: int) -> float:
        read = bytes(prefix).decode()
        assert read.startswith(self.starts[-1])
        self.asked.append(read[len(self.starts[-1]) :] + chr(token))
        return self._log(read, chr(token))

    def _log(self, read: str, letter: str) -> float:
        found = [log for (end, token), log in self.table.items() if read.endswith(end) and token == letter]
        return found[0] if found else -1.0


def test_text_when_ranked_then_scores_are_mean_log_probabilities_per_character() -> None:
    model = Bytes({("Answer:", " "): -0.5, ("It stops", "."): -4.0})
    ranking = rank(model, stem="What now?", options=OPTIONS, method="text")
    assert model.starts == ["Question: What now?\nAnswer:"]
    assert ranking.scores == pytest.approx(((-0.5 - 8 - 4) / 9, (-0.5 - 14) / 14, (-0.5 - 7) / 7))
    assert [len(logs) for logs in ranking.evidence] == [10, 15, 8]
    assert chosen(ranking.scores) == 1


def test_text_when_options_begin_alike_then_what_they_share_is_asked_once() -> None:
    model = Bytes()
    rank(model, stem="What now?", options=OPTIONS, method="text")
    assert len(model.asked) == len(set(model.asked))
    assert model.asked.count(" It ") == 1
    assert len(model.asked) == 10 + 11 + 7


def test_text_when_the_first_call_tells_a_token_then_it_is_not_asked_again() -> None:
    model = Bytes(told=" ")
    rank(model, stem="What now?", options=OPTIONS, method="text")
    assert " " not in model.asked


def test_text_pmi_when_an_option_is_likely_without_the_question_too_then_that_counts_for_nothing() -> None:
    table = {("Answer: ", "N"): -0.1, ("now?\nAnswer: ", "I"): -0.5}
    model = Bytes(table)
    ranking = rank(model, stem="What now?", options=("Ice", "No"), method="text-pmi")
    assert model.starts == ["Question: What now?\nAnswer:", f"Question: {NO_QUESTION}\nAnswer:"]
    assert ranking.scores == pytest.approx((0.5, 0.0))
    assert len(ranking.prior) == 2


def test_letters_when_a_model_loves_one_letter_then_rotations_take_it_out() -> None:
    model = Bytes({("\nAnswer:", "A"): -0.01})
    ranking = rank(model, stem="What now?", options=OPTIONS, method="letters")
    assert model.starts[1] == letter_prompt("What now?", ("It turns left.", "Nothing", "It stops."))
    assert len(model.starts) == 3
    assert [row[0] > row[1] for row in ranking.evidence] == [True] * 3
    assert max(ranking.scores) == pytest.approx(min(ranking.scores))


def test_letters_when_one_option_is_likelier_wherever_it_stands_then_it_wins() -> None:
    liked = {(f"{letter}. Nothing\nAnswer:", letter): -0.1 for letter in "ABC"}
    ranking = rank(Bytes(liked), stem="What now?", options=OPTIONS, method="letters")
    assert chosen(ranking.scores) == 2


def test_letters_prior_when_the_letter_is_as_likely_without_the_question_then_nothing_is_left() -> None:
    model = Bytes({("C. Nothing\nAnswer:", "C"): -0.1})
    ranking = rank(model, stem="What now?", options=OPTIONS, method="letters-prior")
    assert ranking.scores == pytest.approx((0.0, 0.0, 0.0))
    assert len(model.starts) == 6
    assert sum(NO_QUESTION in start for start in model.starts) == 3


def test_letters_when_both_spellings_of_a_letter_are_likely_then_their_probabilities_add_up() -> None:
    # With a space before it, the letter is two tokens.
    ranking = rank(Bytes(), stem="?", options=("a", "b"), method="letters")
    assert ranking.evidence[0][0] == pytest.approx(math.log(math.exp(-2) + math.exp(-1)))


class Pieces(Bytes):
    """A model with a start token whose words begin with a mark, as SentencePiece's do; " A" is one token."""

    START, MARK = "<", "_"

    def tokens(self, text: str) -> list[int]:
        marked = f" {text}".replace(" ", self.MARK)
        for letter in "ABC":
            # One token, which must not be the bare letter.
            marked = marked.replace(f"{self.MARK}{letter}", letter.lower())
        return list(f"{self.START}{marked}".encode())

    def log_probability(self, prefix: list[int], token: int) -> float:
        self.asked.append(chr(token))
        return self._log(bytes(prefix).decode(), chr(token))


def test_letters_when_words_begin_with_a_mark_of_their_own_then_each_letter_is_its_own_token() -> None:
    model = Pieces({("nswer:", "b"): -0.2, ("nswer:", "B"): -3.0})
    ranking = rank(model, stem="What now?", options=("one", "two", "three"), method="letters")
    assert set(model.asked) == set("abcABC")
    assert ranking.evidence[0][1] == pytest.approx(math.log(math.exp(-0.2) + math.exp(-3.0)))
    assert ranking.evidence[0][0] == pytest.approx(math.log(2 * math.exp(-1)))


def test_text_when_the_model_expects_a_start_token_then_prompts_begin_with_it_and_options_do_not() -> None:
    model = Pieces()
    ranking = rank(model, stem="What now?", options=("one", "two"), method="text-pmi")
    assert [start[:2] for start in model.starts] == ["<_", "<_"]
    assert "".join(model.asked).count("<") == 0
    assert [len(row) for row in ranking.evidence] == [4, 4]


class Joining(Bytes):
    """A tokenizer that joins a colon and the space behind it into one token."""

    def tokens(self, text: str) -> list[int]:
        return list(text.replace(": ", ";").encode())

    def log_probability(self, prefix: list[int], token: int) -> float:
        self.asked.append(bytes(prefix[-6:]).decode() + chr(token))
        return -1.0


def test_text_when_a_tokenizer_joins_prompt_and_option_then_all_are_evaluated_from_the_token_before() -> None:
    model = Joining()
    ranking = rank(model, stem="What now?", options=("one", "two"), method="text")
    assert model.asked[0] == "Answer;"
    assert [len(row) for row in ranking.evidence] == [4, 4]


@pytest.mark.parametrize("stem", ["?", "N?", "", "Answer:", "n"])
def test_text_pmi_when_the_stem_is_short_then_only_the_question_is_replaced(stem) -> None:
    model = Bytes()
    rank(model, stem=stem, options=("a", "b"), method="text-pmi")
    frame = ("", "") if stem == "n" else ("Question: ", "\nAnswer:")
    assert model.starts == [f"{frame[0]}{stem}{frame[1]}", f"{frame[0]}{NO_QUESTION}{frame[1]}"]


@pytest.mark.parametrize(
    ("stem", "prompt"),
    [
        ("Where is it?", "Question: Where is it?\nAnswer:"),
        ("The drone sees an", "The drone sees an"),
        ("这是什么？", "Question: 这是什么？\nAnswer:"),
        ("Complete: ", "Question: Complete:\nAnswer:"),
        ("", "Question: \nAnswer:"),
    ],
)
def test_cloze_prompt_when_the_stem_is_no_whole_sentence_then_the_option_continues_it(stem, prompt) -> None:
    assert cloze_prompt(stem) == prompt


@pytest.mark.parametrize("mark", [". ", ") ", ": "])
def test_stem_when_options_are_listed_below_then_is_what_stands_above(mark) -> None:
    listed = "\n".join(f"{letter}{mark}{text}" for letter, text in zip("ABC", OPTIONS, strict=True))
    assert stem_of(f"What now?\n\n{listed}\n\nReply with a letter.", OPTIONS) == "What now?"


def test_stem_when_no_options_are_listed_then_is_the_whole_text() -> None:
    assert stem_of(" What now?\nA. other ", OPTIONS) == "What now?\nA. other"
    assert stem_of("What now?", ()) == "What now?"


def test_per_character_when_the_option_is_empty_then_divides_by_one() -> None:
    assert per_character((-3.0,), option=" ") == -3.0
