"""One AirCopBench annotation record as an event label.

Source: the four annotation files; the value lists with their published spellings are in the task set.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from annotator.domain import task_set_files
from annotator.domain.event_label import EventLabel, ObjectCount, PercentBox
from annotator.domain.record import FieldCorrection
from annotator.importers.aircop_boxes import box_labels, choice_texts, plain_box, plain_rects, read_box
from annotator.importers.aircop_names import view_name
from annotator.importers.imported_record import ImportedFlag
from annotator.importers.record_fields import RecordFields

TASK_SET = "aircop"

# '4 (good) (4/5)' and the like: whatever words stand before it, the mark in brackets counts.
_QUALITY_MARK = re.compile(r"\(\s*([1-5])\s*/\s*5\s*\)")
_YES_NO_MARK = re.compile(r"^\s*([01])\s*(?:\(|$)")
_WHOLE = re.compile(r"\s*\d{1,9}\s*")
# "60-70" and "7.5" hold two numbers and "-3" none that counts things: no guess is made.
_ONE_NUMBER = re.compile(r"[^\d-]*(\d{1,9})\D*")
_NAMED_VIEW = re.compile(r"UAV\s*(\d+)", re.IGNORECASE)
_RESPELT = "another spelling of a known value"
# "noen" stands in the published files for "none".
_NOBODY = frozenset({"none", "noen", "no", "nobody", "null", "nan", "n/a", "-", "/", "无"})


@dataclass(frozen=True, slots=True)
class AircopForm:
    """The parsed form of one record.

    Attributes:
        answers: Values of the event label's fields.
        corrections: Changes made by the importer.
        flags: Contradictions that are only visible in the original text.
    """

    answers: dict[str, Any]
    corrections: list[FieldCorrection]
    flags: list[ImportedFlag] = field(default_factory=list)

    def label(self, **more: Any) -> EventLabel:  # noqa: ANN401 - the label's own fields, which it checks
        """Return the event label with the fields that the caller knows."""
        return EventLabel(**self.answers, **more)


def read_form(fields: RecordFields) -> AircopForm:
    """Return what a record's form says.

    Raises:
        RecordError: A field has a wrong type.
    """
    return _FormReader(fields).read()


class _FormReader:
    """Reads one record; collects flags and notes on the way."""

    def __init__(self, fields: RecordFields) -> None:
        self._fields = fields
        self._flags: list[ImportedFlag] = []

    def read(self) -> AircopForm:
        fields = self._fields
        count_text, who_text = fields.text_or_number("Object_count"), self._who_text()
        answers: dict[str, Any] = {
            "quality": self._level(),
            "usable": self._yes_no(self._usability_field(), field="usable", value_list="usability"),
            "object_types": self._choices("Object_type", field="object_types", value_list="object_type"),
            "count": self._count(count_text),
            "degradations": self._choices("Degradation", field="degradations", value_list="degradation"),
            "other_degradation": self._stripped("Other Degradation", field="other_degradation"),
            "issue_boxes": self._boxes("PerceptionIssues", field="issue_boxes", value_list="issue"),
            "when": self._yes_no("Collaboration_when", field="when", value_list="when"),
            "what_boxes": self._boxes("Collaboration_what", field="what_boxes", value_list="what"),
            "who": self._partners(who_text),
            "why": self._choices("Collaboration_why", field="why", value_list="why"),
            "annotator": fields.text_or_number("annotator") or "",
            "source_task": fields.integer("id"),
            "source_annotation": fields.integer("annotation_id"),
            "created_at": fields.text("created_at") or "",
            "updated_at": fields.text("updated_at") or "",
            "lead_time_s": fields.number("lead_time"),
        }
        self._compare_count_and_partners(count_text or "", who_text or "")
        return AircopForm(answers=answers, corrections=_notes_on_label(fields.corrections), flags=self._flags)

    def _who_text(self) -> str | None:
        """Return the free text, or the choices of a form that offered them as one."""
        if not isinstance(self._fields.get("Collaboration_who"), dict | list):
            return self._fields.text("Collaboration_who")
        texts = choice_texts(self._fields.get("Collaboration_who"), "Collaboration_who")
        return None if texts is None else ", ".join(texts)

    def _usability_field(self) -> str:
        # The published files have a misspelt key; corrected files have to be read too.
        return "Usability" if "Usability" in self._fields.members else "Usibility"

    def _level(self) -> int | None:
        return self._number("Quality", _QUALITY_MARK, field="quality", value_list="quality")

    def _yes_no(self, name: str, *, field: str, value_list: str) -> bool | None:
        number = self._number(name, _YES_NO_MARK, field=field, value_list=value_list)
        return None if number is None else bool(number)

    def _number(self, name: str, mark: re.Pattern[str], *, field: str, value_list: str) -> int | None:
        """Return the number that a choice stands for, read off its mark where the spelling is unknown."""
        text = self._fields.text(name)
        if text is None or not text.strip():
            return None
        known = _known_value(value_list, text)
        found = None if known else mark.search(text)
        number = known.number if known else int(found[1]) if found else None
        if number is None:
            self._flag_unknown([text], field=field)
        elif known is None or not known.is_as_published:
            self._fields.note(field, original=text, value=number, reason=_RESPELT)
        return number

    def _choices(self, name: str, *, field: str, value_list: str) -> tuple[str, ...] | None:
        # Label Studio writes one choice as text and several as an object.
        texts = choice_texts(self._fields.get(name), name)
        if texts is None:
            return None
        return tuple(dict.fromkeys(self._value_ids(texts, field=field, value_list=value_list)))

    def _value_ids(self, texts: Iterable[str], *, field: str, value_list: str) -> list[str]:
        ids, unknown = [], []
        for text in texts:
            known = _known_value(value_list, text)
            if known is None:
                unknown.append(text)
            elif not known.is_as_published:
                self._fields.note(field, original=text, value=known.id, reason=_RESPELT)
            ids.append(known.id if known else text)
        if unknown:
            self._flag_unknown(unknown, field=field)
        return ids

    def _boxes(self, name: str, *, field: str, value_list: str) -> tuple[PercentBox, ...] | None:
        rects = self._fields.listing(name)
        if rects is None:
            return None
        plain = plain_rects(rects)
        known = [[_known_value(value_list, text) for text in rect.rectanglelabels] for rect in plain]
        if len(plain) == len(rects) and all(one and one.is_as_published for ones in known for one in ones):
            pairs = zip(plain, known, strict=True)
            return tuple([plain_box(rect, [one.id for one in ones if one]) for rect, ones in pairs])
        boxes = []
        for number, rect in enumerate(rects):
            texts = box_labels(rect, f"{name}[{number}]")
            labels = self._value_ids(texts, field=f"{field}[{number}]", value_list=value_list)
            boxes.append(read_box(rect, f"{name}[{number}]", tuple(labels)))
        return tuple(boxes)

    def _stripped(self, name: str, *, field: str) -> str | None:
        text = self._fields.text(name)
        if text is None or text == text.strip():
            return text or None
        self._fields.note(field, original=text, value=text.strip(), reason="surrounding spaces and line ends")
        return text.strip() or None

    def _count(self, text: str | None) -> ObjectCount | None:
        if text is None:
            return None
        if _WHOLE.fullmatch(text):
            count = ObjectCount(value=int(text))
        else:
            # "UAV2" has a number, but is a partner that was entered in the wrong field.
            one = None if _NAMED_VIEW.search(text) else _ONE_NUMBER.fullmatch(text)
            count = ObjectCount(value=int(one[1]), approximate=True) if one else ObjectCount()
        return self._noted_count(count, text)

    def _noted_count(self, count: ObjectCount, text: str) -> ObjectCount:
        if text != str(count.value):
            value = {"value": count.value, "approximate": count.approximate}
            self._fields.note("count", original=text, value=value, reason="free text read as a number")
        return count

    def _partners(self, text: str | None) -> tuple[str, ...] | None:
        if text is None or not text.strip():
            return None
        plain = unicodedata.normalize("NFKC", text)
        names = tuple(dict.fromkeys(view_name(digits) for digits in _NAMED_VIEW.findall(plain)))
        if text != ", ".join(names):
            reason = "free text read as names of views"
            self._fields.note("who", original=text, value=list(names), reason=reason)
        if not names and text.strip().casefold() not in _NOBODY:
            self._flag_unknown([text], field="who")
        return names

    def _compare_count_and_partners(self, count: str, who: str) -> None:
        # Annotators filled two neighbouring fields the wrong way round.
        if _NAMED_VIEW.search(count) and _ONE_NUMBER.fullmatch(who) and not _NAMED_VIEW.search(who):
            message = f"The number of objects is '{count}' and the partner '{who}': they may be swapped."
            flag = ImportedFlag(
                kind="count_and_partner_swapped", field="who", message=message, severity="error"
            )
            self._flags.append(flag)

    def _flag_unknown(self, texts: list[str], *, field: str) -> None:
        quoted = ", ".join(f"'{text}'" for text in texts)
        message = f"{quoted} is not a value of the labelling form."
        self._flags.append(ImportedFlag(kind="value_unknown", field=field, message=message))


@dataclass(frozen=True, slots=True)
class _Known:
    id: str
    number: int | None
    is_as_published: bool


_FIELD_OF = {
    "Object_count": "count",
    "Collaboration_who": "who",
    "Other Degradation": "other_degradation",
    "id": "source_task",
    "annotation_id": "source_annotation",
}


def _notes_on_label(notes: list[FieldCorrection]) -> list[FieldCorrection]:
    """Return notes under the label's own field names; that annotators are numbers is no news."""
    return [
        msgspec.structs.replace(note, field=_FIELD_OF.get(note.field, note.field))
        for note in notes
        if note.field != "annotator"
    ]


# Some hundred spellings in a file of thousands of records.
@lru_cache(maxsize=4096)
def _known_value(value_list: str, text: str) -> _Known | None:
    value = task_set_files.builtin(TASK_SET).find_value(value_list, text)
    return None if value is None else _Known(value.id, value.number, text == value.published)
