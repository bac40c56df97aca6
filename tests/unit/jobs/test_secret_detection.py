"""What is taken for a key in a profile, and what is not: names, paths, digests, addresses."""

from __future__ import annotations

import base64
import random
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.profile import ModelProfile
from annotator.jobs.secret_detection import secret_field

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BEGINNINGS = (
    "sk-", "sk-proj-", "sk-ant-api03-", "sk-or-v1-", "csk-", "hf_", "gsk_", "r8_", "ghp_", "github_pat_",
    "glpat-", "nvapi-", "xai-", "pplx-", "AIza", "Bearer ",
)  # fmt: skip
FIELDS = ("name", "model", "base_url", "key_from", "path", "revision", "option", "inner option")
SEEDS = range(200)
words = st.text(alphabet=string.ascii_letters, min_size=1, max_size=14)
numbers = st.integers(min_value=0, max_value=99_999_999).map(str)
sizes = st.sampled_from(["7B", "v8x", "fp16", "int4", "q4_K_M", "640", "2019", "AWQ", "VL", "Instruct"])
names = st.lists(st.one_of(words, numbers, sizes), min_size=1, max_size=30).flatmap(
    lambda parts: st.sampled_from(["-", "_", ".", "/", " ", ":", "@"]).map(lambda joint: joint.join(parts))
)


def chance(alphabet: str, count: int, *, seed: int) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=count))


def holding(field: str, text: str) -> ModelProfile:
    """Return a profile that has a text in one of its fields."""
    values = {"name": "x", "adapter": "openai", "base_url": "http://h/v1"}
    if field == "base_url":
        values["base_url"] = f"http://h/v1?code={text}"
    elif field == "option":
        return ModelProfile(**values, options={"picture_detail": text})
    elif field == "inner option":
        return ModelProfile(**values, options={"extra": {"headers": [{"x": text}]}})
    else:
        values[field] = text
    return ModelProfile(**values)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_pasted_key_when_it_begins_as_makers_mark_it_then_is_found_in_any_field(
    field: str, beginning: str
) -> None:
    for seed in SEEDS:
        key = beginning + chance(LETTERS, 36, seed=seed)
        assert secret_field(holding(field, key)).partition(".")[0] in {field, "options"}, key


@pytest.mark.parametrize("field", [field for field in FIELDS if field not in {"path", "model", "revision"}])
@pytest.mark.parametrize(("alphabet", "count"), [(LETTERS, 32), (LETTERS, 40), (HEX, 32), (HEX, 64)])
def test_pasted_key_when_letters_are_of_chance_then_is_found(field: str, alphabet: str, count: int) -> None:
    missed = [seed for seed in SEEDS if not secret_field(holding(field, chance(alphabet, count, seed=seed)))]
    assert missed == []


@pytest.mark.parametrize("location", ["model", "base_url"])
def test_pasted_key_when_a_place_holds_letters_of_chance_then_longer_ones_are_found(location: str) -> None:
    for seed in SEEDS:
        key = chance(LETTERS, 44, seed=seed)
        profile = ModelProfile(
            name="x", adapter="openai", **({"base_url": "http://h/v1"} | {location: f"http://h/{key}"})
        )
        assert secret_field(profile) == location


def test_pasted_key_when_it_is_a_signed_token_then_is_found() -> None:
    parts = [
        base64.urlsafe_b64encode(text).decode().strip("=") for text in (b'{"alg":"HS256"}', b'{"sub":"a"}')
    ]
    assert secret_field(holding("option", ".".join([*parts, "s"]))) == "options.picture_detail"


@pytest.mark.parametrize("name", ["api_key", "Authorization", "token", "password", "x-api-key"])
def test_pasted_key_when_an_option_is_called_so_then_its_value_does_not_matter(name: str) -> None:
    assert secret_field(ModelProfile(name="x", adapter="openai", options={"extra": {name: "hunter2"}}))
    assert not secret_field(ModelProfile(name="x", adapter="openai", options={"extra": {name: None}}))


def test_pasted_key_when_the_name_of_an_option_is_a_key_then_is_found() -> None:
    key = chance(LETTERS, 40, seed=1)
    assert (
        secret_field(ModelProfile(name="x", adapter="openai", options={"extra": {key: 1}})) == "options.extra"
    )


@given(name=names, field=st.sampled_from(["name", "model", "path", "option", "inner option"]))
def test_pasted_key_when_a_name_has_parts_then_is_none(name: str, field: str) -> None:
    assert secret_field(holding(field, name)) == ""


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("model", "Qwen/Qwen2.5-VL-72B-Instruct-GPTQ-Int4-2025-01-26-long-context-128k-preview"),
        ("model", "accounts/fireworks/models/llama-v3p1-405b-instruct-fp8-throughput-2024-07"),
        ("model", "ft:gpt-4o-mini-2024-07-18:my-org:drone-questions:9ZkQxAbC"),
        ("model", "hf.co/bartowski/SmolLM2-135M-Instruct-GGUF:Q4_K_M"),
        ("model", "meta/llama@sha256:" + "02e509c789964a7ea8736978a43525956ef40397be9033abf9fd2badfe68c9e3"),
        ("revision", "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678"),
        ("revision", "02e509c789964a7ea8736978a43525956ef40397be9033abf9fd2badfe68c9e3"),
        ("path", "/data/hub/models--Qwen--Qwen2-VL-2B/snapshots/895c3a49bc3fa70a340399125c650a463535e71c"),
        (
            "path",
            "C:\\Users\\Ada\\weights\\yolov8x6_visdrone2019_trainval_640_epoch300_best_fp16_simplified.onnx",
        ),
        ("name", "thisisthelongnameofadetectorthatsomebodytrainedforsixweeks"),
        ("name", "risk-assessment-2024-model-of-the-worker_context-3000-and-task-42"),
        ("name", "무인기-물체-탐지-모델-2024-최종-최종-진짜-최종-버전-12345"),
        ("key_from", "env:VANTAGE_LABORATORY_SERVER_KEY_FOR_THE_SECOND_FLOOR_2024"),
        ("key_from", "keyring:laboratory server, second floor"),
    ],
)
def test_pasted_key_when_it_is_a_name_of_the_real_world_then_is_none(field: str, text: str) -> None:
    assert secret_field(holding(field, text)) == ""


@pytest.mark.parametrize(
    "address",
    [
        "https://api.cloudflare.com/client/v4/accounts/023e105f4ecef8ad9ca31a8372d0c353/ai/v1",
        "https://lab-models.openai.azure.com/openai/deployments/gpt-4o-2024-11-20?api-version=2024-12-01-preview",
        "http://127.0.0.1:8000/v1",
    ],
)
def test_pasted_key_when_it_is_an_address_then_is_none(address: str) -> None:
    assert secret_field(ModelProfile(name="x", adapter="openai", base_url=address)) == ""


def test_pasted_key_when_a_file_is_called_so_then_is_none_as_long_as_it_exists(tmp_path: Path) -> None:
    stem = "hf_" + chance(LETTERS, 50, seed=3)
    weights = tmp_path / f"{stem}.onnx"
    profile = ModelProfile(name=stem, adapter="onnx", model=stem, path=str(weights))
    assert secret_field(profile) == "name"
    weights.write_bytes(b"")
    assert secret_field(profile) == ""
    certificate = ModelProfile(name="x", adapter="openai", options={"ca_file": str(weights)})
    assert secret_field(certificate) == ""
