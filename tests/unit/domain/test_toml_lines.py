from __future__ import annotations

import pytest

from annotator.domain.toml_lines import line_of_message

FILE = """\
id = "city"
letters = "A-Z"

[[tasks]]
id = "count"
number = "1.1"

[[tasks]]
id = "place"
number = "1.2"
metrics = []

[[value_lists.quality]]
id = "good"

[[value_lists.usability]]
id = "full"
number = 1
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("city.toml, field letters: 'A-Z' is not a range.", 2),
        ("city.toml, task place, field metrics: no metric scores 'number'.", 11),
        ("city.toml, task count, field metrics: no metric scores 'number'.", 4),
        ("city.toml, task number 2, field title: missing.", 8),
        ("city.toml, value list usability, field number: a value of the form needs a digit of its own.", 16),
        ("city.toml, value list quality, field id: 'good' occurs 2 times.", 13),
        ("city.toml, field value_lists.usability, entry 1, field title: expected text.", 16),
        ("city.toml, field letters: 'A-Z' is not a range.\ncity.toml, task place, field metrics: none.", 2),
        ("city.toml is not valid TOML: Expected ']' (at line 5, column 3).", 5),
        ("city.toml is nested too deeply.", 0),
    ],
)
def test_line_when_a_message_names_a_place_then_is_that_of_the_place(message: str, line: int) -> None:
    assert line_of_message(message, text=FILE) == line
