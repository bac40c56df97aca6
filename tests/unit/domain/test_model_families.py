from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from annotator.domain.model_families import families, family_of, resolved_profile, visuals_of
from annotator.domain.profile import ModelProfile, VisualSettings

REPO = Path(__file__).resolve().parents[3]


def profile(model: str, **changes: object) -> ModelProfile:
    return ModelProfile(name="m", adapter="openai", model=model, **changes)


@pytest.mark.parametrize(
    ("model", "boxes", "longest_px"),
    [
        ("Qwen/Qwen3-VL-8B-Instruct", "thousandths", 2048),
        ("Qwen2.5-VL-7B-Instruct", "pixels", 1148),
        ("qwen2-vl-72b", "thousandths", 1344),
        ("OpenGVLab/InternVL3-8B", "thousandths", 1792),
        ("llava-onevision-qwen2-7b-ov", "fractions", 2304),
        ("llava-1.5-7b-hf", "fractions-square", 336),
        ("gpt-4o-2024-08-06", "pixels", 2048),
        ("claude-sonnet-4-5", "pixels", 1268),
        ("google/gemini-2.5-pro", "thousandths-yx", 3072),
    ],
)
def test_family_when_the_model_is_known_then_has_its_sizes_and_boxes(model, boxes, longest_px) -> None:
    family = family_of(profile(model))
    assert family is not None
    assert (family.boxes, family.longest_px) == (boxes, longest_px)


def test_visuals_when_nothing_is_stated_then_are_those_of_the_family_and_else_those_stated() -> None:
    stated = VisualSettings(frames=4)
    assert visuals_of(profile("claude-opus-4")) == VisualSettings(frames=20, longest_px=1268)
    assert visuals_of(profile("claude-opus-4", visuals=stated)) == stated
    assert visuals_of(profile("some-model")) == VisualSettings()


def test_visuals_when_the_values_of_unknown_models_are_stated_then_count_for_a_known_model_too() -> None:
    as_they_are = VisualSettings(frames=32, longest_px=0)
    stated = profile("gemini-2.5-pro", visuals=as_they_are)
    assert visuals_of(stated) == as_they_are
    assert resolved_profile(stated).visuals == as_they_are


@pytest.mark.parametrize(
    ("model", "changes", "boxes", "grid_px"),
    [
        ("qwen2.5-vl-7b", {}, "pixels", 28),
        ("qwen2.5-vl-7b", {"boxes": "thousandths", "grid_px": 0}, "thousandths", 0),
        ("gemini-2.5-pro", {}, "thousandths-yx", 0),
        ("some-model", {}, "pixels", 0),
    ],
)
def test_profile_when_resolved_then_states_all_and_no_family_changes_it_again(
    model, changes, boxes, grid_px
) -> None:
    resolved = resolved_profile(profile(model, **changes))
    assert (resolved.boxes, resolved.grid_px) == (boxes, grid_px)
    assert resolved.visuals == visuals_of(profile(model))
    assert (
        resolved_profile(msgspec.structs.replace(resolved, model="llava-1.5-7b")).visuals == resolved.visuals
    )


def test_visuals_when_the_model_is_a_folder_then_its_name_tells() -> None:
    local = ModelProfile(name="m", adapter="transformers", path="/models/Qwen2.5-VL-7B-Instruct")
    assert visuals_of(local).longest_px == 1148


def test_families_when_read_then_each_names_its_source_and_can_be_reached() -> None:
    for family in families():
        assert "https://" in family.source
        example = family.models[0].replace("*", "")
        assert family_of(profile(example)) is family


def test_documentation_when_compared_with_the_families_then_has_the_sizes_and_boxes_of_each() -> None:
    rows = re.findall(
        r"^\| [^|]+ \| (\d+) \| (\d+) \| `([a-z-]+)`[^|]* \| (.*) \|$",
        (REPO / "docs" / "models.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert [row[:3] for row in rows] == [
        (str(family.longest_px), str(family.frames), family.boxes) for family in families()
    ]
    for (*_, documented), family in zip(rows, families(), strict=True):
        assert ("not verified" in documented) == ("not verified" in family.source)
        assert set(re.findall(r"https://[^\s)]+", documented)) <= set(
            re.findall(r"https://[^\s),;]+", family.source)
        )


@pytest.mark.parametrize(
    ("changes", "is_steady"),
    [
        ({}, True),
        ({"temperature": 0.5}, False),
        ({"options": {"has_temperature": False}}, False),
        ({"options": {"has_temperature": True}}, True),
        ({"adapter": "vllm", "options": {"chat": {"has_temperature": False}}}, False),
    ],
)
def test_steady_when_a_model_accepts_no_temperature_then_is_not(changes, is_steady) -> None:
    told = ModelProfile(**{"name": "m", "adapter": "openai", **changes})
    assert told.is_steady is is_steady
