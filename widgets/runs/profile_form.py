"""The form of one model profile: the fields of its adapter. It never contains a secret."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from annotator.domain.model_families import visuals_of
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
        kind: ``text``, ``whole``, ``number``, ``price`` (a number, or nothing) or ``json``.
        example: Placeholder text.
    """

    name: str
    title: str
    of: frozenset[Adapter]
    kind: str = "text"
    example: str = ""


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
    ProfileField(name="visuals.frames", title=_("Maximum frames per video"), of=SIGHTED, kind="whole"),
    ProfileField(
        name="visuals.fps", title=_("Frames per second (0: evenly spaced)"), of=SIGHTED, kind="number"
    ),
    ProfileField(name="visuals.longest_px", title=_("Longer image side (px)"), of=SIGHTED, kind="whole"),
    ProfileField(name="in_flight", title=_("Concurrent calls"), of=CHAT, kind="whole"),
    ProfileField(name="requests_per_minute", title=_("Requests per minute"), of=ENDPOINT, kind="whole"),
    ProfileField(name="tokens_per_minute", title=_("Tokens per minute"), of=ENDPOINT, kind="whole"),
    ProfileField(name="timeout_s", title=_("Timeout (seconds)"), of=CHAT, kind="number"),
    ProfileField(name="price_in", title=_("Price per million input tokens"), of=ENDPOINT, kind="price"),
    ProfileField(name="price_out", title=_("Price per million output tokens"), of=ENDPOINT, kind="price"),
    ProfileField(
        name="options",
        title=_("Additional options (JSON)"),
        of=EVERYWHERE,
        kind="json",
        example='{"rank": true}',
    ),
)
"""The rows of the form, in display order."""


def profile_texts(profile: ModelProfile) -> list[str]:
    """Return the fields of a profile except its name, one line each."""
    # Of a run: what it did not state was sent without the settings of a family.
    profile = msgspec.structs.replace(profile, visuals=profile.stated_visuals)
    # Values equal to the defaults of the adapter are left out.
    usual = ModelProfile(name="", adapter=profile.adapter)
    lines = [line for line in LINES if profile.adapter in line.of and line.name != "name"]
    texts = [
        f"{tr(line.title)}: {_text(profile, line)}"
        for line in lines
        if _text(profile, line) != _text(usual, line)
    ]
    return [run_text.adapter_word(profile.adapter), *texts, run_text.price_word(profile)]


class ProfileForm(QWidget):
    """Edits one profile.

    Signals:
        changed: Emitted when the user edits a field.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._profile = ModelProfile(name="", adapter="openai")
        self._family_visuals = VisualSettings()
        self.adapter = ComboBox()
        self.adapter.setAccessibleName(tr("Adapter"))
        for name in run_text.ADAPTERS:
            self.adapter.addItem(run_text.adapter_word(name), name)
        self.fields = {line.name: QLineEdit() for line in LINES}
        self._form = form_layout()
        self._form.setContentsMargins(0, 0, 12, 0)
        self.setLayout(self._form)
        self._form.addRow(field_label(tr("Adapter")), self.adapter)
        for line in LINES:
            field = self.fields[line.name]
            field.setAccessibleName(tr(line.title))
            field.setPlaceholderText(tr("unknown; 0 for free") if line.kind == "price" else _example(line))
            # ``textEdited``, not ``textChanged``: filling the form is not an edit.
            field.textEdited.connect(self._on_field_text_edited)
            self._form.addRow(field_label(tr(line.title)), field)
        self.adapter.currentIndexChanged.connect(self._on_adapter_changed)

    def show_profile(self, profile: ModelProfile) -> None:
        """Fill the form with a profile."""
        self._profile, self._family_visuals = profile, visuals_of(profile)
        self.adapter.blockSignals(True)
        self.adapter.setCurrentIndex(self.adapter.findData(profile.adapter))
        self.adapter.blockSignals(False)
        for line in LINES:
            self.fields[line.name].setText(_text(profile, line))
            # setText leaves the cursor at the end, which hides the start of a long path.
            self.fields[line.name].setCursorPosition(0)
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
                groups[group][name] = _value(self.fields[line.name].text(), line)
        visuals = self._visuals(groups["visuals"])
        # An option with a field of its own is stored with the others, unless it is empty.
        values["options"] |= {name: value for name, value in groups["options"].items() if value}
        return msgspec.structs.replace(self._profile, visuals=visuals, **values)

    def _visuals(self, entered: dict[str, Any]) -> VisualSettings | None:
        stated = self._profile.visuals
        visuals = msgspec.structs.replace(stated or self._family_visuals, **entered)
        # What the form filled in by itself is not a statement of the user.
        return None if stated is None and visuals == self._family_visuals else visuals

    def _show_family_visuals(self) -> None:
        """Fill the image settings that the user has not entered with those of another family."""
        try:
            profile = self.profile()
        except UserError:
            return
        if profile.visuals is None and visuals_of(profile) != self._family_visuals:
            self._family_visuals = visuals_of(profile)
            for line in LINES:
                if line.name.startswith("visuals."):
                    self.fields[line.name].setText(_text(profile, line))

    def _show_lines(self) -> None:
        for line in LINES:
            self._form.setRowVisible(self.fields[line.name], self.adapter.currentData() in line.of)

    def _on_adapter_changed(self, _at: int) -> None:
        self._show_lines()
        self._show_family_visuals()
        self.changed.emit()

    def _on_field_text_edited(self, _text: str) -> None:
        self._show_family_visuals()
        self.changed.emit()


def _text(profile: ModelProfile, line: ProfileField) -> str:
    group, _point, name = line.name.rpartition(".")
    if group == "options":
        return str(profile.options.get(name, ""))
    value = getattr(visuals_of(profile) if group else profile, name)
    if line.kind == "json":
        own = _options_of(profile.adapter)
        rest = {key: one for key, one in value.items() if key not in own}
        return msgspec.json.encode(rest).decode() if rest else ""
    if value is None:
        return ""
    return f"{value:g}" if line.kind in {"number", "price"} else str(value)


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
    if line.kind == "price" and not entry:
        return None
    try:
        return (
            msgspec.json.decode(entry or "{}", type=dict[str, Any])
            if line.kind == "json"
            else _number(entry, line)
        )
    except (ValueError, msgspec.DecodeError) as error:
        raise UserError(
            tr("{field}: {value} is not valid.", field=tr(line.title), value=repr(entry)),
            hint=line.example and tr("Example: {example}", example=line.example),
        ) from error


def _number(entry: str, line: ProfileField) -> float | int:
    number = float(entry or 0)
    # float() accepts 'nan' and 'inf', which are no valid settings.
    if number < 0 or not math.isfinite(number) or (line.kind == "whole" and number != int(number)):
        raise ValueError(entry)
    return int(number) if line.kind == "whole" else number
