"""Every verb in this process: what it does, what it prints and how it ends."""

from __future__ import annotations

import re
from contextlib import closing
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import main
from annotator import __version__, cli
from annotator.cli import VERBS, is_misspelt_verb
from annotator.domain.item import Item
from annotator.release.manifest import WITHHELD
from annotator.session import Session
from annotator.store import backups
from annotator.store.connection import connect
from tests.unit.cli.conftest import Verb
from tests.unit.store.making import (
    aircop_file,
    changed,
    problems,
    reading,
    spatialuav_file,
    visible_state,
    write,
)


@pytest.fixture
def filled(project: Path, labels: Path, tmp_path: Path, verb: Verb) -> Path:
    """Give a project with labels, questions and drafts."""
    questions = spatialuav_file(tmp_path, name="questions", rows=3)
    assert verb("import", project, labels, questions).status == 0
    assert verb("draft", project, "--task-set", "aircop").status == 0
    return project


def test_verbs_when_listed_for_the_window_then_are_those_of_the_modules_of_the_command_line() -> None:
    names = {name for _, name, _ in iter_modules(cli.__path__)} - {"command_line"}
    modules = {name: import_module(f"{cli.__name__}.{name}") for name in names}
    found = {verb.name: name for name, module in modules.items() for verb in getattr(module, "VERBS", ())}
    assert found == VERBS


def test_help_when_asked_then_names_every_verb_and_the_exit_statuses(verb: Verb) -> None:
    said = verb("--help")
    assert said.status == 0
    assert all(re.search(rf"^  {name} ", said.out, re.MULTILINE) for name in VERBS)
    assert "0 success, 1 problems found, 2 usage error, 3 disk" in said.out


@pytest.mark.parametrize("name", VERBS)
def test_help_when_asked_of_a_verb_then_says_what_it_does(verb: Verb, name: str) -> None:
    said = verb(name, "-h")
    assert (said.status, said.err) == (0, "")
    assert f"Usage: vantage {name}" in said.out
    parts = re.findall(r"^  (\w+) ", said.out.partition("Commands:")[2], re.MULTILINE)
    helps = [verb(name, part, "-h").out for part in parts] or [said.out]
    assert all("--json" in one or "JSON" in one for one in helps)


def test_check_when_files_beside_the_project_are_broken_then_ends_with_one_and_names_their_lines(
    tmp_path: Path, verb: Verb
) -> None:
    project = tmp_path / "city.vantage"
    assert verb("new", project).status == 0
    assert verb("check", project).status == 0
    file = tmp_path / "city.prompts" / "urbanvideo" / "causal.toml"
    file.parent.mkdir(parents=True)
    file.write_text('id = "urbanvideo/causal"\nversion = 3\ntext = "Why?"\n', encoding="utf-8")
    done = verb("check", project)
    assert done.status == 1
    assert "Error in city.prompts/urbanvideo/causal.toml, line 2:" in " ".join(done.out.split())


def test_readme_when_compared_with_the_verbs_then_lists_all_of_them() -> None:
    page = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
    rows = page.partition("\n## Commands\n")[2].partition("\n## ")[0]
    first_cells = [row.split("|")[1] for row in rows.splitlines() if row.startswith("|")]
    named = {name for cell in first_cells for name in re.findall(r"`([a-z-]+)`", cell)}
    assert sorted(VERBS.keys() - named) == []


def test_readme_when_its_documentation_is_listed_then_every_page_of_docs_is_linked() -> None:
    root = Path(__file__).resolve().parents[3]
    page = (root / "README.md").read_text(encoding="utf-8")
    pages = [*root.glob("docs/*.md"), *root.glob("docs/guide/*.md")]
    assert sorted(path.name for path in pages if path.relative_to(root).as_posix() not in page) == []


def test_version_when_asked_then_is_the_projects(verb: Verb) -> None:
    assert verb("--version").out.strip() == f"vantage, version {__version__}"


def test_new_when_the_name_has_no_ending_then_gets_it(tmp_path: Path, verb: Verb) -> None:
    said = verb("new", tmp_path / "town", "--title", "Town", "--json")
    assert said.status == 0
    assert said.json == {
        "project": str(tmp_path / "town.vantage"),
        "title": "Town",
        "media_root": str(tmp_path / "town.media"),
    }
    with Session.open(tmp_path / "town.vantage") as session:
        assert session.title == "Town"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("p.vantage", "already exists"),
        ("town.json", r"must end in \.vantage, not \.json"),
        ("no/town", "does not exist"),
    ],
)
def test_new_when_it_cannot_be_made_there_then_says_why(
    project: Path, verb: Verb, name: str, message: str
) -> None:
    said = verb("new", project.parent / name)
    assert (said.status, said.out) == (2, "")
    assert re.search(message, said.err)


def test_import_when_done_twice_then_adds_nothing_the_second_time(
    project: Path, labels: Path, verb: Verb
) -> None:
    said = verb("import", project, labels, "--json")
    assert said.status == 0
    report = said.json
    assert {name: report[name] for name in ("records", "added", "unchanged", "rejected")} == {
        "records": 4,
        "added": 4,
        "unchanged": 0,
        "rejected": 0,
    }
    assert report["flags"]["count_not_integer"] == 4
    assert f"Reading {labels.name}" in said.err
    state = visible_state(project)
    again = verb("import", project, labels, "--json").json
    assert (again["added"], again["unchanged"]) == (0, 4)
    assert visible_state(project) == state
    assert problems(project) == []


def test_import_when_printed_in_words_then_tells_the_counts(project: Path, labels: Path, verb: Verb) -> None:
    said = verb("import", project, labels)
    assert said.status == 0
    assert "records 4  added 4  unchanged 0  rejected 0" in said.out
    assert re.search(r"count_not_integer +4", said.out)


def test_import_when_every_record_is_rejected_then_ends_with_one_and_lists_them(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    path = spatialuav_file(tmp_path, name="bad", rows=2)
    path.write_text(path.read_text().replace('"conversations": [', '"conversations": 7, "x": ['))
    said = verb("import", project, path, "--format", "spatialuav")
    assert said.status == 1
    assert "rejected 2" in said.out
    assert re.search(r"bad\.jsonl +1 ", said.out)


def test_import_when_one_record_is_rejected_then_ends_with_one_unless_that_is_allowed(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    path = spatialuav_file(tmp_path, name="half", rows=2)
    path.write_text(path.read_text().replace('"conversations": [', '"conversations": 7, "x": [', 1))
    assert verb("import", project, path, "--dry-run").status == 1
    said = verb("import", project, path, "--json")
    assert (said.status, said.json["added"], said.json["rejected"]) == (1, 1, 1)
    assert said.json["files"][0]["unread"] == 0
    assert verb("import", project, path, "--allow-rejected").status == 0


def test_import_when_the_file_ends_early_then_ends_with_one_and_says_that_the_rest_is_missing(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    path = aircop_file(tmp_path, name="cut", records=8)
    path.write_text(path.read_text()[:-150])
    said = verb("import", project, path)
    assert said.status == 1
    assert "records 8  added 7  unchanged 0  rejected 1" in said.out
    assert "cut.json: The file ends early or is damaged: the rest was not read." in said.out
    assert verb("import", project, path, "--json").json["files"][0]["unread"] is None
    assert verb("import", project, path, "--allow-rejected").status == 0


def test_import_when_a_broken_record_hides_the_others_then_says_how_many_were_not_read(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    path = aircop_file(tmp_path, name="hidden", records=12)
    first, second = path.read_text().split('{"img1": "hidden-00000003-UAV1.jpg"')
    path.write_text(f'{first}{{[[ "img1": "hidden-00000003-UAV1.jpg"{second}')
    said = verb("import", project, path)
    assert said.status == 1
    assert "hidden.json: The file is damaged: 5 of 12 records were not read." in said.out


def test_import_when_a_table_ends_inside_a_row_then_ends_with_one(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    path = tmp_path / "own.csv"
    rows = "".join(f"{number},What is {number}?,yes,done\n" for number in range(3))
    path.write_text(f"name,question,answer,note\n{rows}3,What is it?,y")
    said = verb("import", project, path, "--format", "table")
    assert (said.status, "added 3" in said.out) == (1, True)
    assert "own.csv: The file ends early or is damaged: the rest was not read." in said.out
    # A file in which other rows are short as well is no shorter for it.
    path.write_text("name,question,answer,note\n0,What?,yes\n1,Where?,no")
    assert verb("import", project, path, "--format", "table").status == 0


@pytest.mark.parametrize(("text", "message"), [("", "is empty"), ("[]", "contains no records")])
def test_import_when_the_file_is_empty_then_says_so(
    project: Path, tmp_path: Path, verb: Verb, text: str, message: str
) -> None:
    path = tmp_path / "nothing.json"
    path.write_text(text)
    said = verb("import", project, path)
    assert (said.status, said.out) == (2, "")
    assert f"nothing.json {message}" in said.err
    assert "Supported formats" not in said.err


def test_import_when_the_format_is_unknown_then_names_the_three_most_similar_and_the_way_to_map(
    project: Path, tmp_path: Path, verb: Verb
) -> None:
    path = tmp_path / "own.csv"
    path.write_text("frage,antwort\nWas?,Ja\n")
    said = verb("import", project, path)
    assert said.status == 2
    assert len(re.findall(r"(?:[:,] )[a-z-]+ \(", said.err)) == 3
    assert "--format table --map question=COLUMN --map answer=COLUMN" in said.err
    mapped = ("--format", "table", "--map", "question=frage", "--map", "answer=antwort")
    assert verb("import", project, path, *mapped).status == 0


def test_import_when_the_format_is_another_then_says_which_it_looks_like(
    project: Path, labels: Path, verb: Verb
) -> None:
    state = visible_state(project)
    said = verb("import", project, labels, "--format", "spatialuav")
    assert (said.status, said.out) == (2, "")
    assert (
        "does not have the format spatialuav. The file appears to have the format aircop-labels." in said.err
    )
    assert visible_state(project) == state


def test_draft_when_labels_are_there_then_makes_items_and_none_the_second_time(
    project: Path, labels: Path, verb: Verb
) -> None:
    verb("import", project, labels)
    report = verb("draft", project, "--task-set", "aircop", "--json").json
    assert report["labels"] == 4
    assert report["drafted"] > 0
    again = verb("draft", project, "--task-set", "aircop", "--json").json
    assert (again["drafted"], again["unchanged"]) == (0, report["drafted"])
    assert "Not drafted" in verb("draft", project, "--task-set", "aircop").out


def test_check_when_items_have_errors_then_ends_with_one_and_keeps_them_as_flags(
    project: Path, labels: Path, tmp_path: Path, verb: Verb
) -> None:
    questions = spatialuav_file(tmp_path, name="twice", rows=1)
    questions.write_text(questions.read_text().replace("Region 3, 4.", ""))
    verb("import", project, questions)
    said = verb("check", project, "--json")
    assert (said.status, said.json["errors"] > 0) == (1, True)
    with Session.open(project) as session:
        assert session.reader.open_flag_counts()


def test_check_when_there_is_nothing_then_ends_with_zero(project: Path, verb: Verb) -> None:
    said = verb("check", project, "--json")
    assert (said.status, said.json["items"], said.json["errors"]) == (0, 0, 0)


def test_check_when_there_are_warnings_only_then_ends_with_one_in_strict_mode(
    filled: Path, verb: Verb
) -> None:
    report = verb("check", filled, "--json").json
    assert report["errors"] == 0
    assert report["warnings"] > 0
    assert verb("check", filled).status == 0
    assert verb("check", filled, "--strict").status == 1


def test_stats_when_asked_then_counts_what_is_there(filled: Path, verb: Verb) -> None:
    with Session.open(filled) as session:
        items = session.reader.counts()["item"]
    assert f"{items}" in verb("stats", filled).out
    assert str(items) in str(verb("stats", filled, "--json").json)


def test_media_when_files_are_there_then_enters_them_and_names_the_missing(filled: Path, verb: Verb) -> None:
    root = filled.with_name("p.media")
    root.mkdir()
    (root / "23-00000000-UAV1.jpg").write_bytes(b"no picture at all")
    report = verb("media", filled, "--json").json
    assert len(report["missing"]) == report["counts"]["missing"] > 0
    assert "23-00000000-UAV2.jpg" in report["missing"]
    assert "23-00000000-UAV1.jpg" not in report["missing"]
    assert verb("media", filled).out.startswith("Media: ")


def test_verify_when_all_is_well_then_ends_with_zero(filled: Path, verb: Verb) -> None:
    said = verb("verify", filled, "--json")
    assert said.status == 0
    assert (said.json["ok"], said.json["problems"]) == (True, [])
    assert said.json["media_missing"]
    text = verb("verify", filled).out
    assert "No problems." in text
    assert "media files are missing" in text


def test_verify_when_something_was_altered_then_ends_with_one_and_says_what(filled: Path, verb: Verb) -> None:
    with Session.open(filled) as session:
        session._connection.execute("UPDATE item SET state='accepted' WHERE n=(SELECT min(n) FROM item)")
    said = verb("verify", filled, "--json")
    assert (said.status, said.json["ok"]) == (1, False)
    assert {problem["kind"] for problem in said.json["problems"]} == {"projection"}
    assert "The table differs from the log." in verb("verify", filled).out


def test_verify_when_a_release_was_changed_then_ends_with_one(
    filled: Path, tmp_path: Path, verb: Verb
) -> None:
    out = tmp_path / "out"
    assert verb("release", filled, out, "--format", "spatialuav", "--states", "all").status == 0
    assert verb("verify", filled, "--release", out).status == 0
    file = next(file for file in out.glob("*.jsonl") if file.name != WITHHELD)
    file.write_bytes(file.read_bytes() + b"\n")
    said = verb("verify", filled, "--release", out)
    assert said.status == 1
    assert f"release_changed: {file.name}" in said.out


def test_backup_when_made_then_is_listed_newest_first(filled: Path, verb: Verb) -> None:
    (first,) = verb("backup", filled, "--json").json["backups"]
    (second,) = verb("backup", filled, "--json").json["backups"]
    assert (first["reason"], problems(Path(first["path"]))) == ("by hand", [])
    listed = verb("backup", filled, "--list", "--json").json["backups"]
    assert [backup["path"] for backup in listed] == [second["path"], first["path"]]
    assert Path(second["path"]).name in verb("backup", filled, "--list").out.replace("\n", "")
    assert [backup["content"] for backup in listed] == ["unchecked", "unchecked"]
    (checked,) = verb("backup", filled, "--check", "--json").json["backups"]
    assert checked["content"] == "sound"


def test_backup_when_the_project_is_damaged_then_its_checked_copy_is_called_damaged(
    filled: Path, verb: Verb
) -> None:
    with closing(connect(filled, read_only=False)) as connection:
        connection.execute("UPDATE item SET state='accepted' WHERE rowid=(SELECT max(rowid) FROM item)")
    said = verb("backup", filled, "--check", "--json")
    assert said.status == 1
    assert said.json["backups"][0]["content"] == "damaged"


def test_release_when_made_twice_then_has_the_same_digest(filled: Path, tmp_path: Path, verb: Verb) -> None:
    digests = [
        verb("release", filled, tmp_path / name, *RELEASE_ALL, "--json").json["sha256"]
        for name in ("one", "two")
    ]
    assert digests[0] == digests[1]
    assert digests[0] in verb("release", filled, tmp_path / "three", *RELEASE_ALL).out


def test_release_when_no_states_are_named_then_takes_accepted_items_alone(
    filled: Path, tmp_path: Path, verb: Verb
) -> None:
    form = ("--format", "spatialuav")
    refused = verb("release", filled, tmp_path / "none", *form)
    assert (refused.status, (tmp_path / "none").exists()) == (2, False)
    assert "No item is in the states to release. Items in other states: drafted" in refused.err
    assert "--states drafted" in refused.err
    with Session.open(filled) as session:
        every = list(session.reader.records(Item))
        write(session, *changed("item", every[0].id, state="accepted"))
    accepted = verb("release", filled, tmp_path / "one", *form, "--json").json
    assert (accepted["items"], accepted["selected"]) == (1, {"accepted": 1})
    both = verb("release", filled, tmp_path / "both", *form, "--states", "accepted, drafted", "--json").json
    assert both["items"] + both["withheld"] == len(every)
    assert both["selected"] == {"drafted": len(every) - 1, "accepted": 1}
    repeated = ("--state", "accepted", "--state", "drafted")
    assert (
        verb("release", filled, tmp_path / "again", *form, *repeated, "--json").json["sha256"]
        == both["sha256"]
    )


def test_release_when_a_state_is_unknown_or_never_released_then_says_which_there_are(
    filled: Path, tmp_path: Path, verb: Verb
) -> None:
    for state in ("done", "rejected"):
        said = verb("release", filled, tmp_path / "out", "--format", "native", "--states", state)
        assert said.status == 2
        assert f"'{state}' is none of drafted, " in said.err


def test_verify_when_the_project_cannot_be_opened_then_lists_what_is_wrong_with_it(
    filled: Path, verb: Verb
) -> None:
    with closing(connect(filled, read_only=False)) as connection:
        connection.execute("CREATE TRIGGER steal AFTER INSERT ON item BEGIN DELETE FROM run; END")
        connection.execute("UPDATE item SET name='forged'")
    said = verb("verify", filled, "--json")
    assert said.status == 1
    assert {problem["kind"] for problem in said.json["problems"]} == {"schema", "projection"}
    assert "media were not checked" in said.json["notes"][0]


def test_verify_when_given_a_release_folder_then_says_what_it_proves_and_what_not(
    filled: Path, tmp_path: Path, verb: Verb
) -> None:
    out = tmp_path / "out"
    assert verb("release", filled, out, "--format", "native", "--states", "all").status == 0
    said = verb("verify", out)
    assert said.status == 0
    assert "Verified: the files" in said.out
    assert "Not verified: who made" in said.out
    (out / "manifest.json").write_text((out / "manifest.json").read_text().replace("native", "naive"))
    assert verb("verify", out).status == 1


def test_rebuild_when_a_table_was_changed_then_tells_where_the_old_file_is(filled: Path, verb: Verb) -> None:
    with closing(connect(filled, read_only=False)) as connection:
        connection.execute("DELETE FROM medium")
    said = verb("rebuild", filled, "--json")
    assert said.status == 0
    assert Path(said.json["kept"]).is_file()
    assert verb("verify", filled, "--json").json["ok"]


RELEASE_ALL = ("--format", "spatialuav", "--states", "all")
WITHOUT_A_PROJECT = {
    "import": ("import", "{project}", "{labels}"),
    "draft": ("draft", "{project}", "--task-set", "aircop"),
    "check": ("check", "{project}"),
    "stats": ("stats", "{project}"),
    "media": ("media", "{project}"),
    "release": ("release", "{project}", "{out}", "--format", "native", "--states", "all"),
    "verify": ("verify", "{project}"),
    "backup": ("backup", "{project}"),
}


def _filled_in(arguments: tuple[str, ...], project: Path, labels: Path) -> list[str]:
    positions = {"project": project, "labels": labels, "out": project.parent / "out"}
    return [argument.format(**positions) for argument in arguments]


@pytest.mark.parametrize("arguments", WITHOUT_A_PROJECT.values(), ids=WITHOUT_A_PROJECT)
def test_verb_when_there_is_no_project_then_ends_with_two_and_words(
    tmp_path: Path, labels: Path, verb: Verb, arguments: tuple[str, ...]
) -> None:
    before = sorted(tmp_path.iterdir())
    said = verb(*_filled_in((*arguments, "--json"), tmp_path / "no.vantage", labels))
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"The project {tmp_path / 'no.vantage'} does not exist. ")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("arguments", WITHOUT_A_PROJECT.values(), ids=WITHOUT_A_PROJECT)
def test_verb_when_the_project_is_damaged_then_ends_with_three_and_words(
    project: Path, labels: Path, verb: Verb, arguments: tuple[str, ...]
) -> None:
    project.write_bytes(project.read_bytes()[: 3 * 4096])
    said = verb(*_filled_in((*arguments, "--json"), project, labels))
    assert (said.status, said.out) == (3, "")
    assert re.search(r"is damaged: .*Continue from the newest backup", said.err)
    assert "Traceback" not in said.err


@pytest.mark.parametrize("arguments", WITHOUT_A_PROJECT.values(), ids=WITHOUT_A_PROJECT)
def test_verb_when_a_page_within_is_damaged_then_ends_in_words(
    filled: Path, labels: Path, verb: Verb, arguments: tuple[str, ...]
) -> None:
    with reading(filled) as connection:
        select = "SELECT rootpage FROM sqlite_schema WHERE name IN ('item', 'medium', 'event_label')"
        pages = [page for (page,) in connection.execute(select)]
    content = bytearray(filled.read_bytes())
    for page in pages:
        content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    filled.write_bytes(content)
    said = verb(*_filled_in(arguments, filled, labels))
    assert said.status in (1, 3)
    assert re.search("damaged|malformed|incomplete", said.err + said.out)
    assert "Traceback" not in said.err


@pytest.mark.parametrize("arguments", WITHOUT_A_PROJECT.values(), ids=WITHOUT_A_PROJECT)
def test_verb_when_asked_for_json_then_prints_one_object_and_nothing_else_there(
    filled: Path, labels: Path, verb: Verb, arguments: tuple[str, ...]
) -> None:
    said = verb(*_filled_in((*arguments, "--json"), filled, labels))
    assert said.status in (0, 1)
    assert isinstance(said.json, dict)
    assert "{" not in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("import",),
        ("import", "p.vantage"),
        ("new",),
        ("release", "p.vantage", "out", "--format", "nonsense"),
        ("draft", "p.vantage"),
        ("draft", "p.vantage", "--task-set", "aircop", "--seed", "x"),
        ("check", "p.vantage", "--nonsense"),
        ("import", "p.vantage", "file.json", "--format", "nonsense"),
    ],
    ids=" ".join,
)
def test_verb_when_used_wrongly_then_ends_with_two_and_says_how(
    verb: Verb, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = verb(*arguments)
    assert (said.status, said.out) == (2, "")
    assert "Error: " in said.err
    assert list(tmp_path.iterdir()) == []


def test_verb_when_the_disk_refuses_then_ends_with_three(
    filled: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    backups.backup_folder(filled).write_text("in the way")
    said = verb("backup", filled, "--json")
    assert (said.status, said.out) == (3, "")
    assert "The project is not affected" in said.err


@pytest.mark.parametrize("name", ["import", "check", "draft"])
def test_verb_when_interrupted_then_ends_with_130_and_the_project_is_as_before(
    filled: Path, labels: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    state = visible_state(filled)

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("annotator.session.Session.execute", interrupt)
    said = verb(*_filled_in(WITHOUT_A_PROJECT[name], filled, labels))
    assert (said.status, said.out) == (130, "")
    assert "Cancelled." in said.err
    assert visible_state(filled) == state


@pytest.mark.parametrize(
    ("arguments", "closest", "listed"),
    [
        (("improt", "p.vantage", "x.json"), "import", "consensus"),
        (("chek",), "check", "consensus"),
        (("RELEASE",), "release", "consensus"),
        (("runs", "lst"), "list", "retry"),
        (("media", "{project}", "helth"), "health", "locate"),
    ],
)
def test_verb_when_misspelt_then_the_help_of_the_verbs_and_the_closest_names(
    project: Path, verb: Verb, arguments: tuple[str, ...], closest: str, listed: str
) -> None:
    said = verb(*(argument.format(project=project) for argument in arguments))
    assert (said.status, said.out) == (2, "")
    named = said.err.rpartition("The closest commands: ")[2]
    assert closest in named
    assert re.search(rf"^  {listed} ", said.err, re.MULTILINE)


def test_verb_when_it_resembles_none_then_the_help_alone(verb: Verb) -> None:
    said = verb("qqqqqq")
    assert said.status == 2
    assert said.err.endswith("There is no command 'qqqqqq'. The commands are listed above.\n")


def test_process_when_the_first_argument_is_no_file_then_it_is_a_misspelt_verb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "town").touch()
    assert is_misspelt_verb("improt")
    for argument in ("import", "town", "town.vantage", "no/town", "--demo"):
        assert not is_misspelt_verb(argument)
    assert main.main(["improt", "x.json"]) == 2
    assert "The closest commands: import, report." in capfd.readouterr().err
