"""Reports in Chinese: no word of ours stays English; numbers, data and plots are those of the English one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

import msgspec
import pytest

from annotator.domain.item import ItemState
from annotator.domain.query import ItemQuery
from annotator.domain.release_gate import GateResult, GateState
from annotator.quality.accuracy import Accuracy
from annotator.quality.agreement.coefficients import Coefficient
from annotator.quality.agreement.report import SubjectAgreement
from annotator.quality.blind import BlindReport, ModelFigures, TaskFigures
from annotator.quality.consensus import DISAGREEMENT_KINDS, ConsensusReport
from annotator.quality.human_reference.report import ReferenceScore, TaskReference
from annotator.quality.people_figures import PeopleFigures
from annotator.release.card import CardFigures, GateLine, LicenceLine
from annotator.release.dataset_figures import DatasetFigure, FigureBar
from annotator.release.document import MOST_ROWS, Document
from annotator.release.exporters import EXPORTERS
from annotator.release.gates import GATES
from annotator.release.manifest import MissingMedium, ReleasedImages
from annotator.release.released_splits import HiddenKeys, ReleasedSplits, ReleasedSubset
from annotator.report.figures import (
    BlindRun,
    ConsensusRun,
    LabelFigures,
    ModelLine,
    ProjectFigures,
    ReportFigures,
    SourceLine,
    TaskLine,
)
from annotator.report.html import html_of
from annotator.report.pdf import pdf_of
from annotator.report.project_figures import BY_FILTER, NO_FLAG, NO_REASON
from annotator.report.sections import report_document
from annotator.report.sections.content import ISSUE_CLASSES, TITLES
from annotator.report.translation import report_texts, translated_document

DATA = "数据"
OWN_NAMES = re.compile(
    r"SHA-256|(?:ab){32}|BENCHMARK DATA, NOT FOR TRAINING. canary GUID|[0-9a-f]{8}-[0-9a-f-]+|Vantage"
    r"|manifest\.json|vantage verify FOLDER|[a-z]+\.jsonl|native|\{.*\}|\bid\b|'any'"
    r"|Krippendorff|Fleiss|quality"
)
"""What is the same in every language: names of people, programs, files and forms."""
SETTINGS = ("temperature 0.0, tokens 100", "temperature 0.0, tokens 100, seed 3")
SHARE = Accuracy(right=3, known=5, low=0.2, high=0.9)
COEFFICIENT = Coefficient(value=0.5, low=0.4, high=0.6, units=9)
RANGE = {"min": 2.0, "median": 3.0, "mean": 3.5, "max": 5.0}


def card() -> CardFigures:
    """Return what a card says if every sentence applies."""
    states: list[GateState] = list(get_args(GateState))
    gates = tuple(
        GateLine(
            result=GateResult(
                gate=gate.id, state=states[at % len(states)], unit=gate.unit, failing=at, total=9, reason=DATA
            ),
            person=DATA,
        )
        for at, gate in enumerate(list(GATES.values())[1:])
    )
    reasons = ("state:filtered", "flag:x", "fork:x", "check:x", "format:x")
    return CardFigures(
        export_format="native",
        title=EXPORTERS["native"].title,
        limits=EXPORTERS["native"].limits,
        holds_items=True,
        sha256="ab" * 32,
        records=1_200,
        counts={
            "task": {DATA: 3, "": 2},
            "dataset": {DATA: 3},
            "state": dict.fromkeys(get_args(ItemState), 2),
            "entity": dict.fromkeys(("source", "medium", "scene", "region", "link", "path", "item"), 1),
        },
        selection=ItemQuery(tasks=(DATA,)),
        include_flagged=True,
        withheld=4,
        reasons=dict.fromkeys(reasons, 1),
        gates=gates,
        licences=(LicenceLine(source="", licence="", media=3),),
        splits=ReleasedSplits(
            shares={},
            seed=7,
            items={DATA: 4},
            groups=2,
            hidden=HiddenKeys(splits=(DATA,), items=3, keys_hmac="", predictable=1),
        ),
        subset=ReleasedSubset(share=0.2, seed=7, items=2, tasks={DATA: 2}),
        images=ReleasedImages(
            rendering="",
            renderer="",
            most_frames=1,
            media=1,
            pictures=1,
            missing=(MissingMedium(medium=DATA, why=DATA),),
        ),
    )


def project() -> ProjectFigures:
    """Return what a project adds if every sentence applies but those that are for hidden keys or nothing."""
    bars = tuple(FigureBar(name=name, count=2, share=0.5) for name in ISSUE_CLASSES)
    distributions = tuple(
        DatasetFigure(
            id=subject,
            subject=subject,
            unit={"frames": "frames", "path": "m", "words": "words", "regions": "regions"}.get(subject, ""),
            bars=bars if subject == "issue_classes" else (FigureBar(name=DATA, count=1, share=1.0),),
            task=task,
        )
        for subject in TITLES
        for task in ("", DATA)
    )
    score = ReferenceScore(items=3, answers=4, unparsed=1, score=COEFFICIENT, exact=COEFFICIENT)
    agreement = [
        SubjectAgreement(
            subject=subject, scale=None, people=2, answers=4, unread=1, units=2, percent=COEFFICIENT,
            fleiss=COEFFICIENT, alpha=COEFFICIENT, score=None, differences={}, pairs=(),
        )
        for subject in (DATA, "event form: quality")
    ]  # fmt: skip
    runs = zip(("blind", "consensus", "evaluation", "draft", "detect", "depth"), range(6), strict=True)
    states = ("running", "paused", "cancelled", "done", "stopped", "received")
    blind = BlindReport(
        policy="any",
        version=3,
        items=9,
        guessed=2,
        kept=6,
        undecided=1,
        loss=0.1,
        stuck_loss=0.2,
        models=(
            ModelFigures(
                model=DATA, asked=9, right=3, known=5, by_chance=2.0, p=0.1, kinds={}, accuracy=SHARE
            ),
        ),
        tasks=(
            TaskFigures(
                task_set=DATA,
                task=DATA,
                items=9,
                guessed=2,
                kept=6,
                undecided=1,
                expected=2.0,
                right=3,
                known=5,
                by_chance=2.0,
                p=None,
            ),
        ),
    )
    consensus = ConsensusReport(
        items=9,
        judged=8,
        confirmed=5,
        disagreements=dict.fromkeys(DISAGREEMENT_KINDS, 1),
        tasks={},
        accuracy=None,
        models=((DATA, SHARE),),
    )
    return ProjectFigures(
        states=dict.fromkeys(get_args(ItemState), 2),
        reasons={
            f"filtered: {BY_FILTER}": 1,
            f"filtered: {NO_FLAG}": 1,
            f"rejected: {NO_REASON}": 1,
            f"rejected: {DATA}": 1,
        },
        scenes=1,
        media=2,
        persons=3,
        events=4_000,
        origins=dict.fromkeys(
            ("rule", f"rule {DATA}", f"llm {DATA}", f"template {DATA}", "import", "hand"), 1
        ),
        sources=(SourceLine(name=DATA, format=DATA, sha256="", records=3, rejected=1, items=2),),
        tasks=(
            TaskLine(
                task=DATA, items=3, answer_formats={DATA: 3}, letters={"A": 3}, words=RANGE, options=RANGE
            ),
        ),
        distributions=distributions,
        labels=LabelFigures(
            labels=3,
            degradations=dict.fromkeys(("brightness", "noise", "loss", "others"), 1),
            quality={"1": 2},
            unusable=1,
        ),
        models=tuple(
            ModelLine(
                run=f"{kind} {at}",
                state=states[at],
                model=DATA,
                served=DATA,
                revision=DATA,
                settings=SETTINGS[at % 2],
            )
            for kind, at in runs
        ),
        blind=(BlindRun(number=1, report=blind),),
        consensus=(ConsensusRun(number=1, report=consensus),),
        people=PeopleFigures(
            agreement=tuple(agreement),
            reference=(
                TaskReference(
                    task="",
                    answer_format="",
                    sampled=5,
                    outdated=2,
                    not_independent=1,
                    people=score,
                    random=score,
                    models={DATA: score},
                ),
            ),
        ),
    )


def figures(**changes: object) -> ReportFigures:
    """Return the figures of a report."""
    whole = ReportFigures(name=DATA, card=card(), files=3, bytes=1_000, is_signed=True, project=project())
    return msgspec.structs.replace(whole, **changes)


def bare() -> ReportFigures:
    """Return the figures of a release of which there is little to say."""
    empty = msgspec.structs.replace(card(), withheld=0, gates=(), splits=None, subset=None)
    little = msgspec.structs.replace(project(), hidden=3, models=(), people=PeopleFigures())
    return figures(card=empty, project=little, is_signed=False)


def unhidden() -> ReportFigures:
    """Return the figures of a project in which nobody has answered."""
    return figures(project=msgspec.structs.replace(project(), people=PeopleFigures(), models=()))


def words_of(document: Document) -> Iterator[str]:
    """Yield every text of ours: all but cells of data."""
    yield from (document.title, *document.lead)
    for section in document.sections:
        yield from (section.title, *section.texts)
        for table in section.tables:
            yield from (table.title, *table.head, *table.notes)
            yield from (cell for row in table.rows for at, cell in enumerate(row) if at in table.worded)


def data_of(document: Document) -> Iterator[str]:
    """Yield every cell of data."""
    for section in document.sections:
        for table in section.tables:
            yield from (cell for row in table.rows for at, cell in enumerate(row) if at not in table.worded)


@pytest.mark.parametrize("found", [figures(), figures(project=None), bare(), unhidden()])
def test_report_when_in_chinese_then_no_text_of_ours_is_english(found: ReportFigures) -> None:
    chinese = translated_document(report_document(found), "zh")
    left = [text for text in words_of(chinese) if re.search("[A-Za-z]{2}", OWN_NAMES.sub("", text))]
    assert left == []
    # Nor does a column of data hold a word of ours that its table does not say to be one.
    assert set(data_of(chinese)) & {text for text in report_texts("zh") if len(text) > 1} <= {"SHA-256"}


def test_report_when_in_chinese_then_numbers_data_and_plots_are_those_of_the_english_one() -> None:
    english = report_document(figures())
    chinese = translated_document(english, "zh")
    assert list(data_of(chinese)) == [{"not stated": "未注明"}.get(cell, cell) for cell in data_of(english)]
    numbers = [re.findall(r"\d[\d,.]*\d|\d", text) for text in words_of(english)]
    found = [re.findall(r"\d[\d,.]*\d|\d", text) for text in words_of(chinese)]
    assert [sorted(one) for one in found] == [sorted(one) for one in numbers]
    tables = [
        (table.marks, table.plot, table.high, table.numeric)
        for section in english.sections
        for table in section.tables
    ]
    assert tables == [
        (table.marks, table.plot, table.high, table.numeric)
        for section in chinese.sections
        for table in section.tables
    ]


def test_report_when_in_a_language_then_is_marked_so_and_its_bytes_are_the_same_each_time() -> None:
    one, other = (translated_document(report_document(figures()), "zh") for _ in range(2))
    assert b'<html lang="zh">' in html_of(one)
    assert html_of(one) == html_of(other)
    assert pdf_of(one) == pdf_of(other)
    english = report_document(figures())
    assert translated_document(english, "en") is english
    assert b'<html lang="en">' in html_of(english)


def test_report_when_a_table_or_a_text_is_too_long_then_says_so_in_chinese() -> None:
    long = "长" * 1_000
    sources = tuple(
        SourceLine(name=long if not n else f"{n}", format="", sha256="", records=1, rejected=0, items=0)
        for n in range(MOST_ROWS + 1)
    )
    found = figures(project=msgspec.structs.replace(project(), sources=sources))
    html = html_of(translated_document(report_document(found), "zh")).decode()
    assert "…（1,000 个字符）" in html
    assert "表格显示 201 行中的 200 行。" in html
    assert "characters" not in html
