"""The pane of live checks: rows, jumps, repairs, and answers that belong to the newest text."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from PySide6.QtCore import Qt

from annotator.commands.item_edits import RemoveOption, SetQuestion, SwapOptions
from annotator.domain.item import Item
from annotator.domain.record import new_id
from annotator.errors import EnvironmentFailure
from annotator.session import Session
from tests.guards_qt import PatientBot
from tests.windows import AddRecords, make_item, option
from widgets.bridge import Bridge
from widgets.refine.live_checks_pane import LiveChecksPane
from widgets.translation import set_language

OPTIONS = tuple(option(letter, text) for letter, text in zip("ABCD", ("4", "7", "9", "7."), strict=True))


@pytest.fixture
def pane(session: Session, bridge: Bridge, qtbot: PatientBot) -> Iterator[LiveChecksPane]:
    made = LiveChecksPane(session=session, bridge=bridge)
    qtbot.addWidget(made)
    made.resize(360, 480)
    made.show()
    yield made
    made.hide()


def faulty(session: Session, **fields: object) -> Item:
    item = make_item(77, **{"options": OPTIONS, "question": "How many trucks stand in picture 77?", **fields})
    session.execute(AddRecords(records=[item])).result()
    return item


def show(pane: LiveChecksPane, item: Item, qtbot: PatientBot) -> list[str]:
    pane.show_item(item)
    qtbot.settle(pane.is_settled)
    return [row.text for row in pane.rows]


def test_pane_when_an_item_is_faulty_then_rows_and_fields_say_so(
    pane: LiveChecksPane, session: Session, qtbot: PatientBot
) -> None:
    texts = show(pane, faulty(session), qtbot)
    assert texts[0].startswith("Answer key is valid\u00a0· texts are clean")
    assert "Duplicate options: B and D ('7')." in texts
    assert pane.messages_of("options[3]") == ("Duplicate options: B and D ('7').",)
    assert pane.messages_of("question") == ()


def test_pane_when_a_row_is_clicked_or_entered_then_its_field_is_asked_for(
    pane: LiveChecksPane, session: Session, qtbot: PatientBot
) -> None:
    show(pane, faulty(session), qtbot)
    row = next(row for row in pane.rows if row.text.startswith("Duplicate"))
    asked: list[str] = []
    pane.jump_requested.connect(asked.append)
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    qtbot.keyClick(row, Qt.Key.Key_Return)
    assert asked == ["options[3]", "options[3]"]


def test_pane_when_the_repair_is_chosen_then_its_command_removes_the_finding(
    pane: LiveChecksPane, session: Session, qtbot: PatientBot
) -> None:
    item = faulty(session)
    show(pane, item, qtbot)
    commands: list[RemoveOption] = []
    pane.repair_requested.connect(commands.append)
    row = next(row for row in pane.rows if row.repair is not None)
    assert [button.text() for button in row.buttons] == ["Remove option D"]
    row.buttons[0].click()
    assert pane.repair_first()
    assert commands == [RemoveOption(item=item.id, letter="D")] * 2
    session.execute(commands[0]).result()
    texts = show(pane, session.reader.require(Item, item.id), qtbot)
    assert not any(text.startswith("Duplicate") for text in texts)
    assert not pane.repair_first()


def test_pane_when_newer_text_is_shown_before_the_answer_then_only_its_findings_are_seen(
    pane: LiveChecksPane, session: Session, qtbot: PatientBot
) -> None:
    item = faulty(session)
    seen: list[tuple[str, ...]] = []
    pane.checked.connect(lambda: seen.append(pane.messages_of("question")))
    for text in ("Sure! Here is", "Sure! Here is it", "How many {slot} stand there?"):
        pane.show_item(msgspec.structs.replace(item, question=text))
    qtbot.settle(pane.is_settled)
    assert seen[-1] == ("Unfilled slots: {slot}.",)
    assert all(found == seen[-1] for found in seen)


def test_pane_when_another_item_becomes_the_same_then_its_row_offers_to_show_it(
    pane: LiveChecksPane, session: Session, qtbot: PatientBot
) -> None:
    item, other = faulty(session), faulty(session, id=new_id(), name="other", question="Where is the lake?")
    assert not any("question as" in text for text in show(pane, item, qtbot))
    session.execute(SetQuestion(item=other.id, text=item.question)).result()
    qtbot.waitUntil(lambda: any(row.text == "The same question as other." for row in pane.rows))
    row = next(row for row in pane.rows if row.text == "The same question as other.")
    asked: list[str] = []
    pane.item_requested.connect(asked.append)
    row.buttons[0].click()
    assert asked == [other.id]


def test_pane_when_typing_changes_no_finding_then_the_rows_stay(
    pane: LiveChecksPane, session: Session, qtbot: PatientBot
) -> None:
    item = faulty(session)
    show(pane, item, qtbot)
    rows = list(pane.rows)
    show(pane, msgspec.structs.replace(item, question=item.question + " Now"), qtbot)
    assert pane.rows == rows


def test_pane_when_letters_are_uneven_then_the_plot_and_a_swap_say_so(
    pane: LiveChecksPane, session: Session, qtbot: PatientBot
) -> None:
    items = [
        make_item(100 + n, options=OPTIONS[:3], answer_key="A", question=f"Which of the {n} ponds is it?")
        for n in range(30)
    ]
    session.execute(AddRecords(records=list(items))).result()
    texts = show(pane, items[0], qtbot)
    assert "Letters so far: A 100 %, B 0 %, C 0 %" in texts
    assert pane.plot.heights()[:3] == [1.0, 0.0, 0.0]
    (swap,) = [row.repair for row in pane.rows if row.repair is not None]
    assert swap == SwapOptions(item=items[0].id, letters=("A", "B"))


def test_pane_when_no_item_is_shown_then_it_is_empty(
    pane: LiveChecksPane, session: Session, qtbot: PatientBot
) -> None:
    show(pane, faulty(session), qtbot)
    pane.show_item(None)
    assert (pane.rows, pane.plot.isVisible(), pane.findings_of("question")) == ([], False, ())


def test_pane_when_the_window_is_chinese_then_rows_are_too(
    session: Session, bridge: Bridge, qtbot: PatientBot
) -> None:
    set_language("zh")
    pane = LiveChecksPane(session=session, bridge=bridge)
    qtbot.addWidget(pane)
    texts = show(pane, faulty(session), qtbot)
    assert any(text.startswith("重复的选项") for text in texts)
    assert not any("answer key is valid" in text.lower() for text in texts)


def test_pane_when_the_project_cannot_be_read_then_the_window_hears_of_it_and_nothing_waits(
    pane: LiveChecksPane, session: Session, bridge: Bridge, qtbot: PatientBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = faulty(session)

    def fail(_reader: object, *, item: Item) -> None:
        raise EnvironmentFailure(f"{item.name} cannot be read.")

    monkeypatch.setattr("widgets.refine.live_checks_pane.run_live_checks", fail)
    errors: list[BaseException] = []
    bridge.failed.connect(errors.append)
    assert show(pane, item, qtbot) == []
    assert [str(error) for error in errors] == ["item_00077 cannot be read."]
