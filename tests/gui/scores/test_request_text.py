"""What the dialog and the tab of models say about requests: their cost, and the signs of each language."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtWidgets import QWidget

from annotator.scoring.judged_scores import JudgedScores, JudgeFigures, JudgeOptions, RequestFigures
from annotator.scoring.score_report import ScoreReport
from tests.guards_qt import PatientBot
from widgets.action_registry import ActionRegistry
from widgets.scores.ask_models_dialog import AskModelsDialog
from widgets.scores.models_pane import ModelsPane
from widgets.scores.request_text import cost_text
from widgets.translation import set_language


def judged(*, sent: int, is_price_known: bool) -> JudgedScores:
    requests = RequestFigures(
        sent=sent, cached=1, failed=0, not_sent=2, cost_micro=0, message="", worst_micro=0,
        is_price_known=is_price_known,
    )  # fmt: skip
    return JudgedScores(
        judge=JudgeFigures(name="gpt", profile="gpt", prompt="grade_reply 1", models=(), requests=requests)
    )


def report(found: JudgedScores) -> ScoreReport:
    others: dict[str, Any] = dict.fromkeys(ScoreReport.__struct_fields__)
    figures = {"models": (), "judged": found, "unreadable_count": 3, "free_texts": 2}
    return ScoreReport(**{**others, **figures})


def test_cost_when_a_part_of_it_is_a_maximum_then_says_how_much() -> None:
    known = RequestFigures(
        sent=2, cached=0, failed=0, not_sent=0, cost_micro=420_000, message="", worst_micro=900_000
    )
    assert cost_text(known) == "cost 0.42"
    part = msgspec.structs.replace(known, maximum_micro=400_000)
    assert cost_text(part) == "cost 0.42, of which 0.40 at most"


@pytest.mark.parametrize(
    ("is_price_known", "cost", "most"),
    [(True, "cost 0.00", "at most 0.00"), (False, "cost unknown", "cost unknown")],
)
def test_requests_when_the_model_has_no_price_then_their_cost_is_called_unknown(
    registry: ActionRegistry, qtbot: PatientBot, is_price_known: bool, cost: str, most: str
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    dialog = AskModelsDialog(window, profiles={}, options=JudgeOptions())
    dialog.show_counts(judged(sent=0, is_price_known=is_price_known))
    assert dialog.estimate.text() == f"3 free texts. 1 is answered already; 2 requests are left: {most}."
    pane = ModelsPane(registry=registry)
    qtbot.addWidget(pane)
    pane.show_report(report(judged(sent=4, is_price_known=is_price_known)), is_asked=False)
    assert f"4 requests sent ({cost}); 1 reply kept from before; 2 requests are left." in pane.judge.text()
    pane.show_report(report(judged(sent=0, is_price_known=is_price_known)), is_asked=False)
    assert f"1 reply kept from before; 2 requests are left ({most})." in pane.judge.text()


def test_requests_when_the_window_speaks_chinese_then_joined_counts_have_chinese_signs(
    registry: ActionRegistry, qtbot: PatientBot
) -> None:
    set_language("zh")
    window = QWidget()
    qtbot.addWidget(window)
    dialog = AskModelsDialog(window, profiles={}, options=JudgeOptions())
    dialog.show_counts(judged(sent=0, is_price_known=False))
    pane = ModelsPane(registry=registry)
    qtbot.addWidget(pane)
    pane.show_report(report(judged(sent=4, is_price_known=True)), is_asked=False)
    for text in (dialog.estimate.text(), pane.note.text(), pane.judge.text()):
        assert text.endswith("。")
        assert "；" in text
        assert not {";", ":"} & set(text)
