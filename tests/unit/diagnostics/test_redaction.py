from __future__ import annotations

import pytest

from annotator.diagnostics.redaction import file_name, redact


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cannot read /data/li/secret/a.json now", "cannot read a.json now"),
        ("cannot read '/data/li hua/my files/a b.json' now", "cannot read 'a b.json' now"),
        (r"cannot read C:\Users\Li\a.json", "cannot read a.json"),
        ("~/videos/p.vantage is locked", "p.vantage is locked"),
        ("GET https://host.example/v1/models failed", "GET https://host.example/v1/models failed"),
        ("https://me:word@host/v1", "https://***@host/v1"),
        ("refused sk-proj1abcdefghijklmnop", "refused ***"),
        ("Authorization: Bearer abcdefghijklmnop", "Authorization: ***"),
        ("3/4 of 10 and/or more", "3/4 of 10 and/or more"),
    ],
)
def test_redact_when_text_holds_paths_or_keys_then_only_file_names_stay(text: str, expected: str) -> None:
    assert redact(text) == expected


def test_file_name_when_the_path_is_of_either_system_then_is_the_last_part() -> None:
    assert (file_name("/a/b.png"), file_name(r"C:\a\b.png")) == ("b.png", "b.png")
