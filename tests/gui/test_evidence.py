"""Whether an answer of a model meets an item's key."""

from __future__ import annotations

import msgspec
import pytest

from annotator.domain.run import Prediction
from tests.windows import make_item
from widgets.library.predictions import is_right


@pytest.mark.parametrize(
    ("answer", "kind", "expected"), [("A", "answer", True), ("B", "answer", False), ("A", "error", None)]
)
def test_answer_when_compared_with_the_key_then_is_right_or_wrong_or_unknown(
    answer: str, kind: str, expected: bool | None
) -> None:
    prediction = Prediction(request_key="00", kind=kind, target="i", answer=answer, run="r")  # type: ignore[arg-type]
    assert is_right(make_item(1, answer_key="A"), prediction) is expected


def test_answer_when_the_items_format_is_not_known_here_then_cannot_be_told() -> None:
    item = msgspec.structs.replace(make_item(1, answer_key="A"), answer_format="of_another_version")
    prediction = Prediction(request_key="00", kind="answer", target=item.id, answer="A", run="r")
    assert is_right(item, prediction) is None
    assert is_right(None, prediction) is None
