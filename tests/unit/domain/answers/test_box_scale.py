from __future__ import annotations

import pytest

from annotator.domain import answers
from annotator.domain.answers.base import AnswerContext
from annotator.domain.answers.box_scale import BoxScale

IMAGE = (3840, 2160)
THOUSANDTHS = BoxScale(width=1000, height=1000, image_px=IMAGE)
ROWS = BoxScale(width=1000, height=1000, image_px=IMAGE, is_row_first=True)
FRACTIONS = BoxScale(width=1, height=1, image_px=IMAGE)
SQUARE = BoxScale(width=1, height=1, image_px=IMAGE, is_padded=True)
SENT = BoxScale(width=1344, height=756, image_px=IMAGE)


def read(text: str, scale: BoxScale | None) -> str:
    form = answers.get("bbox")
    parsed = form.parse(text, context=AnswerContext(box_scale=scale))
    return form.render(parsed.value) if parsed.value is not None else parsed.reason


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("[250, 500, 500, 750]", THOUSANDTHS),
        ("[500, 250, 750, 500]", ROWS),
        ("x1: 250, y1: 500, x2: 500, y2: 750", ROWS),
        ("[0.25, 0.5, 0.5, 0.75]", FRACTIONS),
        ("[336, 378, 672, 567]", SENT),
        ("[960, 1080, 1920, 1620]", None),
        ("<|box_start|>(250,500),(500,750)<|box_end|>", THOUSANDTHS),
        (
            (
                "<|object_ref_start|>the top left car<|object_ref_end|>"
                "<|box_start|>(250,500),(500,750)<|box_end|><|im_end|>"
            ),
            THOUSANDTHS,
        ),
        ("It is at <|box_start|>(960,1080),(1920,1620)<|box_end|>.", None),
        ("<ref>car 2</ref><box>(250,500),(500,750)</box>", THOUSANDTHS),
        ("<ref>car</ref><box>[[250, 500, 500, 750]]</box>", THOUSANDTHS),
        ("car<box>(250,500),(500,750)</box>", THOUSANDTHS),
        # Without its special tokens, which servers drop.
        ("car(250,500),(500,750)", THOUSANDTHS),
        ("the red car (250, 500), (500, 750).", THOUSANDTHS),
        ('```json\n[{"bbox_2d": [250, 500, 500, 750], "label": "car 2"}]\n```', THOUSANDTHS),
        ('[{"box_2d": [500, 250, 750, 500], "label": "car"}]', ROWS),
        # 840 of 3840 pixels are padding above the image, and as many below.
        ("[0.25, 0.5, 0.5, 0.640625]", SQUARE),
    ],
)
def test_box_when_said_in_another_scale_then_is_in_pixels_of_the_image(text, scale) -> None:
    assert read(text, scale) == "[960, 1080, 1920, 1620]"


def test_box_when_a_corner_is_a_little_outside_then_ends_at_the_edge() -> None:
    assert read("[0, 0, 1005, 1000]", THOUSANDTHS) == "[0, 0, 3840, 2160]"


@pytest.mark.parametrize(
    ("text", "scale", "reason"),
    [
        ("[960, 1080, 1920, 1620]", THOUSANDTHS, "not within 1000 x 1000"),
        ("[250, 500, 500, 750]", FRACTIONS, "not within 1 x 1"),
        ("[0.25, 0.5, 0.5, 0.75]", THOUSANDTHS, "parts of the image size"),
        (
            "<|box_start|>(1,2),(30,40)<|box_end|> <|box_start|>(5,6),(70,80)<|box_end|>",
            SENT,
            "several boxes",
        ),
        ("<|box_start|>(1,2)<|box_end|>", SENT, "No box of four numbers"),
        ("[2000, 10, 2100, 50]", SENT, "not within 1344 x 756"),
        ("a car (1,2),(30,40) and a bus (5,6),(70,80)", SENT, "several boxes"),
        ("a car (1,2),(30,40),(5,6)", SENT, "No box of four numbers"),
        ("<quad>(1,2),(30,2),(30,40),(1,40)</quad>", SENT, "No box of four numbers"),
    ],
)
def test_box_when_it_is_of_another_scale_than_asked_for_then_is_not_guessed(text, scale, reason) -> None:
    assert reason in read(text, scale)


@pytest.mark.parametrize("scale", [THOUSANDTHS, ROWS, FRACTIONS, SQUARE, SENT])
def test_box_when_told_in_another_scale_and_read_back_then_is_the_same_box(scale: BoxScale) -> None:
    told = scale.from_pixels([960, 1080, 1920, 1620])
    x1, y1, x2, y2 = scale.to_pixels([told[1], told[0], told[3], told[2]] if scale.is_row_first else told)
    assert [x1, y1, x2, y2] == pytest.approx([960, 1080, 1920, 1620], abs=2)


def test_prompt_when_read_then_names_unit_and_order() -> None:
    assert "thousandths" in THOUSANDTHS.prompt
    assert THOUSANDTHS.prompt.endswith("[x1, y1, x2, y2]")
    assert ROWS.prompt.endswith("[y1, x1, y2, x2]")
    assert "0 to 1," in FRACTIONS.prompt
    assert "padded to a square" in SQUARE.prompt
    assert "1344 x 756 pixels" in SENT.prompt
