"""The page about formats says what the readers do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from annotator.commands.apply_blind import GUESSED, UNDECIDED
from annotator.commands.key_error_flags import KIND as KEY_ERROR
from annotator.commands.label_decisions import KIND as LABELS_DIFFER
from annotator.commands.responses import AGAINST_KEY, REPORTED
from annotator.domain.comment import OPEN_QUESTION
from annotator.domain.disagreement import DISAGREEMENT
from annotator.domain.medium import MediaType
from annotator.domain.run import RunKind
from annotator.importers import registry
from annotator.quality.consensus import DISAGREEMENT_KINDS
from annotator.quality.necessity.decision import KINDS as NECESSITY_KINDS

REPO = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def page() -> str:
    return (REPO / "docs" / "formats.md").read_text(encoding="utf-8")


def test_formats_when_listed_then_those_of_the_registry(page: str) -> None:
    table = page.partition("| id | files |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == set(registry.IMPORTERS)


def test_flags_when_listed_then_every_kind_that_the_code_raises_and_no_other(page: str) -> None:
    table = page.partition("## Flags raised by an import")[2]
    listed = set(re.findall(r"`([a-z_]+)`", table))
    folders = (REPO / "annotator" / "importers", REPO / "annotator" / "commands")
    text = "".join(file.read_text(encoding="utf-8") for folder in folders for file in folder.glob("*.py"))
    text += (REPO / "annotator" / "domain" / "contradictions.py").read_text(encoding="utf-8")
    raised = set(re.findall(r'kind="([a-z_]+)"', text)) | set(re.findall(r'_flag\("([a-z_]+)"', text))
    raised |= set(re.findall(r'"([a-z]+_without_rect|medium_(?:missing|changed|damaged))"', text)) | {
        "annotation_id_repeated",
        "task_id_repeated",
    }
    raised |= {
        GUESSED,
        UNDECIDED,
        *DISAGREEMENT_KINDS,
        *NECESSITY_KINDS.values(),
        AGAINST_KEY,
        DISAGREEMENT,
        REPORTED,
        OPEN_QUESTION,
        LABELS_DIFFER,
        KEY_ERROR,
    }
    other_kinds = {*get_args(MediaType), *get_args(RunKind), "same"}
    assert listed == raised - other_kinds
