"""Multiple-choice variants: the answer key of another answer format as one of several lettered options."""

from __future__ import annotations

import msgspec

from annotator.domain import answers
from annotator.domain.answers.distractors import choice_texts
from annotator.domain.item import LETTERS, Item, Option
from annotator.domain.item_variants import without_answer_form
from annotator.draft.rule_result import SkippedItem
from annotator.draft.seeded_random import SeededRandom
from annotator.draft.variants.variant_rule import MadeVariant, VariantResult, VariantRule

LETTER_FORMAT = "option_letter"
HAS_LETTERS = SkippedItem("the item is a multiple-choice question already")
IS_PROSE = SkippedItem("the answer is free text, and no changed form of it is certainly wrong")
NO_TEXT = SkippedItem("the answer key is no text, but a record")
NOT_VALID = SkippedItem("the answer key is missing or not valid")
TOO_FEW = SkippedItem("no other answer is certainly wrong")


class ChoiceRule(VariantRule):
    """Makes multiple-choice variants; the answer format says how wrong options are drawn.

    Source: SpatialUAV's study of answer formats, which perturbs answer keys; the distances are our own.
    """

    kind = "choice"
    title = "multiple-choice variant"

    def variant(self, source: Item, /) -> VariantResult:
        """Return the item with the right answer among wrong ones."""
        if not answers.is_known(source.answer_format):
            return NO_TEXT
        form = answers.get(source.answer_format)
        if source.answer_format == LETTER_FORMAT:
            return HAS_LETTERS
        if not form.docs.distractors:
            return IS_PROSE
        context = self.material.answer_context(source)
        truth = form.parse(source.answer_key, context=context).value
        if truth is None or form.validate(truth, context=context):
            return NOT_VALID
        settings = self.material.settings
        draw = SeededRandom(self.material.draw_seed, self.kind, source.task_set, source.task, source.name)
        texts = choice_texts(
            form, source.answer_key, wrong=settings.options - 1, random=draw, context=context
        )
        if len(texts) < 2:
            return TOO_FEW
        return MadeVariant(item=self._with_options(source, texts), is_short=len(texts) < settings.options)

    def _with_options(self, source: Item, texts: tuple[str, ...]) -> Item:
        right, *ordered = texts
        index = self.material.letters.next_index(source, count=len(texts))
        ordered.insert(index, right)
        copied = self.copy_of(source)
        return msgspec.structs.replace(
            copied,
            question=without_answer_form(source.question),
            options=tuple(
                Option(letter=letter, text=text) for letter, text in zip(LETTERS, ordered, strict=False)
            ),
            answer_format=LETTER_FORMAT,
            answer_key=LETTERS[index],
            provenance=msgspec.structs.replace(copied.provenance, is_keyed=True),
        )
