"""The connection test of a profile: sends short requests to its model and reports the supported features."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import msgspec

from annotator.domain.profile import ModelProfile
from annotator.domain.run import MICRO
from annotator.errors import EnvironmentFailure, UserError
from annotator.model_api import (
    CallFailed,
    ChatReply,
    ChatRequest,
    FailureKind,
    Model,
    ModelImage,
)
from annotator.segment_prompt import SegmentPrompt
from models.adapters import open_model

if TYPE_CHECKING:
    from annotator.model_api import Rgb, Segmenter

Opener = Callable[[ModelProfile], Model]
Option = Literal["has_pictures", "rank", "json_schema"]
MOST_WAIT_S = 60.0
"""A profile may allow minutes for a long answer, but the user waits for this test."""
TOKENS = 200
"""Token limit per answer: a reasoning model needs more than a letter."""
QUESTION = "Which of these is a colour?\nA. seven\nB. red\nAnswer with the letter alone."
SEEN = "Which colour has this picture?\nA. blue\nB. red\nC. green\nAnswer with the letter alone."
HINTS: dict[FailureKind, str] = {
    "connection": "Check that the server is running, and that the profile has its URL with the port.",
    "timeout": "The model may be loading: try again in a minute, or increase the timeout in the profile.",
    "rate": "Wait a minute and try again, or set fewer requests per minute in the profile.",
    "server": "Check the log of the server, and try again.",
    "key": "Replace the API key at the location that the profile sets.",
    "refused": "Compare the model name in the profile with the model names of the server.",
    "format": "The server URL may be incomplete: for most servers it ends in /v1.",
    "cut": "Try again; a proxy may close the connection.",
    "too_large": "The server URL may not be the URL of a chat API.",
}
"""Advice for a profile without an answer. Redirects and models in process have messages of their own."""
OF_THE_HOST: frozenset[FailureKind] = frozenset({"connection", "timeout", "server", "cut", "rate"})
"""Failures of the network or server. All others are caused by the settings of the profile."""
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["A", "B"]}},
    "required": ["answer"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True)
class Ability:
    """A feature that an endpoint may support.

    Attributes:
        title: Displayed name.
        option: The option of a profile that declares it.
        is_usual: Value if the profile does not set the option.
        request: A request that needs it.
        is_shown: Returns from the reply whether the endpoint supports it.
    """

    title: str
    option: Option
    is_usual: bool
    request: Callable[[], ChatRequest]
    is_shown: Callable[[ChatReply], bool]


def check_profile(profile: ModelProfile, *, opener: Opener = open_model) -> str:
    """Open the model of a profile, test it with short requests, and return the results, one per line.

    All features are tested, whether declared in the profile or not: images, log-probabilities of options,
    answers with a JSON schema. The results say what to change in the profile. These are four requests, which
    a paid endpoint bills.

    Raises:
        UserError: The model cannot be opened, or rejects the request; the message says what to do.
        EnvironmentFailure: The driver, the disk or the server has failed, or the server cannot be reached.
    """
    lines = [_greeting(profile, opener=opener)]
    if profile.adapter == "openai":
        lines += [_finding(ability, profile, opener=opener) for ability in ABILITIES]
    return "\n".join(lines)


def _greeting(profile: ModelProfile, *, opener: Opener) -> str:
    model = opener(profile)
    try:
        identity = model.identity
        named = " ".join(part for part in (identity.name, identity.revision, identity.sha256[:12]) if part)
        if not hasattr(model, "ask"):
            return f"{named} {_first_look(model)}."
        reply = model.ask(_question(), timeout_s=min(profile.timeout_s, MOST_WAIT_S))
    except CallFailed as error:
        error_type = EnvironmentFailure if error.kind in OF_THE_HOST else UserError
        raise error_type(
            f"{profile.name!r} does not answer. {error}", hint=HINTS.get(error.kind, "")
        ) from error
    finally:
        model.close()
    reply_text = " ".join(reply.text.split())[:60]
    as_it_says = f" (reported name: {reply.model})" if reply.model not in {"", identity.name} else ""
    return f"{named}{as_it_says} answered in {reply.elapsed_s:.2f} s{_spent(reply, profile)}: {reply_text!r}."


def _first_look(model: Model) -> str:
    """Test a model that answers no questions with a uniform image; return the results."""
    began = time.perf_counter()
    if hasattr(model, "detect"):
        (found,) = model.detect([_plain_picture()])
        result = f"and detected {len(found) or 'no'} objects"
    elif hasattr(model, "depth"):
        result = f"and estimated the depth of {model.depth(_plain_picture()).size:,} pixels"
    elif hasattr(model, "segment"):
        segmenter = cast("Segmenter", model)
        prompt = SegmentPrompt(points=((4.0, 4.0),), labels=(1,))
        segmenter.segment(segmenter.embed(_plain_picture()), prompt)
        result = "and segmented it"
    else:
        return "is ready"
    return f"processed a test image in {time.perf_counter() - began:.2f} s {result}"


def _spent(reply: ChatReply, profile: ModelProfile) -> str:
    """Return the tokens counted by the server, and their cost; "" if it does not count them."""
    asked, answered = reply.prompt_tokens, reply.completion_tokens
    if not asked and not answered:
        return ""
    cost = profile.cost_micro(prompt_tokens=asked, completion_tokens=answered) / MICRO
    return f", {asked:,} + {answered:,} tokens" + (f" for {cost:.6f}" if cost else "")


def _plain_picture() -> Rgb:
    import numpy as np

    # Any image will do: the test is of the connection and input, not of the detections.
    return np.full((480, 640, 3), 128, np.uint8)


def _finding(ability: Ability, profile: ModelProfile, *, opener: Opener) -> str:
    options = {**profile.options, ability.option: True}
    says = bool(profile.options.get(ability.option, ability.is_usual))
    model = opener(msgspec.structs.replace(profile, options=options))
    try:
        if not hasattr(model, "ask"):
            raise UserError(f"{profile.name!r} is not a chat model.")
        reply = model.ask(ability.request(), timeout_s=min(profile.timeout_s, MOST_WAIT_S))
    except CallFailed as error:
        if error.is_retryable:
            return f"{ability.title}: unknown. {error}"
        return f"{ability.title}: no.{_advice(ability, can=False, says=says)} {error}"
    finally:
        model.close()
    can = ability.is_shown(reply)
    return f"{ability.title}: {'yes' if can else 'no'}.{_advice(ability, can=can, says=says)}"


def _advice(ability: Ability, *, can: bool, says: bool) -> str:
    return "" if can == says else f" Set {ability.option} to {str(can).lower()} in the profile's options."


def _question() -> ChatRequest:
    return ChatRequest(text=QUESTION, max_tokens=TOKENS)


def _sighted_question() -> ChatRequest:
    import cv2
    import numpy as np

    # Blue, green, red: the order of OpenCV.
    red = np.full((64, 64, 3), (32, 32, 208), np.uint8)
    data = cv2.imencode(".png", red)[1].tobytes()
    return ChatRequest(text=SEEN, pictures=(ModelImage(data=data),), max_tokens=TOKENS)


def _ranked_question() -> ChatRequest:
    return ChatRequest(text=QUESTION, options=("seven", "red"), max_tokens=TOKENS)


def _held_question() -> ChatRequest:
    return ChatRequest(
        text=f'{QUESTION}\nAnswer as JSON: {{"answer": "…"}}', schema=SCHEMA, max_tokens=TOKENS
    )


def _is_seen(reply: ChatReply) -> bool:
    text = reply.text.strip(" .()*").lower()
    return text == "b" or text.startswith(("b.", "b ", "b)")) or "red" in text


def _is_held(reply: ChatReply) -> bool:
    try:
        value = msgspec.json.decode(reply.text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("answer") in {"A", "B"}


ABILITIES = (
    Ability(
        title="Images",
        option="has_pictures",
        is_usual=True,
        request=_sighted_question,
        is_shown=_is_seen,
    ),
    Ability(
        title="Log-probabilities of options",
        option="rank",
        is_usual=False,
        request=_ranked_question,
        is_shown=lambda reply: bool(reply.option_scores),
    ),
    Ability(
        title="JSON schema for answers",
        option="json_schema",
        is_usual=False,
        request=_held_question,
        is_shown=_is_held,
    ),
)
"""The tested features. Images are supported if the reply contains the colour of the test image."""
