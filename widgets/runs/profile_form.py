"""The form of one model profile: the fields of its adapter. It never contains a secret."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.domain.answers.numerals import write_number
from annotator.domain.model_families import family_of, resolved_profile, visuals_of
from annotator.domain.profile import SEGMENTER, SIGHTED_ADAPTERS, Adapter, ModelProfile, VisualSettings
from annotator.errors import UserError
from widgets import run_text
from widgets.combo_box import ComboBox
from widgets.form_layout import field_label, form_layout
from widgets.translation import mark as _
from widgets.translation import tr

EVERYWHERE: frozenset[Adapter] = frozenset(run_text.ADAPTERS)  # type: ignore[arg-type]
CHAT: frozenset[Adapter] = frozenset({"openai", "vllm", "transformers"})
WITH_FILE: frozenset[Adapter] = frozenset(
    {"transformers", "vllm", "onnx", "ultralytics", "depth-onnx", "depth-files", "sam-onnx"}
)
SIGHTED = SIGHTED_ADAPTERS
ENDPOINT: frozenset[Adapter] = frozenset({"openai"})
SEGMENTERS: frozenset[Adapter] = frozenset({SEGMENTER})


@dataclass(frozen=True, kw_only=True)
class ProfileField:
    """One row of the form.

    Attributes:
        name: Field of the profile; a dot separates the field of its image settings, or an option.
        title: English title.
        of: Adapters that use the field.
        kind: ``text``, ``whole``, ``number``, ``price`` (a number, or nothing), ``json``, ``amounts``
            (``GPU=1``) or ``boxes`` (a unit of boxes, in a combo box).
        example: Placeholder text.
        is_of_family: Whether the field is empty where the model's family decides.
    """

    name: str
    title: str
    of: frozenset[Adapter]
    kind: str = "text"
    example: str = ""
    is_of_family: bool = False


LINES = (
    ProfileField(name="name", title=_("Name"), of=EVERYWHERE, example="Qwen2.5-VL 7B"),
    ProfileField(name="base_url", title=_("Server URL"), of=ENDPOINT, example="http://127.0.0.1:8000/v1"),
    ProfileField(
        name="model",
        title=_("Model name on the server"),
        of=EVERYWHERE,
        example="Qwen2.5-VL-7B",
    ),
    ProfileField(name="key_from", title=_("API key location"), of=ENDPOINT, example="env:OPENAI_API_KEY"),
    ProfileField(name="path", title=_("Weights file or folder"), of=WITH_FILE),
    ProfileField(
        name="options.decoder",
        title=_("Decoder file"),
        of=SEGMENTERS,
        example=_("empty: the file beside the encoder"),
    ),
    ProfileField(name="revision", title=_("Revision"), of=EVERYWHERE),
    ProfileField(name="temperature", title=_("Temperature"), of=CHAT, kind="number"),
    ProfileField(name="max_tokens", title=_("Maximum answer tokens"), of=CHAT, kind="whole"),
    ProfileField(
        name="visuals.frames",
        title=_("Maximum frames per video"),
        of=SIGHTED,
        kind="whole",
        is_of_family=True,
    ),
    ProfileField(
        name="visuals.fps",
        title=_("Frames per second (0: evenly spaced)"),
        of=SIGHTED,
        kind="number",
        is_of_family=True,
    ),
    ProfileField(
        name="visuals.longest_px",
        title=_("Longer image side (px)"),
        of=SIGHTED,
        kind="whole",
        is_of_family=True,
    ),
    ProfileField(name="boxes", title=_("Unit of boxes"), of=SIGHTED, kind="boxes"),
    ProfileField(
        name="grid_px",
        title=_("Multiple of image sides (px)"),
        of=SIGHTED,
        kind="whole",
        is_of_family=True,
    ),
    ProfileField(name="in_flight", title=_("Concurrent calls"), of=CHAT, kind="whole"),
    ProfileField(
        name="requests_per_minute", title=_("Requests per minute (0: no limit)"), of=ENDPOINT, kind="whole"
    ),
    ProfileField(
        name="tokens_per_minute", title=_("Tokens per minute (0: no limit)"), of=ENDPOINT, kind="whole"
    ),
    ProfileField(name="timeout_s", title=_("Timeout (seconds)"), of=CHAT, kind="number"),
    ProfileField(name="price_in", title=_("Price per million input tokens"), of=ENDPOINT, kind="price"),
    ProfileField(name="price_out", title=_("Price per million output tokens"), of=ENDPOINT, kind="price"),
    ProfileField(
        name="resources",
        title=_("Resources on a cluster"),
        of=CHAT | WITH_FILE,
        kind="amounts",
        example="GPU=1",
    ),
    ProfileField(
        name="options",
        title=_("Additional options (JSON)"),
        of=EVERYWHERE,
        kind="json",
        example='{"rank": true}',
    ),
)
"""The rows of the form, in display order."""
_BY_NAME = {line.name: line for line in LINES}


def profile_texts(profile: ModelProfile) -> list[str]:
    """Return the fields of a profile except its name, one line each."""
    # Of a run: what it did not state was sent without the settings of a family.
    profile = msgspec.structs.replace(profile, visuals=profile.stated_visuals)
    # Values equal to the defaults of the adapter are left out.
    usual = ModelProfile(
        name="", adapter=profile.adapter, visuals=VisualSettings(), boxes="pixels", grid_px=0
    )
    lines = [line for line in LINES if profile.adapter in line.of and line.name != "name"]
    texts = [
        f"{tr(line.title)}: {text}"
        for line in lines
        if (text := _text(profile, line)) not in {"", _text(usual, line)}
    ]
    return [run_text.adapter_title(profile.adapter), *texts, run_text.price_text(profile)]


class ProfileForm(QWidget):
    """Edits one profile.

    Signals:
        changed: Emitted when the user edits a field.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._profile = ModelProfile(name="", adapter="openai")
        self.adapter = ComboBox()
        self.adapter.setAccessibleName(tr("Adapter"))
        for name in run_text.ADAPTERS:
            self.adapter.addItem(run_text.adapter_title(name), name)
        self.boxes = ComboBox()
        for unit in run_text.BOX_UNITS:
            self.boxes.addItem(run_text.box_unit_title(unit), unit)
        self.fields = {line.name: QLineEdit() for line in LINES if line.kind != "boxes"}
        self._form = form_layout()
        self._form.setContentsMargins(0, 0, 12, 0)
        self.setLayout(self._form)
        self._form.addRow(field_label(tr("Adapter")), self.adapter)
        for line in LINES:
            self._add_row(line)
        self.adapter.currentIndexChanged.connect(self._on_adapter_changed)
        # ``activated`` and ``textEdited``: filling the form is not an edit.
        self.boxes.activated.connect(self._on_field_edited)

    def show_profile(self, profile: ModelProfile) -> None:
        """Fill the form with a profile."""
        self._profile = profile
        self.adapter.blockSignals(True)
        self.adapter.setCurrentIndex(self.adapter.findData(profile.adapter))
        self.adapter.blockSignals(False)
        self.boxes.setCurrentIndex(self.boxes.findData(profile.boxes))
        for name, field in self.fields.items():
            field.setText(_text(profile, _BY_NAME[name]))
            # setText leaves the cursor at the end, which hides the start of a long path.
            field.setCursorPosition(0)
        self._show_family(profile)
        self._show_lines()

    def profile(self) -> ModelProfile:
        """Return the profile in the form; fields that its adapter does not use keep their values.

        Raises:
            UserError: A number or the options are invalid. Show the message beside the form.
        """
        adapter: Adapter = self.adapter.currentData()
        # Only visible fields are read: hidden ones keep their values for another change of adapter.
        values: dict[str, Any] = {"adapter": adapter}
        groups: dict[str, dict[str, Any]] = {"": values, "visuals": {}, "options": {}}
        for line in LINES:
            if adapter in line.of:
                group, _point, name = line.name.rpartition(".")
                groups[group][name] = self._entered(line)
        # An option with a field of its own is stored with the others, unless it is empty.
        values["options"] |= {name: value for name, value in groups["options"].items() if value}
        entered = msgspec.structs.replace(self._profile, **values)
        visuals = _visuals(entered, groups["visuals"])
        return msgspec.structs.replace(entered, visuals=visuals)

    def _add_row(self, line: ProfileField) -> None:
        field = self._field(line)
        field.setAccessibleName(tr(line.title))
        if isinstance(field, QLineEdit):
            field.setPlaceholderText(tr("unknown; 0 for free") if line.kind == "price" else _example(line))
            field.textEdited.connect(self._on_field_edited)
        self._form.addRow(field_label(tr(line.title)), field)

    def _field(self, line: ProfileField) -> QLineEdit | ComboBox:
        return self.boxes if line.kind == "boxes" else self.fields[line.name]

    def _entered(self, line: ProfileField) -> object:
        if line.kind == "boxes":
            return self.boxes.currentData()
        return _value(self.fields[line.name].text(), line)

    def _show_family(self, profile: ModelProfile) -> None:
        """Show in empty fields and in the combo box what the model's family decides."""
        unstated = msgspec.structs.replace(profile, visuals=None, boxes="", grid_px=None)
        family = resolved_profile(unstated)
        is_known = family_of(profile) is not None
        for line in LINES:
            if line.is_of_family:
                value = _text(family, line)
                text = (
                    tr("{value} (model family)", value=value)
                    if is_known
                    else tr("{value} (default)", value=value)
                )
                self.fields[line.name].setPlaceholderText(text)
        unit = run_text.box_unit_title(family.boxes)
        text = tr("As the model family: {unit}", unit=unit) if is_known else tr("Default: {unit}", unit=unit)
        self.boxes.setItemText(0, text)

    def _show_lines(self) -> None:
        for line in LINES:
            self._form.setRowVisible(self._field(line), self.adapter.currentData() in line.of)

    def _on_adapter_changed(self, _at: int) -> None:
        self._show_lines()
        self._on_field_edited()

    def _on_field_edited(self, *_value: object) -> None:
        # An invalid field is reported by whoever reads the profile.
        with suppress(UserError):
            self._show_family(self.profile())
        self.changed.emit()


def _visuals(profile: ModelProfile, entered: dict[str, Any]) -> VisualSettings | None:
    """Return the image settings that a person states, None for those of the model's family.

    Fields that are left empty beside others are those of the family.
    """
    if not entered:
        return profile.visuals
    usual = VisualSettings()
    coding = {name: getattr(profile.visuals or usual, name) for name in ("coding", "quality")}
    stated = {name: value for name, value in entered.items() if value is not None}
    if not stated and coding == {name: getattr(usual, name) for name in coding}:
        return None
    family = visuals_of(msgspec.structs.replace(profile, visuals=None))
    return msgspec.structs.replace(family, **coding, **stated)


def _text(profile: ModelProfile, line: ProfileField) -> str:
    group, _point, name = line.name.rpartition(".")
    if group == "options":
        return str(profile.options.get(name, ""))
    if group and profile.visuals is None:
        return ""
    return _value_text(getattr(profile.visuals if group else profile, name), line, adapter=profile.adapter)


def _value_text(value: Any, line: ProfileField, *, adapter: Adapter) -> str:  # noqa: ANN401 - of any field
    if line.kind == "boxes":
        return run_text.box_unit_title(value) if value else ""
    if line.kind == "amounts":
        return " ".join(f"{resource}={write_number(amount)}" for resource, amount in value.items())
    if line.kind == "json":
        return _options_text(value, adapter=adapter)
    if value is None:
        return ""
    # All digits: a profile that is opened and saved again stays as it is.
    return write_number(value) if line.kind in {"number", "price"} else str(value)


def _options_text(options: Mapping[str, Any], *, adapter: Adapter) -> str:
    """Return the options of a profile that have no field of their own, as JSON."""
    own = _options_of(adapter)
    rest = {key: one for key, one in options.items() if key not in own}
    return msgspec.json.encode(rest).decode() if rest else ""


def _example(line: ProfileField) -> str:
    """Return the placeholder of a field; only that of an option is a sentence."""
    return tr(line.example) if line.name.startswith("options.") else line.example


def _options_of(adapter: Adapter) -> set[str]:
    """Return the options of an adapter that have a field of their own."""
    names = (line.name.rpartition(".") for line in LINES if adapter in line.of)
    return {name for group, _point, name in names if group == "options"}


def _value(text: str, line: ProfileField) -> object:
    entry = text.strip()
    if line.kind == "text":
        return entry
    if not entry and (line.kind == "price" or line.is_of_family):
        return None
    try:
        if line.kind == "json":
            return msgspec.json.decode(entry or "{}", type=dict[str, Any])
        return _amounts(entry) if line.kind == "amounts" else _number(entry, line)
    except (ValueError, msgspec.DecodeError) as error:
        raise UserError(
            tr("{field}: {value} is not valid.", field=tr(line.title), value=repr(entry)),
            hint=line.example and tr("Example: {example}", example=line.example),
        ) from error


def _amounts(entry: str) -> dict[str, float]:
    """Return the resources in a text such as ``GPU=1 MEMORY=8``."""
    parts = [part.partition("=") for part in entry.replace(",", " ").split()]
    amounts = {name: float(amount) for name, _equals, amount in parts}
    if not all(name and 0 < amount < math.inf for name, amount in amounts.items()):
        raise ValueError(entry)
    return amounts


def _number(entry: str, line: ProfileField) -> float | int:
    number = float(entry or 0)
    # float() accepts 'nan' and 'inf', which are no valid settings.
    if number < 0 or not math.isfinite(number) or (line.kind == "whole" and number != int(number)):
        raise ValueError(entry)
    return int(number) if line.kind == "whole" else number
