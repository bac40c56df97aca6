"""Replies about a flight: the caption of a key frame, and the parts of an instruction.

Source: IndoorUAV (arXiv 2512.19024): places, objects near, mid and far, left, centre and right, and
sub-instructions of one to three actions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from annotator.draft.llm.question_parser import RejectedReply
from annotator.draft.llm.text_parser import lists_of, members_of, text_of

MOST_OBJECTS = 30
LONGEST_PLACE, LONGEST_NAME = 300, 120
# Source: IndoorUAV, whose segments have one to three kinds of action.
FEWEST_ACTIONS, MOST_ACTIONS = 1, 3
KEPT_SHARE = 0.8
"""Minimum share of the words of the whole that the parts must contain: a split is not a summary."""
MOST_SHARE = 1.5
"""Maximum of the same ratio: a split adds a word here and there, but repeats nothing."""
_DISTANCES = {"near": "near", "mid": "mid", "middle": "mid", "medium": "mid", "far": "far", "distant": "far"}
_SIDES = {"left": "left", "centre": "centre", "center": "centre", "middle": "centre", "right": "right"}
UNSAID = "An object lacks its name, its distance (near, mid, far) or its side (left, centre, right)."
_WORD = re.compile(r"\w+")
# In this order: to turn right is a turn, and to fly up is no flight forward.
_KINDS = (
    ("turn", re.compile(r"turn|rotat|yaw|face", re.IGNORECASE)),
    ("up_down", re.compile(r"up|down|ascend|descend|climb|rise|lower", re.IGNORECASE)),
    ("right_left", re.compile(r"side|lateral|strafe|shift|right|left", re.IGNORECASE)),
    ("forward", re.compile(r"forward|fly|straight|advance|pass|go|move|enter|approach", re.IGNORECASE)),
)


def read_caption(text: str) -> dict[str, Any] | RejectedReply:
    """Return a caption: the place, and objects with their distance and side."""
    members = members_of(text, wanted="place")
    location = text_of(members.get("place")) if members else ""
    if members is None or not location:
        return RejectedReply(problems=('There is no "place" in the reply.',))
    entries = members.get("objects")
    objects = [_seen(entry) for entry in entries[:MOST_OBJECTS]] if isinstance(entries, list) else []
    if problem := _caption_problem(location, objects):
        return RejectedReply(problems=(problem,))
    return {"place": location, "objects": objects}


def _caption_problem(location: str, objects: Sequence[dict[str, str]]) -> str:
    if not objects:
        return 'There is no list "objects" in the reply.'
    if not all(all(seen.values()) for seen in objects):
        return UNSAID
    if len(location) > LONGEST_PLACE or any(len(seen["name"]) > LONGEST_NAME for seen in objects):
        limits = f"a place in at most {LONGEST_PLACE} letters, an object in {LONGEST_NAME}"
        return f"The caption is too long: {limits}."
    return ""


def _seen(entry: object) -> dict[str, str]:
    """Return an object of a caption; missing or unknown values are ""."""
    members = entry if isinstance(entry, dict) else {"name": entry}
    return {
        "name": text_of(members.get("name") or members.get("object")),
        "distance": _known(members.get("distance"), _DISTANCES),
        "side": _known(members.get("side"), _SIDES),
    }


def caption_text(caption: Any) -> str:  # noqa: ANN401 - JSON of read_caption, or None
    """Return a caption as one line of text, "" if there is none."""
    if not caption:
        return ""
    objects = ", ".join(f"{one['name']} ({one['distance']}, {one['side']})" for one in caption["objects"])
    return f"{caption['place']}: {objects}"


def read_parts(text: str, *, whole: str) -> list[dict[str, Any]] | RejectedReply:
    """Return the parts of a long instruction with their kinds of action.

    Args:
        text: The reply.
        whole: The instruction; the parts must contain its words.
    """
    parts = next((found for entries in lists_of(text) if (found := _parts(entries))), [])
    problems = tuple(_part_problems(parts, whole=whole))
    return RejectedReply(problems=problems) if problems else parts


def _part_problems(parts: Sequence[dict[str, Any]], *, whole: str) -> Iterator[str]:
    if not parts:
        yield 'There is no list of parts with "text" and "actions".'
    for index, part in enumerate(parts, start=1):
        if not FEWEST_ACTIONS <= len(part["actions"]) <= MOST_ACTIONS:
            wanted = f"{FEWEST_ACTIONS} to {MOST_ACTIONS} are required"
            yield f"Part {index} has {len(part['actions'])} actions; {wanted}."
    share = _kept_share(whole, " ".join(part["text"] for part in parts))
    if parts and share < KEPT_SHARE:
        yield f"The parts hold {share:.0%} of the words of the instruction; none of it may be left out."
    words = sum(len(_WORD.findall(part["text"])) for part in parts)
    if words > MOST_SHARE * max(1, len(_WORD.findall(whole))):
        yield "The parts hold far more words than the instruction; nothing may be added."


def _parts(entries: Sequence[object]) -> list[dict[str, Any]]:
    found = []
    for entry in entries:
        members = entry if isinstance(entry, dict) else {}
        text = text_of(members.get("text") or members.get("instruction") or members.get("sub_instruction"))
        if text:
            found.append(
                {"text": text, "actions": _kinds_of(members.get("actions") or members.get("action"))}
            )
    return found


def _kinds_of(actions: object) -> list[str]:
    """Return the known kinds among the actions of a part, which may be one text or a list."""
    named = [actions] if isinstance(actions, str) else actions if isinstance(actions, list) else []
    return list(filter(None, map(_kind_of, named)))


def _kind_of(name: object) -> str:
    text = text_of(name)
    if text.casefold() in {kind for kind, _ in _KINDS}:
        return text.casefold()
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "")


def _kept_share(whole: str, parts: str) -> float:
    wanted, held = (Counter(_WORD.findall(text.casefold())) for text in (whole, parts))
    return (wanted & held).total() / wanted.total() if wanted else 1.0


def _known(value: object, names: dict[str, str]) -> str:
    """Return the only known word in a text, "" if there is none or several different ones."""
    known = {names[word] for word in _WORD.findall(text_of(value).casefold()) if word in names}
    return known.pop() if len(known) == 1 else ""
