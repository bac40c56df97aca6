"""What AirCopBench's published records say about an option: true, false, or nothing (None).

Read from the raw records and in words of its own, without any code of the rules whose items it judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from annotator.domain.item import Item

Raw = Mapping[str, Any]
TRACES = {
    "occlusion": ("object occlusion", "Object occlusion", "Occluded"),
    "small": ("too small or distant", "Small target", "Too small"),
    "outside": ("due to out-of-view", "Out of FoV", "Out of FoV"),
    "shadow": ("under shadow", "Under shadow", "Under shadow"),
    "brightness": ("has brightness issues", "Brightness imbalance", None),
    "noise": ("has low SNR", "Low SNR", None),
    "loss": ("image loss or frame drop", "Image loss", None),
    "other": ("affected by blur", "Others", None),
}
"""What the reason's sentence contains, its degradation begins with, and its box is labelled with."""
REASON_TITLES = {
    "hide objects|are occluded|partly hidden": "occlusion",
    "small": "small",
    "outside|out of view": "outside",
    "shadow": "shadow",
    "too dark|exposure|exposed": "brightness",
    "nois": "noise",
    "blank|lost": "loss",
}
GRADE_TITLES = {
    "highly|without limits": 5,
    "mostly|few limits": 4,
    "partly": 3,
    "barely": 2,
    "unusable|no use": 0,
}
NAMES = {1: "very poor", 2: "poor", 3: "fair", 4: "good", 5: "excellent"}


def truth_of_options(item: Item, raw: Raw) -> Iterator[bool | None]:
    """Yield for each option whether the record makes it true."""
    judge = {
        "quality_assessment": _is_quality,
        "usability_assessment": _is_usability,
        "object_counting": _is_count,
        "who_to_collaborate": _is_partner,
    }.get(item.task)
    for option in item.options:
        yield judge(option.text, raw) if judge else _is_need(option.text, raw, item=item)


def meaning(text: str) -> str:
    """Return an option without its wording."""
    if "neither" in text:
        return "neither"
    known = {**REASON_TITLES, **{text: str(grade) for text, grade in GRADE_TITLES.items()}}
    found = [name for message, name in known.items() if re.search(message, text)]
    if found or text.startswith("No"):
        return found[0] if found else "no"
    return re.sub(r"\W+", " ", text)


def _is_quality(text: str, raw: Raw) -> bool:
    number, name = re.fullmatch(r"(\d)[ ,:]+\(?([a-z ]+?)\)?", text).groups()  # type: ignore[union-attr]
    assert NAMES[int(number)] == name
    return _level(raw) == int(number)


def _is_usability(text: str, raw: Raw) -> bool:
    [grade] = {grade for message, grade in GRADE_TITLES.items() if re.search(message, text)}
    assert text.startswith("Yes" if grade else "No")
    is_usable = raw["Usibility"].startswith("1")
    return grade == (max(_level(raw), 2) if is_usable else 0)


def _is_count(text: str, raw: Raw) -> bool | None:
    visible = [n for box in raw.get("PerceptionIssues", ()) for n in box["rectanglelabels"]]
    if max(visible.count("Too small"), visible.count("Under shadow")) > int(raw["Object_count"]):
        return None
    return text == str(int(raw["Object_count"]))


def _is_partner(text: str, raw: Raw) -> bool | None:
    if _is_left_alone_unusable(raw):
        return None
    named = set(re.findall(r"UAV\d+", text))
    assert named or text in {"None of them", "No other view", "None of these"}
    # "Name all": a part of the partners is not the answer.
    helpers = set(re.findall(r"UAV\d+", raw.get("Collaboration_who", "")))
    return named == (helpers if _needs_help(raw) else set())


def _is_need(text: str, raw: Raw, *, item: Item) -> bool | None:
    if _is_left_alone_unusable(raw):
        return None
    if text.startswith("No"):
        return not _needs_help(raw)
    if not _needs_help(raw):
        return False
    if "neither" not in text:
        return _is_reason(_reason(text), raw)
    offered = [
        _reason(o.text) for o in item.options if not o.text.startswith("No") and "neither" not in o.text
    ]
    assert len(set(offered)) == 2
    truths = [_is_reason(reason, raw) for reason in offered]
    return False if True in truths else None if None in truths else True


def _reason(text: str) -> str:
    [reason] = {reason for message, reason in REASON_TITLES.items() if re.search(message, text)}
    return reason


def _is_reason(reason: str, raw: Raw) -> bool | None:
    """Return whether a reason holds for a view that needs help; None if the record leaves it open."""
    sentence, tick, box = TRACES[reason]
    if any(sentence in given for given in _choices(raw, "Collaboration_why")):
        return True
    ticks, boxes = _choices(raw, "Degradation"), _box_labels(raw)
    if "Degradation" not in raw or any(each.startswith(tick) for each in ticks) or box in boxes:
        return None
    if reason in ("brightness", "noise", "loss") and _has_something_else(raw):
        return None
    quality = raw.get("Quality", "")
    if reason in ("brightness", "noise") and (not quality or reason[:5] in quality.lower()):
        return None
    return False


def _has_something_else(raw: Raw) -> bool:
    sentence, tick, _ = TRACES["other"]
    is_given = any(sentence in given for given in _choices(raw, "Collaboration_why"))
    is_ticked = any(each.startswith(tick) for each in _choices(raw, "Degradation"))
    return is_given or is_ticked or bool(raw.get("Other Degradation", "").strip())


def _choices(raw: Raw, field: str) -> list[str]:
    value = raw.get(field, [])
    return [value] if isinstance(value, str) else value["choices"] if value else []


def _box_labels(raw: Raw) -> set[str]:
    return {label for box in raw.get("PerceptionIssues", ()) for label in box["rectanglelabels"]}


def _level(raw: Raw) -> int:
    return int(re.search(r"\((\d)/5\)", raw["Quality"])[1])  # type: ignore[index]


def _is_left_alone_unusable(raw: Raw) -> bool:
    return raw.get("Usibility", "").startswith("0") and not _needs_help(raw)


def _needs_help(raw: Raw) -> bool:
    return bool(raw["Collaboration_when"].startswith("1"))
