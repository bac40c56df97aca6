"""Runs tests that lie elsewhere and are faults as well, and keeps a row of each kind.

``python -m tests.faults.recorded_tests`` writes the rows into ``build/faults.json``, as ``make faults`` does.
A case of such a test is one trial, unless the test says how many there were: ``record_property("tried", n)``.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import pytest

from tests.faults.fault_rows import FORM, FaultRow, keep_row


@dataclass(frozen=True)
class RecordedTests:
    """Tests of one kind of fault.

    Attributes:
        fault: The kind of fault, as in the document.
        tests: Files, or single tests as pytest names them; the first file stands in the document.
        has_slow: Whether slow ones run in the short form as well.
    """

    fault: str
    tests: tuple[str, ...]
    has_slow: bool = False

    @property
    def file(self) -> str:
        """Name of the file that stands in the document."""
        return self.tests[0].partition("::")[0].rpartition("/")[2]

    def contains(self, name: str) -> bool:
        """Return whether a test is one of these, whatever its parameters."""
        test, _, _ = name.partition("[")
        return test in self.tests or test.partition("::")[0] in self.tests


WALKS = "tests/e2e/test_library_counts.py"
DETECTOR = "tests/unit/models/test_ultralytics_detector.py"
RECORDED = (
    RecordedTests(
        "A model's server refuses, is silent or slow, cuts its replies, states a wrong length, sends web "
        "pages, asks to wait, fails each call, or redirects",
        (
            "tests/unit/models/test_chat_client.py",
            "tests/unit/models/test_failures.py",
            "tests/unit/models/test_retry_after.py",
            "tests/unit/jobs/test_failure_streaks.py",
        ),
    ),
    RecordedTests(
        "A server sends an API key back, in each encoding and place; no part of it is in the project, logs, "
        "exports, output, crash reports or the list of processes",
        ("tests/unit/jobs/test_key_canary.py", "tests/unit/models/test_key_search.py"),
        has_slow=True,
    ),
    RecordedTests(
        "A file of weights would run code",
        (
            "tests/faults/test_weight_payloads.py",
            "tests/unit/models/test_checkpoint.py::test_folder_when_it_brings_code_then_the_code_is_not_run",
            f"{DETECTOR}::test_open_when_a_file_holds_code_then_it_is_not_run",
        ),
    ),
    RecordedTests(
        "Numbers on the screen are compared with SQL and with exported files, along a random walk",
        (
            f"{WALKS}::test_numbers_when_one_walks_through_the_library_at_random_then_equal_the_file",
            f"{WALKS}::test_filtered_list_when_released_then_the_files_hold_as_many_records_as_the_list",
            f"{WALKS}::test_numbers_when_one_walks_for_long_then_equal_the_file",
        ),
    ),
    RecordedTests(
        "Media are deleted, moved, renamed in case or accents only, changed, cut, or links in a loop",
        ("tests/faults/test_media_faults.py", "tests/unit/media/test_file_locator.py"),
    ),
    RecordedTests(
        "A stranger's project has triggers, views or other tables, folders outside of its own, runs of its "
        "own, or claims the content of other files",
        (
            "tests/unit/store/test_schema_check.py",
            "tests/unit/media/test_media_roots.py",
            "tests/unit/jobs/test_confirmed_runs.py",
            "tests/unit/media/test_thumbnails.py",
            "tests/unit/media/video/test_index.py",
        ),
    ),
    RecordedTests(
        "An image or a video is damaged, none at all, or takes too much memory",
        (
            "tests/unit/media/test_image_decoder.py",
            "tests/unit/media/test_decode_memory.py",
            "tests/unit/media/video/test_damage.py",
        ),
    ),
    RecordedTests(
        "An archive is damaged, a bomb, lies about sizes, or has names that lead out",
        ("tests/unit/importers/test_fuzz_archives.py",),
    ),
    RecordedTests(
        "A file of annotations is damaged or hostile: JSON, tables, any bytes",
        (
            "tests/unit/importers/test_hostile.py",
            "tests/unit/importers/test_fuzz_readers.py",
            "tests/unit/importers/test_fuzz_tables.py",
        ),
    ),
    RecordedTests(
        "A text is a formula of a spreadsheet program, in each form that writes CSV",
        ("tests/faults/test_csv_formulas.py", "tests/unit/release/test_cells.py"),
    ),
    RecordedTests(
        "The clock is stepped by years, forward and back", ("tests/faults/test_stepped_clocks.py",)
    ),
    RecordedTests(
        "The disk is full, or the medium read-only",
        ("tests/faults/test_full_disk.py",),
        has_slow=True,
    ),
)


class Recorder:
    """A plugin of pytest that counts the cases of each kind."""

    def __init__(self) -> None:
        self._rows = {kind.fault: FaultRow() for kind in RECORDED}
        self._began = time.monotonic()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what is slow in the short form."""
        left_out = [item for item in items if not self._is_run(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a case."""
        for kind in (kind for kind in RECORDED if kind.contains(report.nodeid)):
            row = self._rows[kind.fault]
            if report.when == "call" and not report.skipped:
                tried = dict(report.user_properties).get("tried", 1)
                row.tried += int(tried if isinstance(tried, int) else 1)
            if report.failed:
                row.faults.append(report.nodeid)

    def keep(self) -> None:
        """Keep the rows of what ran."""
        for kind in RECORDED:
            row = self._rows[kind.fault]
            if row.tried or row.faults:
                keep_row(kind.fault, kind.file, FORM, row, seconds=time.monotonic() - self._began)

    @staticmethod
    def _is_run(item: pytest.Item) -> bool:
        if FORM == "full" or item.get_closest_marker("slow") is None:
            return True
        return any(kind.has_slow for kind in RECORDED if kind.contains(item.nodeid))


def main(arguments: list[str]) -> int:
    """Run the tests; returns pytest's exit status.

    Args:
        arguments: Further arguments of pytest.
    """
    recorder = Recorder()
    tests = [test for kind in RECORDED for test in kind.tests]
    status = pytest.main(["-q", "-n", "0", "-m", "slow or not slow", *arguments, *tests], plugins=[recorder])
    recorder.keep()
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
