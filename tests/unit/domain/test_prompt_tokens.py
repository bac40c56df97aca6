"""The most tokens that a server bills: by provider, by detail, and where nothing is known."""

from __future__ import annotations

import pytest

from annotator.domain.prompt_tokens import UNKNOWN_SIDE_PX, image_tokens, text_tokens


@pytest.mark.parametrize(
    ("model", "size", "detail", "tokens"),
    [
        # Six tiles of 512 pixels.
        ("gpt-4o-mini", (1280, 720), "", 36_835),
        ("gpt-4o-mini-2024-07-18", (1280, 720), "high", 36_835),
        ("openai/gpt-4o-mini", (1280, 720), "auto", 36_835),
        ("gpt-4o-mini", (1280, 720), "low", 2_833),
        # The examples of OpenAI's documentation.
        ("gpt-4o", (1024, 1024), "high", 765),
        ("gpt-4o", (2048, 4096), "high", 1_105),
        ("gpt-4o", (4096, 8192), "low", 85),
        ("o3", (1024, 1024), "", 75 + 4 * 150),
        ("gpt-5", (1024, 1024), "", 70 + 4 * 140),
        ("gpt-4.1-mini", (1024, 1024), "", 1_659),
        ("gpt-4.1-mini", (1800, 2400), "low", 2_489),
        # Patches of 28 pixels: measured 1,304 with eight around.
        ("claude-opus-4-8", (1000, 1000), "", 1_296),
        ("claude-sonnet-4-6", (8000, 8000), "", 4_784),
        ("gemini-2.5-flash", (300, 200), "", 258 * 2),
        ("gemini-2.5-flash", (960, 540), "", 258 * 6),
        ("gemini-3.1-pro-preview", (960, 540), "", 2_240),
        ("Qwen/Qwen2.5-VL-72B-Instruct", (1280, 720), "", 46 * 26 + 2),
    ],
)
def test_image_tokens_when_the_model_is_known_then_are_those_of_its_provider(
    model: str, size: tuple[int, int], detail: str, tokens: int
) -> None:
    assert image_tokens(model, *size, detail=detail) == tokens


@pytest.mark.parametrize("size", [(64, 64), (1280, 720), (720, 1280), (3840, 2160), (8000, 8000)])
@pytest.mark.parametrize("detail", ["", "low"])
def test_image_tokens_when_the_model_is_unknown_then_are_the_most_of_all(
    size: tuple[int, int], detail: str
) -> None:
    known = (
        "gpt-4o-mini",
        "gpt-4.1-nano",
        "claude-opus-4-8",
        "gemini-3-pro",
        "gemini-2.5-pro",
        "qwen2-vl-7b",
    )
    most = image_tokens("a-deployment", *size, detail=detail)
    assert most >= max(image_tokens(model, *size, detail=detail) for model in known)
    assert image_tokens("gpt-5.9-of-next-year", *size, detail=detail) == most


def test_image_tokens_when_the_size_is_unknown_then_are_those_of_the_largest_image() -> None:
    largest = image_tokens("qwen2-vl-7b", UNKNOWN_SIDE_PX, UNKNOWN_SIDE_PX)
    assert image_tokens("qwen2-vl-7b", 0, 0) == largest > 80_000


@pytest.mark.parametrize("text", ["", "0.1234, 0.5678", "一辆红色的车", "🛰️🛰️"])
def test_text_tokens_when_each_byte_is_a_token_then_are_enough(text: str) -> None:
    assert text_tokens(text) == len(text.encode())
