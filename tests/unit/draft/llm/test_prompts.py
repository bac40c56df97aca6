"""Prompts as files: the product's are whole, a team's own ones win."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import resources
from annotator.draft.llm.drafted_question import question_schema
from annotator.draft.llm.pipelines import PIPELINES
from annotator.draft.llm.prompts import (
    PromptSet,
    PromptTemplate,
    builtin_prompt,
    project_prompts,
    prompt_faults,
    read_prompt,
)
from annotator.draft.llm.question_parser import parse_question
from annotator.draft.llm.settings import DraftingSettings
from annotator.errors import UserError
from annotator.jobs.job_types.drafting import DraftingJob

NAMES = sorted(
    f"{file.parent.name}/{file.stem}" for file in resources.path("prompts").glob("*/*.toml")
)  # fmt: skip
OWN = 'id = "urbanvideo/causal"\nversion = "9"\ntext = "Why {templates}"\nframe = "urbanvideo/teacher"\n'


def _own_file(folder: Path, text: str = OWN, *, name: str = "causal") -> Path:
    file = folder / "city.prompts" / "urbanvideo" / f"{name}.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return folder / "city.vantage"


@pytest.mark.parametrize("name", NAMES)
def test_builtin_prompt_when_read_then_says_what_it_is_for(name: str) -> None:
    prompt = builtin_prompt(name)

    assert prompt.purpose
    assert prompt.version
    assert PromptSet().get(name).max_tokens > 0


@pytest.mark.parametrize("task_set", PIPELINES)
def test_builtin_prompts_when_tasks_are_drafted_then_each_has_an_example_that_can_be_read(
    task_set: str,
) -> None:
    recipe = PIPELINES[task_set]
    for task in recipe.task_ids:
        if recipe.task_set.task(task).option_count is None:
            continue
        prompt = PromptSet().get(f"{task_set}/{task}")
        assert prompt.example is not None
        written = parse_question(str(prompt.example))
        assert written.question == prompt.example["question"]  # type: ignore[union-attr]
        count = recipe.task_set.task(task).option_count
        assert count is not None
        values = recipe.choices(recipe.task_set.task(task))
        assert 1 + len(prompt.example.get("wrong", values[1:])) == count.max
        assert prompt.example["right"] in (values or (prompt.example["right"],))


def test_own_prompts_when_a_folder_lies_beside_the_project_then_wins(tmp_path: Path) -> None:
    project = _own_file(tmp_path)

    own = project_prompts(project, task_set="urbanvideo")
    prompt = PromptSet(own).get("urbanvideo/causal")

    assert list(own) == ["urbanvideo/causal"]
    assert prompt.name_with_version == "urbanvideo/causal@9.1"
    assert "Why {templates}" in prompt.text
    assert prompt.digest != PromptSet().get("urbanvideo/causal").digest
    assert project_prompts(project, task_set="aircop") == {}
    assert project_prompts(tmp_path / "other.vantage", task_set="urbanvideo") == {}


def test_own_prompts_when_the_one_around_is_changed_then_all_around_it_change(tmp_path: Path) -> None:
    text = 'id = "urbanvideo/teacher"\nversion = "5"\ntext = "{instructions} Example: {example}"\n'
    own = project_prompts(_own_file(tmp_path, text, name="teacher"), task_set="urbanvideo")

    prompt = PromptSet(own).get("urbanvideo/causal")

    assert prompt.name_with_version == "urbanvideo/causal@1.5"
    assert prompt.text.startswith("Form: {templates}")
    assert '"question": "Why did you rise' in prompt.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('id = "urbanvideo/other"\nversion = "1"\ntext = "x"\n', "the id is 'urbanvideo/other' and must be"),
        ('id = "urbanvideo/causal"\nversion = "1"\n', "missing required field `text`"),
        (
            'id = "urbanvideo/causal"\nversion = 1\ntext = "x"\n',
            "field version: expected text, got a whole num",
        ),
        ('id = "urbanvideo/causal"\nversion = "1"\ntext = "x"\nodd = 1\n', "unknown field `odd`"),
        ("id = [[[", "not a valid prompt"),
        ('id = "urbanvideo/causal"\nversion = "1"\ntext = "' + "x" * 300_000 + '"\n', "too large"),
    ],
)
def test_own_prompts_when_a_file_is_damaged_then_says_which(tmp_path: Path, text: str, message: str) -> None:
    project = _own_file(tmp_path, text)

    with pytest.raises(UserError, match=message):
        project_prompts(project, task_set="urbanvideo")


def test_own_prompts_when_one_is_damaged_then_tasks_that_do_not_need_it_are_drafted(tmp_path: Path) -> None:
    project = _own_file(tmp_path, "id = [[[")
    _own_file(tmp_path, 'id = "urbanvideo/duration"\nversion = "2"\ntext = "How long?"\n', name="duration")
    settings = DraftingSettings(task_set="urbanvideo", tasks=("duration",)).to_json()
    prepared = DraftingJob().prepared(settings, project=project)
    assert list(prepared["prompts"]) == ["urbanvideo/duration"]
    with pytest.raises(UserError, match=r"causal\.toml is not a valid prompt"):
        DraftingJob().prepared({**settings, "tasks": ("causal", "duration")}, project=project)


def test_prompt_faults_when_files_are_damaged_then_each_has_its_line(tmp_path: Path) -> None:
    project = _own_file(tmp_path, '# ours\nid = "urbanvideo/causal"\nversion = 1\ntext = "x"\n')
    _own_file(tmp_path, 'id = "urbanvideo/duration"\nversion = "2"\ntext = "How long?"\n', name="duration")
    [fault] = prompt_faults(project)
    assert (fault.file, fault.line) == ("city.prompts/urbanvideo/causal.toml", 3)
    assert fault.message.endswith("field version: expected text, got a whole number.")


def test_prompt_faults_when_a_name_is_misspelt_then_tells_the_nearest_that_is_used(tmp_path: Path) -> None:
    text = 'version = "1"\ntext = "Why?"\n'
    project = _own_file(tmp_path, f'id = "urbanvideo/casual"\n{text}', name="casual")
    _own_file(tmp_path, f'id = "urbanvideo/causal"\nframe = "urbanvideo/ours"\n{text}')
    _own_file(tmp_path, f'id = "urbanvideo/ours"\n{text}', name="ours")
    _own_file(tmp_path, f'id = "urbanvideo/qqqq"\n{text}', name="qqqq")
    unused = "No step of drafting uses the prompt"
    assert [(fault.file, fault.message) for fault in prompt_faults(project)] == [
        (
            "city.prompts/urbanvideo/casual.toml",
            f"{unused} 'urbanvideo/casual'. The nearest name is 'urbanvideo/causal'.",
        ),
        (
            "city.prompts/urbanvideo/qqqq.toml",
            f"{unused} 'urbanvideo/qqqq'.",
        ),
    ]


def test_prompt_faults_when_each_step_has_its_own_prompt_then_none_is_misspelt(tmp_path: Path) -> None:
    folder = tmp_path / "city.prompts"
    for recipe in PIPELINES.values():
        shutil.copytree(resources.path(f"prompts/{recipe.task_set_id}"), folder / recipe.task_set_id)
    assert prompt_faults(tmp_path / "city.vantage") == ()


def test_read_prompt_when_it_is_not_text_then_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UserError, match="not a valid prompt"):
        read_prompt(tmp_path / "a.toml", name="x/a")
    with pytest.raises(UserError, match="does not exist"):
        read_prompt(tmp_path / "b.toml", name="x/b")


def test_fill_when_a_value_has_braces_then_keeps_them_and_an_unknown_slot_is_told() -> None:
    prompt = PromptTemplate(id="x/y", version="1", text='{goal}: {"a": 1} {route}')

    assert prompt.fill({"goal": "{route}", "route": "r"}) == '{route}: {"a": 1} r'
    with pytest.raises(UserError, match=r"\{route\}"):
        prompt.fill({"goal": "g"})


def test_question_schema_when_options_are_listed_then_the_right_one_is_among_them() -> None:
    recipe = PIPELINES["urbanvideo"]
    listed, free = recipe.task_set.task("duration"), recipe.task_set.task("causal")

    schema = question_schema(listed, values=recipe.choices(listed))
    assert schema is not None
    assert schema["properties"]["right"]["enum"] == list(recipe.choices(listed))
    assert schema["required"] == ["question", "right", "because"]
    other = question_schema(free)
    assert other is not None
    assert (other["properties"]["wrong"]["minItems"], other["properties"]["wrong"]["maxItems"]) == (4, 4)
    assert question_schema(PIPELINES["indooruav"].task_set.task("instruction_goal")) is None
