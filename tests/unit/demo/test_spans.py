from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotator.demo.spans import NONE, Spans, enter_spans

ROWS, COLUMNS = 23, 4


@given(
    spans=st.lists(
        st.tuples(st.integers(0, COLUMNS - 1), st.integers(0, ROWS - 1), st.integers(1, ROWS)), max_size=40
    ),
    filled=st.integers(0, 60),
)
def test_spans_when_entered_then_each_place_has_the_least_entry_that_covers_it(
    spans: list[tuple[int, int, int]], filled: int
) -> None:
    table = np.full((ROWS, COLUMNS), NONE, np.uint16)
    table[5:9] = filled
    expected = table.copy()
    entries = list(range(len(spans), 0, -1))
    uppers = [min(ROWS - 1, lower + length - 1) for _, lower, length in spans]
    for (column, lower, _), upper, entry in zip(spans, uppers, entries, strict=True):
        part = expected[lower : upper + 1, column]
        part[:] = np.minimum(part, entry)
    enter_spans(
        table,
        Spans(
            column=np.array([column for column, _, _ in spans], int),
            lower=np.array([lower for _, lower, _ in spans], np.int32),
            upper=np.array(uppers, np.int32),
            entry=np.array(entries, np.uint16),
        ),
    )
    assert (table == expected).all()
