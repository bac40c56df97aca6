from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from annotator.command_summary import CommandSummary
from annotator.commands.command import Command
from annotator.commands.findings import GONE, RecordFindings
from annotator.commands.imports import ImportFiles
from annotator.commands.item_states import ChangeState
from annotator.commands.records import DecideFlags
from annotator.domain.event import CREATED, REMOVED, Edit
from annotator.domain.flag import Flag
from annotator.domain.item import Item, Option
from annotator.domain.medium import Medium
from annotator.errors import UserError
from annotator.progress import Progress
from annotator.quality.report import CheckReport
from annotator.queries.reader import Reader
from annotator.session import Session
from tests.item_fields import SetItemField
from tests.unit.store.making import undo_label

GOOD = Item(
    id="1" * 32,
    name="Real2_OR_1_UAV1",
    task_set="aircop",
    task="object_recognition",
    question="Which of these objects can be seen?",
    options=tuple(
        Option(letter=letter, text=text)
        for letter, text in zip("ABCD", ("a car", "the bridge", "two vans", "a tree"), strict=True)
    ),
    answer_key="A",
    media=("seen",),
)
BAD = msgspec.structs.replace(
    GOOD, id="2" * 32, name="Real2_OR_2_UAV1", question="Which of these objects moves?", answer_key="Z"
)


class Put(Command):
    """Put edits into a project as they are."""

    summary = CommandSummary.of_text("Put")

    def __init__(self, *edits: Edit) -> None:
        self._edits = edits

    def plan(self, reader: Reader, *, progress: Progress) -> Iterator[Edit]:
        yield from self._edits


def _made(record: Item | Medium | Flag, entity: str) -> Edit:
    return Edit(entity=entity, entity_id=record.id, field=CREATED, value=record)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session.create(tmp_path / "p.vantage") as opened:
        seen = Medium(id="seen", name="seen.jpg", sha256="ab" * 32)
        opened.execute(Put(_made(seen, "medium"), _made(GOOD, "item"), _made(BAD, "item"))).result()
        yield opened


def _check(session: Session, **fields: tuple[str, ...]) -> CheckReport:
    command = RecordFindings(**fields)
    session.execute(command).result()
    return command.report


def _flag(session: Session) -> Flag:
    [flag] = session.reader.flags_of(BAD.id)
    return flag


def test_record_findings_when_a_check_finds_something_then_a_flag_says_so(session: Session) -> None:
    report = _check(session)
    flag = _flag(session)
    assert (flag.entity, flag.kind, flag.field, flag.severity) == (
        "item",
        "key_in_options",
        "answer_key",
        "error",
    )
    assert (flag.state, flag.raised_by) == ("open", "check")
    assert flag.message == "The answer key 'Z' is not among the options A, B, C, D."
    assert session.reader.flags_of(GOOD.id) == []
    assert (report.items, report.findings, report.flags_added) == (2, 1, 1)
    assert session.reader.open_flag_counts() == {"key_in_options": 1}


def test_record_findings_when_done_twice_then_nothing_is_written(session: Session) -> None:
    _check(session)
    command = RecordFindings()
    changes = session.execute(command).result()
    assert changes.command == ""
    assert (command.report.findings, command.report.flags_added, command.report.flags_resolved) == (1, 0, 0)


def test_record_findings_when_a_finding_is_gone_then_its_flag_is_resolved(session: Session) -> None:
    _check(session)
    session.execute(SetItemField(item=BAD.id, field="answer_key", value="B")).result()
    report = _check(session)
    flag = _flag(session)
    assert (flag.state, flag.resolution) == ("resolved", GONE)
    assert report.flags_resolved == 1


def test_record_findings_when_a_finding_comes_back_then_the_same_flag_opens_again(session: Session) -> None:
    _check(session)
    session.execute(SetItemField(item=BAD.id, field="answer_key", value="B")).result()
    _check(session)
    session.execute(SetItemField(item=BAD.id, field="answer_key", value="Z")).result()
    report = _check(session)
    flag = _flag(session)
    assert (flag.state, flag.resolution) == ("open", "")
    assert report.flags_added == 1


def test_record_findings_when_a_person_dismissed_it_then_it_stays_so_while_the_message_is_the_same(
    session: Session,
) -> None:
    _check(session)
    session.execute(
        DecideFlags(flags=(_flag(session).id,), state="dismissed", resolution="as wanted")
    ).result()
    assert _check(session).flags_added == 0
    assert (_flag(session).state, _flag(session).resolution) == ("dismissed", "as wanted")
    session.execute(SetItemField(item=BAD.id, field="answer_key", value="Y")).result()
    assert _check(session).flags_added == 1
    flag = _flag(session)
    assert (flag.state, flag.resolution) == ("open", "")
    assert "'Y'" in flag.message


def test_record_findings_when_the_message_of_an_open_flag_changes_then_it_is_brought_up_to_date(
    session: Session,
) -> None:
    _check(session)
    session.execute(SetItemField(item=BAD.id, field="answer_key", value="Y")).result()
    report = _check(session)
    assert (report.flags_added, report.flags_updated) == (0, 1)
    assert "'Y'" in _flag(session).message


def test_record_findings_when_an_item_is_rejected_or_removed_then_its_flag_is_resolved(
    session: Session,
) -> None:
    other = msgspec.structs.replace(BAD, id="3" * 32, name="Real2_OR_3_UAV1", question="What does it show?")
    session.execute(Put(_made(other, "item"))).result()
    assert _check(session).flags_added == 2
    session.execute(ChangeState(items=(BAD.id,), state="rejected", reason="no use")).result()
    session.execute(Put(Edit(entity="item", entity_id=other.id, field=REMOVED, value=True))).result()
    assert _check(session).flags_resolved == 2
    assert session.reader.open_flag_counts() == {}


def test_record_findings_when_a_flag_was_raised_by_somebody_else_then_it_is_left_alone(
    session: Session,
) -> None:
    by_hand = Flag(id="9" * 32, entity="item", target=GOOD.id, kind="key_in_options", raised_by="hand")
    imported = Flag(id="8" * 32, entity="item", target=BAD.id, kind="key_in_options", raised_by="import")
    session.execute(Put(_made(by_hand, "flag"), _made(imported, "flag"))).result()
    assert _check(session).flags_added == 1
    assert {flag.raised_by for flag in session.reader.flags_of(BAD.id)} == {"import", "check"}
    assert [flag.state for flag in session.reader.flags_of(GOOD.id)] == ["open"]


def test_record_findings_when_only_some_checks_or_sets_run_then_other_flags_stay(session: Session) -> None:
    _check(session)
    session.execute(SetItemField(item=BAD.id, field="answer_key", value="B")).result()
    assert _check(session, checks=("required_fields",)).flags_resolved == 0
    assert _check(session, task_sets=("urbanvideo",)).flags_resolved == 0
    assert _flag(session).state == "open"
    assert _check(session, checks=("key_in_options",), task_sets=("aircop",)).flags_resolved == 1


def test_record_findings_when_a_task_is_uneven_then_the_task_has_the_flag_until_it_is_even(
    session: Session,
) -> None:
    items = [msgspec.structs.replace(GOOD, id=f"{n:032x}", name=f"n{n}") for n in range(100, 140)]
    session.execute(Put(*(_made(item, "item") for item in items))).result()
    _check(session)
    [flag] = session.reader.flags_of("aircop/object_recognition")
    assert (flag.entity, flag.kind, flag.state) == ("task", "letter_balance", "open")
    assert "A 100.0%" in flag.message
    for n, item in enumerate(items):
        session.execute(SetItemField(item=item.id, field="answer_key", value="ABCD"[n % 4])).result()
    assert _check(session, task_sets=("urbanvideo",)).flags_resolved == 0
    _check(session)
    [flag] = session.reader.flags_of("aircop/object_recognition")
    assert flag.state == "resolved"


def test_record_findings_when_undone_and_redone_then_flags_go_and_come(session: Session) -> None:
    _check(session)
    session.undo().result()
    assert session.reader.flags_of(BAD.id) == []
    session.redo().result()
    assert _flag(session).state == "open"
    session.undo().result()
    assert _check(session).flags_added == 1


def test_record_findings_when_a_check_is_not_known_then_the_known_ones_are_named(session: Session) -> None:
    with pytest.raises(UserError, match="no check spelling") as error:
        _check(session, checks=("spelling", "option_keys"))
    assert "letter_balance" in error.value.hint
    assert undo_label(session) == "Put"


def test_record_findings_when_the_questions_have_the_published_faults_then_each_is_found(
    shared_data: Path, tmp_path: Path
) -> None:
    with Session.create(tmp_path / "quirks.vantage") as quirks:
        quirks.execute(ImportFiles(paths=(shared_data / "aircop" / "aircop_questions_quirks.json",))).result()
        found = {check: n for check, n in _check(quirks).checks.items() if n}
    # Two UAV1 as options, "A, B" and "D" as keys, three options, a question of six letters, one id twice.
    assert found == {
        "duplicate_options": 1,
        "option_similarity": 1,
        "key_in_options": 2,
        "option_keys": 1,
        "question_length": 1,
        "duplicate_id": 2,
        "missing_media": 4,
    }


@pytest.mark.parametrize(
    ("file", "items", "found"),
    [
        ("spatialuav/spatialuav_annotations.jsonl", 16, {"missing_media": 16}),
        # "I rotate the camera upward." and "… downward." differ in one word.
        ("urbanvideo/urbanvideo_mcq.csv", 4, {"missing_media": 4, "option_similarity": 1}),
    ],
)
def test_record_findings_when_published_items_are_sound_then_there_are_no_false_alarms(
    shared_data: Path, tmp_path: Path, file: str, items: int, found: dict[str, int]
) -> None:
    with Session.create(tmp_path / "sound.vantage") as sound:
        sound.execute(ImportFiles(paths=(shared_data / file,))).result()
        report = _check(sound)
    assert report.items == items
    assert {check: n for check, n in report.checks.items() if n} == found
