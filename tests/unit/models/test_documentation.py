from __future__ import annotations

import re
from pathlib import Path

import pytest

from annotator.domain.profile import Adapter
from annotator.model_api import FailureKind
from models.adapters import INSTALLS
from models.chat_options import ChatOptions

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "models.md").read_text(encoding="utf-8")


def first_cells(heading):
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Adapters", Adapter.__args__),
        ("Endpoints", ChatOptions.__struct_fields__),
        ("Failures", FailureKind.__args__),
    ],
)
def test_tables_of_the_guide_list_exactly_what_the_code_knows(heading, names):
    assert first_cells(heading) == set(names)


def test_guide_gives_the_commands_that_the_catalogue_gives():
    assert [command for command in INSTALLS.values() if command not in TEXT] == []
