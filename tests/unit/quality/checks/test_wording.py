from __future__ import annotations

from collections.abc import Callable

import pytest

from annotator.domain import task_set_files
from annotator.domain.item import Item
from annotator.quality.checks.wording import ModelChatter, QuestionLength, UnfilledSlots
from annotator.quality.context import CheckContext
from tests.hangs import soon


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("How does the distance to the [landmark] change?", "[landmark]"),
        ("What takes longer, [movement 1] or [Movement 2]?", "[movement 1], [Movement 2]"),
        ("Given [goal/route], where are you?", "[goal/route]"),
        ("Where is the {object} in the map?", "{object}"),
        ("Where is the {{ object_name }} in the map?", "{{ object_name }}"),
        ("Where is {0} and {}?", "{0}, {}"),
        ("At which <room> does it turn?", "<room>"),
        ("Turn at XXX and go on.", "XXX"),
        ("The drone is ____ the bridge.", "____"),
        ("Fly to [insert landmark here] now.", "[insert landmark here]"),
        ("The answer is TBD.", "TBD"),
        ("无人机到[地标]的距离如何变化？", "[地标]"),
        ("飞向【目标】之后呢？", "【目标】"),
        ("飞向《地标》之后呢？", "《地标》"),
    ],
)
def test_unfilled_slot_when_a_slot_is_open_then_it_is_quoted(
    make_item: Callable[..., Item], context: CheckContext, text: str, slot: str
) -> None:
    hit = UnfilledSlots().check_item(make_item(question=text), context)
    assert hit is not None
    assert hit.message == f"Unfilled slots: {slot}."
    assert hit.field == "question"


@pytest.mark.parametrize(
    "text",
    [
        "Which region of image 2 is [823, 189, 932, 249] in?",
        "Navigation Instruction given at initial position: [Turn left and fly to the roof]. Which step?",
        "What is [located next to] the [Central ALL-STAR cafe]?",
        "Answer with a box like `[x1, y1, x2, y2]`, or with `Region <id>`.",
        "<image> <video> What changes between x < 3 and y > 2?",
        "Is the drone at Malcolm X Street or in the box?",
        "Was it there in Roman year XX?",
        'A set such as {1, 2} or {"a": 1}',
    ],
)
def test_unfilled_slot_when_brackets_hold_content_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext, text: str
) -> None:
    assert UnfilledSlots().check_item(make_item(question=text), context) is None


@pytest.mark.parametrize("set_id", task_set_files.builtin_ids())
def test_unfilled_slot_when_a_template_of_any_set_is_left_as_it_is_then_it_is_found(
    make_item: Callable[..., Item], context: CheckContext, set_id: str
) -> None:
    task_set = task_set_files.builtin(set_id)
    templates = [t for task in task_set.tasks for t in task.templates if t.slots]
    assert templates
    for template in templates:
        assert UnfilledSlots().check_item(make_item(question=template.text), context), template.text
        square = template.fill({slot: f"[{slot.replace('_', ' ')}]" for slot in template.slots})
        assert UnfilledSlots().check_item(make_item(question=square, task_set=set_id), context), square


def test_unfilled_slot_when_it_stands_in_an_option_or_written_key_then_that_field_is_named(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    in_option = UnfilledSlots().check_item(make_item("the {object}", "a car"), context)
    written = make_item(
        options=(), answer_format="instruction_text", answer_key="Fly over the [object] and stop."
    )
    in_key = UnfilledSlots().check_item(written, context)
    assert in_option is not None
    assert in_key is not None
    assert (in_option.field, in_key.field) == ("options", "answer_key")


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Sure! Here is the question you asked for.", "Sure!"),
        ("Here's a multiple-choice question about the picture:", "Here's a multiple-choice question"),
        ("As an AI language model, I choose A.", "As an AI"),
        ("I'm sorry, but there is no picture.", "I'm sorry"),
        ("I cannot see the video frames you mean.", "I cannot see the video frames"),
        ("I would need the specific video frames to answer.", "I would need the specific video frames"),
        ("Your previous response didn't contain the option.", "Your previous response"),
        ("Where is it?\nAnswer: B", "Answer:"),
        ("**Correct answer:** B", "Correct answer:"),
        ("```json", "```"),
        ("<think>The user wants a question</think>", "<think>"),
        ("Which is **right**?", "**right**"),
        ("## Question", "##"),
        ("好的，下面出题。", "好的，"),
        ("作为一个AI语言模型，我看不到。", "作为一个AI"),
        ("以下是根据图片生成的内容", "以下是根据"),
        ("以下是一个选择题目：", "以下是一个选择题目："),
        ("它在哪？答案：B", "答案："),
        ("我无法看到图片", "我无法看到"),
    ],
)
def test_model_chatter_when_a_model_speaks_of_itself_then_its_words_are_quoted(
    make_item: Callable[..., Item], context: CheckContext, text: str, phrase: str
) -> None:
    hit = ModelChatter().check_item(make_item(question=text), context)
    assert hit is not None
    assert phrase in hit.message


@pytest.mark.parametrize(
    "text",
    [
        "How does the agent make sure that it lands on the roof?",
        "I cannot complete the task because I will drown.",
        "Because I cannot see the pavilion behind the trees.",
        "Here is where the drone turns.",
        "Which answer is right: the lake or the road?",
        "以下是关于无人机轨迹的描述，哪一项正确？",
        "Why did the agent turn? Its explanation follows from the video.",
        "Is 2 * 3 larger than 5?",
    ],
)
def test_model_chatter_when_the_narrator_speaks_then_nothing_is_said(
    make_item: Callable[..., Item], context: CheckContext, text: str
) -> None:
    assert ModelChatter().check_item(make_item(question=text), context) is None


def test_model_chatter_when_it_stands_in_an_option_then_options_are_named(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    hit = ModelChatter().check_item(make_item("a red car", "Answer: a white van"), context)
    assert hit is not None
    assert hit.field == "options"


@pytest.mark.parametrize(("length", "is_fine"), [(9, False), (10, True), (200, True), (201, False)])
def test_question_length_when_aircop_then_10_to_200_are_fine(
    make_item: Callable[..., Item], context: CheckContext, length: int, is_fine: bool
) -> None:
    hit = QuestionLength().check_item(make_item(question="x" * length), context)
    assert (hit is None) == is_fine


def test_question_length_when_the_set_has_no_numbers_then_2000_are_fine(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert QuestionLength().check_item(make_item(task_set="ours", question="x" * 2000), context) is None
    hit = QuestionLength().check_item(make_item(task_set="ours", question="x" * 2001), context)
    assert hit is not None
    assert hit.message == "The question has 2,001 characters; 10 to 2000 are allowed."


def test_question_length_when_there_is_none_then_required_fields_says_so(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    assert QuestionLength().check_item(make_item(question=" "), context) is None


def test_model_chatter_when_a_page_of_empty_lines_goes_before_then_is_no_hang(
    make_item: Callable[..., Item], context: CheckContext
) -> None:
    with soon():
        hit = ModelChatter().check_item(
            make_item(question="\n-" * 50_000 + "\n** Sure! Here it is."), context
        )
    assert hit is not None
    assert hit.message == "Model chatter in the text: '** Sure!'."
