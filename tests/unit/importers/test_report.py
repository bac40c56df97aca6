from __future__ import annotations

import json

import pytest

from annotator.domain.item import Item
from annotator.importers import report
from annotator.importers.imported_record import ImportedFlag, ImportedRecord, ImportIssue
from annotator.importers.report import ALWAYS_TOLD, FileReport, ImportReport

FOUND = ImportedRecord(
    record=Item(name="q", task_set="aircop"),
    line=1,
    flags=(ImportedFlag(kind="when_missing", message="x"), ImportedFlag(kind="zebra", message="x")),
)


def test_report_when_records_are_counted_then_totals_over_files() -> None:
    one, two = FileReport(file="a", format="x"), FileReport(file="b", format="y")
    one.count(FOUND, more=[ImportedFlag(kind="zebra", message="x")], is_new=True)
    two.count(FOUND, more=[], is_new=False)
    two.reject(ImportIssue(line=3, locator="record 2", field="id", message="bad"))
    total = ImportReport((one, two))
    assert (total.records, total.added, total.unchanged, total.rejected) == (3, 1, 1, 1)
    assert total.flags == {**dict.fromkeys(ALWAYS_TOLD, 0), "when_missing": 2, "zebra": 3}
    assert list(total.flags) == sorted(total.flags)
    told = total.to_json()
    assert json.loads(json.dumps(told)) == told
    assert told["rejections"] == [
        {"file": "b", "line": 3, "locator": "record 2", "field": "id", "message": "bad"}
    ]
    assert [file["records"] for file in told["files"]] == [1, 2]
    assert told["files"][0]["flags"]["zebra"] == 2


@pytest.mark.parametrize(
    ("unread", "total"), [((), 1), ((0, 0), 3), ((0, 150), 153), ((None,), None), ((None, 7), None)]
)
def test_report_when_a_part_was_not_read_then_tells_how_many_if_that_is_known(
    unread: tuple[int | None, ...], total: int | None
) -> None:
    file = FileReport(file="a", format="x")
    file.count(FOUND, more=[], is_new=True)
    for number in unread:
        file.reject(ImportIssue(line=1, locator="", field="", message="bad", unread=number))
    assert file.total == total
    assert ImportReport((file,)).incomplete == ((file,) if any(one != 0 for one in unread) else ())


def test_rejections_when_more_than_anybody_reads_then_counted_but_not_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "LISTED", 2)
    told = FileReport(file="a", format="x")
    for line in range(5):
        told.reject(ImportIssue(line=line, locator="", field="", message="bad"))
    assert (told.rejected, told.records) == (5, 5)
    assert [bad.line for bad in told.rejections] == [0, 1]
