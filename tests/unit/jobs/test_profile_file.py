"""Profiles: read, written, refused where they hold a secret or cannot work."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from annotator.domain.profile import ModelProfile, VisualSettings
from annotator.errors import UserError
from annotator.jobs.profile_file import DEFAULTS, FILE, read_profiles, require_valid_profile, write_profiles

LOCAL = ModelProfile(
    name="Local", adapter="openai", base_url="http://127.0.0.1:8000/v1", model="m", price_in=2.5
)


def test_read_profiles_when_there_is_no_file_then_gives_those_that_need_nothing(tmp_path: Path) -> None:
    assert list(read_profiles(tmp_path)) == [profile.name for profile in DEFAULTS]


def test_write_profiles_when_read_again_then_are_the_same_and_defaults_are_not_in_the_file(
    tmp_path: Path,
) -> None:
    write_profiles(tmp_path, [*DEFAULTS, LOCAL])
    assert read_profiles(tmp_path)["Local"] == LOCAL
    assert b"SmolLM2" not in (tmp_path / FILE).read_bytes()


@pytest.mark.parametrize("visuals", [None, VisualSettings(), VisualSettings(frames=4)])
def test_write_profiles_when_visuals_are_stated_or_not_then_it_is_read_so(tmp_path: Path, visuals) -> None:
    stated = msgspec.structs.replace(LOCAL, visuals=visuals)
    write_profiles(tmp_path, [stated])
    assert read_profiles(tmp_path)["Local"].visuals == visuals


@pytest.mark.parametrize(
    ("visuals", "read"),
    [
        # As the window of version 1 wrote every profile.
        ({"frames": 32, "fps": 0.0, "longest_px": 0, "coding": "jpeg", "quality": 92}, None),
        ({"frames": 32, "longest_px": 0}, VisualSettings()),
        (
            {"frames": 8, "fps": 0.0, "longest_px": 0, "coding": "jpeg", "quality": 92},
            VisualSettings(frames=8),
        ),
    ],
)
def test_read_profiles_when_the_file_is_of_version_1_then_defaults_that_it_filled_in_are_not_stated(
    tmp_path: Path, visuals, read
) -> None:
    profile = msgspec.to_builtins(LOCAL) | {"visuals": visuals}
    (tmp_path / FILE).write_bytes(msgspec.json.encode({"profiles": [profile]}))
    assert read_profiles(tmp_path)["Local"].visuals == read


def test_write_profiles_when_a_default_was_changed_then_keeps_the_change(tmp_path: Path) -> None:
    changed = ModelProfile(name=DEFAULTS[0].name, adapter=DEFAULTS[0].adapter, max_tokens=7)
    write_profiles(tmp_path, [changed])
    assert read_profiles(tmp_path)[changed.name].max_tokens == 7


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"{", "is not valid"),
        (b'{"profiles": [{"name": "x", "adapter": "magic"}]}', "is not valid"),
        (b'{"profiles": [{"name": "x", "adapter": "probe", "key": "y"}]}', "is not valid"),
        (
            b'{"profiles": [{"name": "x", "adapter": "probe"}, {"name": "x", "adapter": "probe"}]}',
            "two models",
        ),
        (b'{"profiles": [{"name": "x", "adapter": "openai"}]}', "server URL"),
        (b'{"profiles": [{"name": "x", "adapter": "onnx"}]}', "weights"),
        (b'{"profiles": [{"name": " ", "adapter": "probe"}]}', "a name"),
    ],
)
def test_read_profiles_when_a_profile_is_wrong_then_says_what(
    tmp_path: Path, content: bytes, text: str
) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(UserError, match=text):
        read_profiles(tmp_path)


@pytest.mark.parametrize("field", ["key_from", "base_url", "model"])
def test_require_sound_when_a_key_was_pasted_then_refuses_without_repeating_it(field: str) -> None:
    key = "sk-" + "abc123DEF456ghi789"
    values = {"base_url": "http://h/v1", field: f"http://h/{key}" if field == "base_url" else key}
    with pytest.raises(
        UserError, match=f"The field {field} of the profile .* contains text like an API key"
    ) as caught:
        require_valid_profile(ModelProfile(name="x", adapter="openai", **values))
    assert key not in str(caught.value)


def test_require_sound_when_the_name_is_a_key_then_is_not_repeated_either() -> None:
    key = "sk-" + "abc123DEF456ghi789"
    with pytest.raises(UserError, match="The name of a model looks like an API key") as caught:
        require_valid_profile(ModelProfile(name=key, adapter="probe"))
    assert key not in str(caught.value)


@pytest.mark.parametrize("told", ["OPENAI", "env:", "env:A B", "pass:word", "hunter2", "keyring:"])
def test_require_sound_when_the_keys_place_is_no_place_then_says_so_and_repeats_nothing(told: str) -> None:
    with pytest.raises(UserError, match="env:NAME or keyring:NAME") as caught:
        require_valid_profile(ModelProfile(name="x", adapter="openai", base_url="http://h", key_from=told))
    assert told not in caught.value.message


def test_write_profiles_when_weights_have_a_long_name_then_are_kept(tmp_path: Path) -> None:
    stem = "5f4dcc3b5aa765d61d8327deb882cf99d0e1yolov8x6visdrone2019trainval640"
    weights = tmp_path / f"{stem}.onnx"
    weights.write_bytes(b"")
    profile = ModelProfile(name=stem, adapter="onnx", model=stem, path=str(weights))
    write_profiles(tmp_path, [profile])
    assert read_profiles(tmp_path)[stem] == profile


@pytest.mark.parametrize(
    ("prompt", "completion", "cost"), [(0, 0, 0), (10, 0, 25), (1, 1, 13), (1_000_000, 0, 2_500_000)]
)
def test_cost_micro_when_tokens_are_counted_then_is_rounded_up(
    prompt: int, completion: int, cost: int
) -> None:
    profile = ModelProfile(name="x", adapter="openai", price_in=2.5, price_out=10.0)
    assert profile.cost_micro(prompt_tokens=prompt, completion_tokens=completion) == cost
