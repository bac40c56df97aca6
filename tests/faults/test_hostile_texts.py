"""Texts of any kind in every field of a project: stored, verified, released, shown, and never obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.domain.comment import Comment
from annotator.domain.item import Item, Option
from annotator.domain.record import Record, new_id
from annotator.session import Session
from tests.faults.disk_faults import FaultyDisk, needs_compiler
from tests.faults.fault_rows import Trials, fault_row, trials
from tests.unit.store.making import a_flag, a_medium, a_scene, created, problems, write

TEXTS = {
    "right to left": "\u202eevil\u202c שלום 123 مرحبا",
    "zero": "before\0after",
    "controls": "\x1b[2J\x1b]0;title\x07\r\b\x7f\x9b31m",
    "one long word": "x" * 100_000,
    "formula": "=cmd|'/c calc'!A0",
    "markup": "<img src='file:///etc/passwd'><a href='http://127.0.0.1:9/'>x</a><h1>",
    "path": "../../../../tmp/evil",
    "format": "%s %n {0} {x.__class__} ${HOME} `id`",
    "sql": "'; DROP TABLE item; --",
    "combining": "a" + "\u0301" * 2_000,
    "lines": "a\nb\r\nc\u2028d\u2029e\x0bf\x85g",
    "not characters": "\ufffe\uffff\U0010ffff\ue000",
    "blank": " \t\u00a0\u3000",
    # The last one, since it takes as long as all others.
    "one megabyte": "How many cars? " * 70_000,
}
VERBS = (("stats",), ("items",), ("check",), ("comments",), ("verify",), ("media", "survey"))


def records_of(text: str) -> list[tuple[str, Record]]:
    """Return records that have a text in each field of theirs that people or files fill."""
    medium = a_medium(name=text, licence=text, dataset=text)
    scene = a_scene(medium.id, name=text, dataset=text, tags=(text,))
    item = Item(
        id=new_id(),
        name=text,
        task_set=text,
        task=text,
        scene=scene.id,
        media=(medium.id,),
        view=text,
        question=text,
        options=(Option(letter="A", text=text), Option(letter="B", text=text)),
        answer_key=text,
        extras={text[:1_000]: text},
    )
    comment = Comment(id=new_id(), entity="item", target=item.id, text=text)
    flag = a_flag(item.id, message=text, kind="doubt")
    named = ("medium", medium), ("scene", scene), ("item", item), ("comment", comment), ("flag", flag)
    return list(named)


def make_project(path: Path, text: str) -> Path:
    """Write a project with a text everywhere."""
    with Session.create(path) as session:
        write(session, *(created(entity, record) for entity, record in records_of(text)))
    return path


@pytest.mark.parametrize(
    "text", [text for text in TEXTS.values() if len(text) < 200_000], ids=lambda text: ascii(text[:12])
)
def test_texts_when_in_every_field_then_are_stored_as_they_are_and_verify_finds_nothing(
    tmp_path: Path, text: str
) -> None:
    path = make_project(tmp_path / "p.vantage", text)
    with Session.open(path) as session:
        (item,) = session.reader.records(Item)
        (comment,) = session.reader.records(Comment)
    assert (item.question, item.options[1].text, comment.text) == (text, text, text)
    assert problems(path) == []


@needs_compiler
@trials(short=len(TEXTS), full=len(TEXTS), limit_s=50)
def test_texts_when_shown_by_verbs_and_the_window_then_no_bug_shows_and_nothing_is_obeyed(
    tmp_path: Path, disk: FaultyDisk, trials: Trials
) -> None:
    fault = "A hostile text is in every field: shown by verbs and by the window, and released"
    with fault_row(fault, test=__file__, trials=trials) as row:
        for number, name in zip(trials, TEXTS, strict=False):
            path = make_project(tmp_path / f"{number}.vantage", TEXTS[name])
            orders = [(verb, path, *more) for verb, *more in VERBS]
            orders.append(
                ("release", path, tmp_path / f"out{number}", "--format", "native", "--state", "drafted")
            )
            orders.append((path, "--screenshot", tmp_path / f"{number}.png"))
            for order in orders:
                ended = disk.run(*order, under=tmp_path)
                said = ended.out + ended.err
                text = f"{name}: {' '.join(map(str, order))}: {ended.status} {said[-500:]!r}"
                row.expect(ended.status in {0, 1, 2}, text)
                row.expect("Traceback" not in said, text)
                row.expect(not {"\x1b", "\0"} & set(said), f"controls the terminal: {text}")
                row.add("verbs and windows")
            row.tried += 1
