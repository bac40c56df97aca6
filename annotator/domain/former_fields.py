"""Former names of stored fields, and records that have them read with the names of today.

Logs of projects before version 8 and native releases of that time have the former names of records.
Predictions and the evidence of flags have former names in projects before version 9.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from annotator.domain.record import to_json

_CORRECTIONS = {"normalised": "corrections"}
RENAMED: dict[str, dict[str, str]] = {
    "event_label": _CORRECTIONS,
    "item": {"key": "answer_key", **_CORRECTIONS},
    "medium": {"kind": "media_type", "coding": "encoding"},
    "region": _CORRECTIONS,
    "release": {"form": "export_format"},
    "response": {"took_s": "duration_s"},
    "scene": {"facts": "metadata"},
    "trajectory": {"facts": "metadata", **_CORRECTIONS},
}
"""Former field names and those of today, by entity."""
_PROVENANCE = {"verdicts": "predictions"}
FORMER_FIELDS: dict[str, tuple[str, ...]] = {
    entity: (*names, *(_PROVENANCE if entity == "item" else ())) for entity, names in RENAMED.items()
}
"""Former names by entity, those of an item's provenance among them."""
_FLAGGED = {old: new for names in RENAMED.values() for old, new in names.items()}
"""Former names in ``Flag.field``; the flag's entity is not part of an event that changes the field alone."""

_PREDICTION = {"key": "request_key", "words": "message"}
_MANIFEST = {"form": "export_format"}
_EVIDENCE = {"key": "answer_key"}
_OF_A_RUN = frozenset({"run", "shown", "models"})
"""Members of the evidence of a run's finding; other evidence is kept as its importer wrote it."""

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_corrections = msgspec.json.Decoder(list[dict[str, msgspec.Raw]]).decode


def upgrade_field(entity: str, field: str) -> str:
    """Return today's name of an event's field."""
    return RENAMED.get(entity, {}).get(field, field)


def upgrade_record(entity: str, value: str) -> str:
    """Return the JSON text of a record with today's field names.

    Args:
        entity: Type of the record.
        value: JSON text of an object; with today's names it is returned in the same words.

    Raises:
        msgspec.MsgspecError: The text is no such record.
    """
    # Most records are of types without renamed fields, or of regions that nobody corrected.
    if entity not in RENAMED and entity != "flag":
        return value
    found, names = _members(value), RENAMED.get(entity, {})
    # Both names at once are no record of any version.
    if any(old in found and new in found for old, new in names.items()):
        return value
    renamed = _texts(found, names)
    return _object_of({name: upgrade_member(entity, name, text) for name, text in renamed.items()})


def upgrade_member(entity: str, name: str, value: str) -> str:
    """Return the JSON text of one field's value with today's field names.

    Args:
        entity: Type of the record.
        name: Today's name of the field.
        value: JSON text.

    Raises:
        msgspec.MsgspecError: The text is no value of the field.
    """
    if (entity, name) == ("flag", "field"):
        return _renamed_text(value, _FLAGGED)
    if (entity, name) == ("item", "provenance"):
        return _object_of(_texts(_members(value), _PROVENANCE))
    if name == "corrections" and entity in RENAMED:
        return _upgraded_corrections(value, RENAMED[entity])
    return value


def upgrade_evidence(value: str) -> str:
    """Return the JSON text of a flag's evidence with today's member names.

    Raises:
        msgspec.MsgspecError: The text is not an object.
    """
    members = _members(value)
    return _object_of(_texts(members, _EVIDENCE)) if members.keys() >= {"key", *_OF_A_RUN} else value


def upgrade_flag(value: str) -> str:
    """Return the JSON text of a flag whose evidence has today's member names.

    Raises:
        msgspec.MsgspecError: The text is no such record.
    """
    texts = _texts(_members(value), {})
    if "evidence" not in texts:
        return value
    return _object_of(texts | {"evidence": upgrade_evidence(texts["evidence"])})


def upgrade_prediction(value: str) -> str:
    """Return the JSON text of a prediction with today's field names.

    Raises:
        msgspec.MsgspecError: The text is not an object.
    """
    return _object_of(_texts(_members(value), _PREDICTION))


def upgrade_manifest(value: bytes) -> str:
    """Return the JSON text of a release's manifest with today's member names.

    Raises:
        msgspec.MsgspecError: The text is not an object.
    """
    return _object_of(_texts(_members(value), _MANIFEST))


def _upgraded_corrections(value: str, names: Mapping[str, str]) -> str:
    parts = []
    for correction in _corrections(value):
        members = _texts(correction, {})
        if "field" in members:
            members["field"] = _renamed_text(members["field"], names)
        parts.append(_object_of(members))
    return f"[{','.join(parts)}]"


def _renamed_text(value: str, names: Mapping[str, str]) -> str:
    name = msgspec.json.decode(value, type=str)
    return to_json(names.get(name, name))


def _texts(members: Mapping[str, msgspec.Raw], names: Mapping[str, str]) -> dict[str, str]:
    return {names.get(name, name): bytes(raw).decode() for name, raw in members.items()}


def _object_of(members: Mapping[str, str]) -> str:
    # By hand and not decoded: what a source's record said must stay to the letter.
    return "{" + ",".join(f"{to_json(name)}:{text}" for name, text in members.items()) + "}"
