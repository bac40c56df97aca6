from __future__ import annotations

import re

import pytest

from annotator.command_summary import TEMPLATES, CommandSummary


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        (CommandSummary.of("reject_items", count=1), "Reject 1 item"),
        (CommandSummary.of("reject_items", count=12_000), "Reject 12,000 items"),
        (CommandSummary.of("import_file", name="{count} {name}.json"), "Import {count} {name}.json"),
        (CommandSummary.of("import_file"), "Import {name}"),
        (CommandSummary.of("seen_nowhere", count=2), "Seen nowhere"),
        (CommandSummary.of_text("as it is"), "as it is"),
    ],
)
def test_summary_when_in_english_then_fills_the_sentence(summary: CommandSummary, expected: str) -> None:
    assert str(summary) == expected


def test_templates_when_for_one_thing_then_have_the_same_parameters() -> None:
    def places(text: str) -> set[str]:
        return set(re.findall(r"{(\w+)}", text))

    with_one = [template for template in TEMPLATES.values() if template.one]
    assert len(with_one) > 10
    assert [t for t in with_one if places(t.one) != places(t.many) or "count" not in places(t.many)] == []
