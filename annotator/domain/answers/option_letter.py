"""Option letter: one of two to nine lettered options (``C``)."""

from __future__ import annotations

from annotator.domain.answers.base import (
    AnswerContext,
    AnswerFormat,
    AnswerProblem,
    FormatDocs,
    MetricRule,
    ParsedAnswer,
    Score,
    right_or_wrong,
)
from annotator.domain.answers.option_letter_parser import lead_letter, mentioned_letters, whole_letter
from annotator.domain.answers.published_letters import published_letter, score_published_letter
from annotator.domain.answers.reply_text import extract_answer_line
from annotator.domain.answers.token_overlap import tokens
from annotator.domain.item import LETTERS


class OptionLetter(AnswerFormat[str]):
    """One letter; right only where it is equal.

    Source: SpatialUAV, eval_spatialuav.py, both Collaboration_Recognition tasks; AirCopBench, evaluation.py;
    UrbanVideo-Bench, eval.py. In compatible mode the context's ``letter_rules`` says which of them reads.
    """

    __slots__ = ()
    id = "option_letter"
    title = "Option letter"
    meaning = "the letter of an option"
    prompt = "Reply with the letter of one option ({letters}) and nothing else."
    metrics = (MetricRule(id="accuracy", meaning="share of items with the correct letter"),)
    docs = FormatDocs(
        example="`C`",
        value="a letter from A to I",
        score="0 or 1",
        right_when="equal",
        baseline="1 / options",
    )
    has_options = True

    def render(self, value: str) -> str:
        """Return the letter."""
        return value

    def _parse_strict(self, text: str, context: AnswerContext, /) -> ParsedAnswer[str]:
        letters = context.letters or LETTERS
        # Nearly all keys and most predictions: nothing to fold, cut or search.
        if len(text) == 1 and text in letters:
            return ParsedAnswer(value=text)
        part = extract_answer_line(text)
        letter = whole_letter(part)
        if letter is None:
            return _read_sentence(part, context)
        return _if_offered(letter, letters)

    def _parse_compatible(self, text: str, context: AnswerContext, /) -> ParsedAnswer[str]:
        return published_letter(text, rules=context.letter_rules)

    def _score_compatible(self, prediction: str, key: str, context: AnswerContext, /) -> Score:
        return score_published_letter(prediction, key, rules=context.letter_rules)

    def _compare(self, guess: str, truth: str, /) -> Score:
        return right_or_wrong(is_correct=guess == truth)

    def _problems(self, value: str, context: AnswerContext, /) -> list[AnswerProblem]:
        letters = context.letters or LETTERS
        if len(value) == 1 and value in letters:
            return []
        message = f"Option {value!r} does not exist."
        return [AnswerProblem(field="letter", message=message, advice=f"Choose one of {', '.join(letters)}.")]

    def _baseline(self, _truth: str, context: AnswerContext, /) -> float | None:
        return 1 / len(context.options) if context.options else None


def _if_offered(letter: str, letters: str) -> ParsedAnswer[str]:
    if letter in letters:
        return ParsedAnswer(value=letter)
    return ParsedAnswer(reason=f"Option {letter} does not exist.")


def _read_sentence(part: str, context: AnswerContext) -> ParsedAnswer[str]:
    """Read a reply that is more than a letter: an option's text, a letter with its text, or a sentence."""
    by_text = _read_text(part, context)
    if by_text is not None:
        return by_text
    mentioned = mentioned_letters(part)
    if len(mentioned) == 1:
        return _if_offered(min(mentioned), context.letters or LETTERS)
    if mentioned:
        return ParsedAnswer(reason=f"The answer contains several options: {', '.join(sorted(mentioned))}.")
    return ParsedAnswer(reason="The answer contains no option.")


def _read_text(part: str, context: AnswerContext) -> ParsedAnswer[str] | None:
    """Return the option whose text the reply repeats, with or without its letter; None where it does not."""
    # A reply much longer than every option repeats none of them; most long replies end here.
    if len(part) > 2 * max([len(option.text) for option in context.options], default=0) + 16:
        return None
    lead = lead_letter(part)
    matching = _letters_with_text(lead[1] if lead else part, context)
    if not matching:
        return None
    if lead:
        return (
            ParsedAnswer(value=lead[0])
            if lead[0] in matching
            else ParsedAnswer(reason="The letter and the text refer to different options.")
        )
    if len(matching) > 1:
        return ParsedAnswer(reason=f"The options {', '.join(matching)} have the same text.")
    return ParsedAnswer(value=matching[0])


def _letters_with_text(text: str, context: AnswerContext) -> list[str]:
    said = tokens(text)
    return [option.letter for option in context.options if said and tokens(option.text) == said]
