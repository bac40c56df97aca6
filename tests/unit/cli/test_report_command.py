"""The verb ``report``: its numbers are those of the other verbs, at the time of the release."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.item import Item
from annotator.domain.profile import ModelProfile
from annotator.jobs.profile_file import write_profiles
from annotator.quality.policy import POLICY_VERSION
from annotator.session import Session
from annotator.user_profile import config_folder
from tests.patience import PATIENCE_S
from tests.servers.chat_server import ChatServer
from tests.unit.cli.conftest import Verb
from tests.unit.jobs.job_types.asking import choice
from tests.unit.store.making import changed, created, write

BLIND = ("--models", "always A", "--policy", "any", "--outcome", "none")
RELEASE = ("--format", "native", "--states", "all", "--include-flagged")
HOSTILE = "</style><script>alert('x')</script> \u202egnp.exe \0 第3区 שלום"
ITEMS = (
    choice("red", "blue", "white", answer_key="A", name="one", question="Which colour has the van?"),
    choice("2", "3", "4", answer_key="B", name="two", question="How many vans wait there?", state="accepted"),
    choice("up", "down", "left", answer_key="C", name="three", question="Where next?", state="rejected"),
)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answer=lambda _body: "A") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path, server: ChatServer, ask: Verb) -> Path:
    """Give a project with a blind run, answers of two people, a human reference and a release in ``out``."""
    path = tmp_path / "p.vantage"
    with Session.create(path) as session:
        write(session, *(created("item", item) for item in ITEMS))
    profile = ModelProfile(
        name="always A", adapter="openai", model="a-7b", revision="r2", base_url=server.base_url,
        timeout_s=PATIENCE_S,
    )  # fmt: skip
    write_profiles(config_folder(), [profile])
    assert ask("blind", path, *BLIND).status in {0, 1}
    ask("reference", "sample", path, "--to", "Ben", "--new", "--share", "1")
    table = tmp_path / "answers.csv"
    table.write_text("name,person,answer\none,Ben,A\none,Li,B\ntwo,Ben,B\ntwo,Li,B\n")
    assert ask("responses", path, table).status == 0
    assert ask("release", path, tmp_path / "out", *RELEASE).status == 0
    return path


def figures_of(verb: Verb, project: Path, **files: Path) -> Any:
    options = [part for name, file in files.items() for part in (f"--{name}", file)]
    said = verb("report", project.parent / "out", "--project", project, *options, "--json")
    assert said.status == 0, said.err
    return said.json["figures"]


def test_report_when_compared_with_the_other_verbs_then_all_numbers_agree(
    project: Path, verb: Verb, ask: Verb
) -> None:
    found = figures_of(verb, project)["project"]
    stats = verb("stats", project, "--json").json
    assert found["states"] == stats["states"]
    told = {
        f"{task_set}/{task}": numbers["words"]
        for task_set, tasks in stats["task_sets"].items()
        for task, numbers in tasks.items()
    }
    assert {line["task"]: line["items"] for line in found["tasks"]} == dict.fromkeys(told, 2)
    agreement = verb("agreement", project, "--json").json["subjects"]
    assert agreement
    shown = found["people"]["agreement"]
    assert [without_people(one) for one in shown] == [without_people(one) for one in agreement]
    assert found["people"]["reference"] == verb("reference", "report", project, "--json").json["tasks"]
    # The answers are stored: the same run again asks nothing.
    run = ask("blind", project, *BLIND, "--json")
    (blind,) = found["blind"]
    assert blind["report"]["policy"] == "any"
    assert blind["report"]["items"] == 2
    assert blind["report"] == run.json["report"]


def without_people(subject: dict[str, Any]) -> dict[str, Any]:
    """Leave out ids, in whose place the verb has names."""
    pairs = [{name: value for name, value in pair.items() if name != "people"} for pair in subject["pairs"]]
    return {**subject, "pairs": pairs}


def test_report_when_the_release_holds_all_items_then_its_distributions_are_those_of_stats(
    project: Path, verb: Verb, tmp_path: Path
) -> None:
    verb("stats", project, "--figures", tmp_path / "figures")
    for figure in figures_of(verb, project)["project"]["distributions"]:
        lines = (tmp_path / "figures" / f"{figure['id']}.csv").read_text().splitlines()[1:]
        assert [line.split(",")[1] for line in lines] == [str(bar["count"]) for bar in figure["bars"]]


def test_report_when_the_project_goes_on_then_the_report_stays_as_it_was_to_the_byte(
    project: Path, verb: Verb, tmp_path: Path
) -> None:
    names = [tmp_path / name for name in ("r.html", "r.pdf")]
    before = figures_of(verb, project, html=names[0], pdf=names[1])
    files = [name.read_bytes() for name in names]
    with Session.open(project) as session:
        item = next(one for one in session.reader.find(Item) if one.name == "one")
        more = choice("a", "b", answer_key="A", name="four", question="What is new here?")
        write(session, created("item", more), *changed("item", item.id, question="What else?"))
    (tmp_path / "more.csv").write_text("name,person,answer\ntwo,Cy,A\n")
    assert verb("responses", project, tmp_path / "more.csv").status == 0
    assert verb("stats", project, "--json").json["items"] == 4
    assert figures_of(verb, project, html=names[0], pdf=names[1]) == before
    assert [name.read_bytes() for name in names] == files


def test_report_when_written_then_html_loads_nothing_and_names_model_and_policy(
    project: Path, verb: Verb, tmp_path: Path
) -> None:
    figures_of(verb, project, html=tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert not re.search(r"src\s*=|href=\"[^#]|url\(|@import|<script|<link|<img", page)
    assert "default-src &#x27;none&#x27;" in page
    for text in (
        "always A",
        "a-7b",
        "r2",
        f"Policy &#x27;any&#x27;, version {POLICY_VERSION}",
        "Human reference",
        "Limits",
    ):
        assert text in page
    # Neither times nor the address of the server.
    assert "127.0.0.1" not in page
    assert not re.search(r"20\d\d-\d\d-\d\d", page)


def test_report_when_a_language_is_named_then_is_in_it_with_the_same_figures(
    project: Path, verb: Verb, tmp_path: Path
) -> None:
    figures_of(verb, project, html=tmp_path / "r.html")
    files = ("--project", project, "--html", tmp_path / "zh.html", "--pdf", tmp_path / "zh.pdf")
    said = verb("report", project.parent / "out", *files, "--language", "zh", "--json").json
    assert said["language"] == "zh"
    english, chinese = ((tmp_path / name).read_text(encoding="utf-8") for name in ("r.html", "zh.html"))
    assert '<html lang="zh">' in chinese
    assert "<h2>人类参照</h2>" in chinese
    assert "Human reference" not in chinese
    numbers = re.compile(r'<td class="n">([^<A-Za-z]*)</td>')
    assert numbers.findall(chinese) == numbers.findall(english)
    assert (tmp_path / "zh.pdf").read_bytes().startswith(b"%PDF-")


def test_report_when_there_is_no_project_then_says_what_is_missing(
    project: Path, verb: Verb, tmp_path: Path
) -> None:
    said = verb("report", tmp_path / "out", "--html", tmp_path / "r.html", "--json")
    assert said.status == 0
    assert "project" not in said.json["figures"]
    assert "made of the release folder alone" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert project.exists()


def test_report_when_the_release_was_changed_then_no_report_is_made(
    project: Path, verb: Verb, tmp_path: Path
) -> None:
    (tmp_path / "out" / "records.jsonl").write_text("{}\n")
    said = verb("report", tmp_path / "out", "--project", project, "--html", tmp_path / "r.html")
    assert said.status == 2
    assert "records.jsonl has changed since the release" in said.err
    assert not (tmp_path / "r.html").exists()


def test_report_when_the_project_is_another_one_then_says_so(
    project: Path, verb: Verb, tmp_path: Path
) -> None:
    Session.create(tmp_path / "other.vantage").close()
    said = verb("report", project.parent / "out", "--project", tmp_path / "other.vantage", "--json")
    assert said.status == 2
    assert "does not contain this release" in said.err


@pytest.mark.parametrize(
    ("options", "why"),
    [((), "Name a file with --html or --pdf"), (("--html", "out/r.html"), "would be a file of the release")],
)
def test_report_when_the_file_is_missing_or_inside_the_release_then_it_is_refused(
    project: Path, verb: Verb, options: tuple[str, ...], why: str
) -> None:
    folder = project.parent / "out"
    given = [str(project.parent / part) if part.startswith("out/") else part for part in options]
    said = verb("report", folder, *given)
    assert said.status == 2
    assert why in said.err
    assert not (folder / "r.html").exists()


def test_report_when_answer_keys_are_hidden_then_none_is_counted(
    project: Path, verb: Verb, tmp_path: Path
) -> None:
    splits = ("--split", "dev=50", "--split", "test=50", "--hide-keys", "test")
    said = verb("release", project, tmp_path / "hidden", *RELEASE, *splits)
    assert said.status == 0, said.err
    told = verb("report", tmp_path / "hidden", "--project", project, "--html", tmp_path / "r.html", "--json")
    found = told.json["figures"]["project"]
    assert sum(line["items"] for line in found["tasks"]) == 2
    assert sum(n for line in found["tasks"] for n in line["letters"].values()) == 1
    answers = [one for one in found["distributions"] if one["subject"] == "answers"]
    assert sum(bar["count"] for one in answers for bar in one["bars"]) == 1
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Answer keys that are not in this release: 1 (split test)." in page


def test_report_when_texts_are_hostile_then_html_and_pdf_show_them_as_texts(
    tmp_path: Path, verb: Verb
) -> None:
    path = tmp_path / "p.vantage"
    items = (
        choice("x", "y", answer_key="A", name="a", task_set="s", task=HOSTILE.replace("\0", "")),
        choice("x", "y", answer_key="A", name="b", task_set="s", task="t", question="long " * 20_000),
        choice("x", "y", answer_key="A", name="c", state="rejected"),
    )
    with Session.create(path) as session:
        write(session, *(created("item", item) for item in items))
    said = verb("release", path, tmp_path / "out", *RELEASE, "--json")
    assert said.status == 0, said.err
    assert json.loads((tmp_path / "out" / "manifest.json").read_bytes())["records"] == 2
    figures_of(verb, path, html=tmp_path / "r.html", pdf=tmp_path / "r.pdf")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count("</style>") == 1
    assert "<script" not in page
    assert "&lt;/style&gt;&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt; gnp.exe" in page
    assert "\u202e" not in page
    assert len(page) < 200_000
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF-")
