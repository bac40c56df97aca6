"""Checks of the words: template slots left open, talk of the model that wrote it, length of the question."""

from __future__ import annotations

import functools
import re

from annotator.domain.item import Item
from annotator.quality.check import CheckHit, ItemCheck
from annotator.quality.context import CheckContext
from annotator.quality.texts import joined_texts, texts_of

SHORTEST = 10
# Questions of UrbanVideo-Bench can contain a whole navigation instruction, those of SpatialUAV the form of
# the answer; a longer draft is faulty. AirCopBench's limit of 200 is in its task set.
LONGEST = 2000

# Words that people and language models put into square brackets for "fill in here", beside the slots of
# the item's own task set.
_SLOT_WORDS = (
    "landmarks?|movements?|goals?|routes?|actions?|objects?|rooms?|regions?|targets?|destinations?|locations?|"
    "places?|positions?|directions?|distances?|labels?|categor(?:y|ies)|colou?rs?|numbers?|counts?|names?|"
    "answers?|questions?|options?|descriptions?|aspects?|views?|uavs?|drones?|images?|videos?|frames?|steps?|"
    "instructions?|buildings?|scenes?|times?|dates?|blanks?|placeholders?|mask|text|values?|something|x|y|"
    "地标|物体|目标|位置|动作|路线|方向|名称|房间|区域|数量|答案|问题|选项|描述|地点"
)
_FILL_IN = (
    r"(?:(?:insert|enter|fill in|specify|your|name of|type of|some|specific)\b|插入|填写|填入)[^\[\]\n]{0,40}"
)
_BRACES = re.compile(r"\{\{?\s?[^\W\d][\w .:/-]{0,30}\s?\}?\}|\{\d?\}|%\(?s\b|\$\{\w+\}")
# <image> and <video> mark the place of a picture in published training files; the rest is mark-up.
_ANGLE = re.compile(r"<(?!/|(?:image|video|br|p|b|i|u|sup|sub|think)\b)[a-z][\w ./-]{0,30}>", re.IGNORECASE)
_ANGLE_ZH = re.compile(r"[<《〈]\s?(?:地标|物体|目标|位置|动作|路线|方向|名称|房间|区域)\s?\d?[>》〉]")
_RUNS = re.compile(r"\b[Xx]{3,}\b|_{3,}|…{3,}|\bT(?:BD|ODO)\b")
_SLOT_SIGN = re.compile(r"[\[【{<《〈%$_…]|[Xx]{3}|T(?:BD|ODO)")
_SLOTS = (_BRACES, _ANGLE, _ANGLE_ZH, _RUNS)
# Between backticks stands the form that an answer has to take: `[x1, y1, x2, y2]`, `Region <id>`.
_QUOTED_FORM = re.compile(r"`[^`\n]*`")

# The narrator of UrbanVideo-Bench says "I": only what no drone would say of itself counts.
_PICTURES = r"(?:images?|videos?|pictures?|photos?|frames?|footage|clips?|attachments?)"
_PRODUCTS = r"(?:questions?|answers?|options?|response|output|json)"
# Not \W, which takes line after line with it: a page of empty lines would be gone through from each of them.
_LINE_START = r"^[^\w\n]*"
_TOLD = r"(?:(?:correct |right |final |the )*answer|explanation|rationale|reasoning)"
_SEE = r"(?:see|view|watch|access|open|analy[sz]e|process)"
_CHATTER = tuple(
    (words, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for words, pattern in (
        (
            ("sure", "certainly", "of course", "absolutely", "great question"),
            rf"{_LINE_START}(?:sure|certainly|of course|absolutely|great question)\s?[!,.:\uff01\uff0c]",
        ),
        (
            ("here",),
            rf"\bhere(?:'s|\u2019s| is| are) (?:the|a|an|your|my|some) (?:\w+[ -]){{0,4}}{_PRODUCTS}\b",
        ),
        (("as a",), r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)\b"),
        (("sorry",), r"\bi(?:'m|\u2019m| am) sorry\b"),
        (
            ("i can", "unable to"),
            rf"\bi(?: cannot| can't| can\u2019t|(?:'m| am) unable to) {_SEE} (?:\w+ ){{0,3}}{_PICTURES}\b",
        ),
        (("i would need",), rf"\bi would need (?:\w+ ){{0,4}}{_PICTURES}\b"),
        (
            ("your ", "let me know", "hope th"),
            r"\byour (?:previous|last) response\b|\blet me know if\b|\bhope (?:this|that) helps\b",
        ),
        (
            ("answer", "explanation", "rationale", "reasoning"),
            rf"{_LINE_START}{_TOLD}(?: is)?\s*[:\uff1a]",
        ),
        (
            ("```", "think", "<|", "#", "**"),
            r"```|</?think(?:ing)?>|<\|[a-z_]+\|>|^#{1,4} |\*\*[^*\n]+\*\*",
        ),
        (
            (),
            rf"{_LINE_START}(?:好的|当然|没问题)\s*[,\uff0c!\uff01。]|作为(?:一[个名位])?(?:AI|人工智能|大?语言模型)",
        ),
        ((), r"以下是(?:根据|为[您你]|生成|我)|以下是[^。\n]{0,12}(?:问题|题目|选项|答案)[:\uff1a]"),
        (
            (),
            r"答案\s*(?:是|为)?\s*[:\uff1a]|很抱歉|抱歉[,\uff0c]|我无法(?:看到|查看|观看)|希望(?:这|以上).{0,6}帮助",
        ),
    )
)
"""Phrases, each after the words one of which an ASCII text must contain; none where it must be Chinese."""


class UnfilledSlots(ItemCheck):
    """Finds template slots that were not filled."""

    id = "unfilled_slot"
    severity = "error"
    title = "Unfilled template slots"
    finds = "A template slot is not filled in: [landmark], {object}, <room>, XXX, ____."
    advice = "Replace the slot with its value."
    threshold = "slot names of the five benchmarks' templates; not between backticks (answer formats)"

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Name the template slots that nobody filled.

        A bracket counts only around a slot's name: boxes such as ``[823, 189, 932, 249]`` and
        UrbanVideo's ``position: [Turn left and …]`` are content.
        """
        # Most texts hold none of these signs; looking for them first saves three quarters of the time.
        for field, text, index in texts_of(item) if _SLOT_SIGN.search(joined_texts(item)) else ():
            shown = _QUOTED_FORM.sub("", text)
            task_set = context.task_set(item.task_set)
            square = _square_slots(tuple(task_set.slots) if task_set else ())
            found = [match.group() for pattern in (square, *_SLOTS) for match in pattern.finditer(shown)]
            if found:
                message = f"Unfilled slots: {', '.join(dict.fromkeys(found))}."
                return CheckHit(message=message, field=field, option_index=index)
        return None


class ModelChatter(ItemCheck):
    """Finds words of a language model about its own work."""

    id = "model_chatter"
    severity = "error"
    title = "Model chatter"
    finds = "The text contains a model's chatter: 'Sure! Here is', 'As an AI', 'Answer:', ```, <think>."
    advice = "Delete the phrase, and check that the rest is a valid question."
    threshold = "phrases in English and Chinese"

    def check_item(self, item: Item, _context: CheckContext, /) -> CheckHit | None:
        """Quote what a language model said about its work instead of in it."""
        suspected = _suspected_chatter(joined_texts(item))
        for field, text, index in texts_of(item) if suspected else ():
            for pattern in suspected:
                if found := pattern.search(text):
                    message = f"Model chatter in the text: {found.group().strip()!r}."
                    return CheckHit(message=message, field=field, option_index=index)
        return None


class QuestionLength(ItemCheck):
    """Finds questions that are too short or too long."""

    id = "question_length"
    severity = "warning"
    title = "Question length"
    finds = "The question is too short, or too long for one question."
    advice = "Rewrite the question in one or two sentences."
    threshold = (
        "10 to 200 characters (AirCopBench's draft check); 10 to 2,000 in task sets without their own limits"
    )
    task_sets = ("aircop",)
    settings = ("min", "max")

    def check_item(self, item: Item, context: CheckContext, /) -> CheckHit | None:
        """Say that a question is shorter or longer than its task set allows."""
        length = len(item.question.strip())
        if not length:
            return None
        shortest = context.setting(item, "question_length", "min", default=SHORTEST)
        longest = context.setting(item, "question_length", "max", default=LONGEST)
        if shortest <= length <= longest:
            return None
        wanted = f"{shortest:.0f} to {longest:.0f} are allowed"
        return CheckHit(message=f"The question has {length:,} characters; {wanted}.", field="question")


def _suspected_chatter(text: str) -> list[re.Pattern[str]]:
    """Return the phrases that a text may contain: words are looked for ten times faster than patterns."""
    if not text.isascii():
        return [pattern for _, pattern in _CHATTER]
    folded = text.lower()
    return [pattern for words, pattern in _CHATTER if any(word in folded for word in words)]


@functools.cache
def _square_slots(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of slots in square brackets, with the slots of one task set among them."""
    own = "|".join(re.escape(name).replace("_", "[_ -]") for name in names)
    word = f"(?:{own}|{_SLOT_WORDS})" if own else f"(?:{_SLOT_WORDS})"
    named = rf"(?:[a-z]+[ _-])?{word}(?:\s?[/_]\s?{word})*[ _]?[0-9a-z]?"
    return re.compile(rf"[\[【](?:{named}|{_FILL_IN})[\]】]", re.IGNORECASE)
