"""The verb ``comments``."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.commands.comments import WriteComment
from annotator.domain.comment import CommentPin
from annotator.domain.item import Item
from annotator.domain.medium import Medium
from annotator.domain.record import new_id
from annotator.session import Session
from annotator.user_profile import current_actor
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import ANNA, a_scene, an_item, created, write


@pytest.fixture
def commented(tmp_path: Path) -> Path:
    path = tmp_path / "team.vantage"
    with Session.create(path, actor=ANNA) as session:
        item, scene = an_item(name="q1"), a_scene(name="s1")
        twins = an_item(name="twin"), an_item(name="twin")
        write(session, created("scene", scene), *(created("item", one) for one in (item, *twins)))
    return path


def by_anna(path: Path, text: str) -> None:
    with Session.open(path, actor=ANNA) as session:
        (item,) = session.reader.find(Item, name="q1")
        session.execute(WriteComment(entity="item", target=item.id, text=text, person=ANNA.id)).result()


def texts(said: object) -> list[str]:
    return [one["text"] for one in said.json["comments"]]  # type: ignore[attr-defined]


def test_comments_when_added_and_answered_then_are_listed_with_their_thread(
    commented: Path, verb: Verb
) -> None:
    question = verb("comments", commented, "add", "Which car?", "--item", "q1", "--question", "--json").json
    assert (question["question"], question["person"]) == ("open", current_actor().name)
    verb("comments", commented, "add", "@Anna knows", "--reply-to", question["id"])
    verb("comments", commented, "add", "dark", "--scene", "s1")
    said = verb("comments", commented, "--json")
    assert texts(said) == ["Which car?", "@Anna knows", "dark"]
    assert said.json["comments"][1]["thread"] == question["id"]
    assert said.json["comments"][1]["mentions"] == ["Anna"]
    assert texts(verb("comments", commented, "list", "--open", "--json")) == ["Which car?"]
    assert texts(verb("comments", commented, "list", "--scene", "s1", "--json")) == ["dark"]
    assert "3 comments, 0 not read" in verb("comments", commented).out


def test_comments_when_others_have_written_then_unread_lists_those_since_the_first_look(
    commented: Path, verb: Verb
) -> None:
    by_anna(commented, "earlier")
    # A person can be mentioned from the own first change on, by which the project knows the name.
    verb("comments", commented, "add", "hm", "--item", "q1")
    verb("comments", commented)
    by_anna(commented, "later")
    by_anna(commented, f"@{current_actor().name}, now")
    assert texts(verb("comments", commented, "list", "--unread", "--json")) == [
        "later",
        f"@{current_actor().name}, now",
    ]
    assert texts(verb("comments", commented, "list", "--mentions-me", "--json")) == [
        f"@{current_actor().name}, now"
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("add", "x"), "No record is given"),
        (("add", "x", "--item", "q1", "--scene", "s1"), "Several records"),
        (("add", "x", "--item", "nothing"), "0 items named 'nothing'"),
        (("add", "x", "--item", "nothing"), "vantage items PROJECT"),
        (("add", "x", "--scene", "nothing"), "0 scenes named 'nothing'"),
        (("add", "x", "--scene", "nothing"), "The Library lists the scenes"),
        (("add", "x", "--item", "twin"), "2 items named 'twin'"),
        (("add", " ", "--item", "q1"), "The comment is empty"),
        (("add", "x", "--reply-to", "zzz"), "There is no comment zzz"),
    ],
)
def test_comments_when_something_is_wrong_then_says_what_and_adds_nothing(
    commented: Path, verb: Verb, arguments: tuple[str, ...], message: str
) -> None:
    said = verb("comments", commented, *arguments)
    assert (said.status, said.out) == (2, "")
    assert message in said.err
    assert texts(verb("comments", commented, "--json")) == []


def test_release_when_a_record_has_pinned_comments_then_is_the_same_as_without(
    commented: Path, verb: Verb, tmp_path: Path
) -> None:
    def release(name: str) -> dict[str, bytes]:
        out = tmp_path / name
        given = ("--format", "native", "--states", "all", "--include-flagged")
        assert verb("release", commented, out, *given).status == 0
        files = (file for file in out.rglob("*") if file.is_file() and "manifest" not in file.name)
        return {file.relative_to(out).as_posix(): file.read_bytes() for file in files}

    with Session.open(commented, actor=ANNA) as session:
        medium = Medium(id=new_id(), name="a.png", width_px=64, height_px=64)
        write(session, created("medium", medium))
    before = release("before")
    with Session.open(commented, actor=ANNA) as session:
        (item,) = session.reader.find(Item, name="q1")
        pin = CommentPin(medium=medium.id, x=3.0, y=4.0)
        session.execute(WriteComment(entity="item", target=item.id, text="canary", pin=pin)).result()
    assert release("after") == before
    assert before
