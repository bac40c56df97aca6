"""The base of prediction forms: files in which models' answers are published, one class per form."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import msgspec

from annotator.importers.record_fields import RecordError

INDEX = "index"
"""The field with the number of a row, which may also be the public id of another item."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a model answered about one item.

    Attributes:
        item: Id of the item, as the file has it.
        text: The answer, "" for none; for a trajectory its rows as JSON.
        line: Line of the file, from 1.
        file: Name of the file.
        dataset: Dataset or view of the item, "" if the file does not name it.
        model: Name of the model, "" if the file does not name it.
        error: Why the model gave no answer, "" if it gave one.
        termination: Why a flight ended, "" for anything else.
        is_index: Whether the id is the index of a row in a published table.
        reply: The reply as the model gave it where people or another model have decided what it means, ""
            elsewhere; ``text`` is then what they decided.
        read_by: Model that decided it, "" for people.
        settled: What people have decided that the text means, as the file has it: an answer, or
            ``NO_ANSWER``; "" for nothing.
    """

    item: str
    text: str
    line: int = 0
    file: str = ""
    dataset: str = ""
    model: str = ""
    error: str = ""
    termination: str = ""
    is_index: bool = False
    reply: str = ""
    read_by: str = ""
    settled: str = ""


class PredictionForm:
    """A form in which predictions are published: the fields of a row, and what they mean. Stateless.

    Attributes:
        id: Value of ``--form``.
        title: Displayed name.
        files: The files, for the documentation.
        id_fields: Names of the field with the item's id; the first that a row has is used.
        text_fields: Names of the field with the answer, in the same way.
        marks: Fields of which a file of this form has at least one; empty for none.
        dataset_field: Name of the field with the dataset, "" for none.
        model_field: Name of the field with the model, "" for none.
        error_field: Name of the field that says why there is no answer, "" for none.
        settled_field: Name of the field with what people have decided that the text means, "" for none.
        name_ending: What follows the name of the model in names of such files, "" for nothing.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    files: ClassVar[str]
    id_fields: ClassVar[tuple[str, ...]]
    text_fields: ClassVar[tuple[str, ...]]
    marks: ClassVar[tuple[str, ...]] = ()
    dataset_field: ClassVar[str] = ""
    model_field: ClassVar[str] = ""
    error_field: ClassVar[str] = ""
    settled_field: ClassVar[str] = ""
    name_ending: ClassVar[str] = ""

    def recognized_by(self, columns: Collection[str]) -> tuple[str, ...]:
        """Return the fields that show this form, none if the file is not of it."""
        found = (
            next(filter(columns.__contains__, self.id_fields), ""),
            next(filter(columns.__contains__, self.text_fields), ""),
        )
        marks = tuple(name for name in self.marks if name in columns and name not in found)
        return (*found, *marks[:1]) if all(found) and (marks or not self.marks) else ()

    def prediction(self, row: dict[str, Any], *, line: int, file: str) -> Prediction:
        """Return the prediction of a row.

        Raises:
            RecordError: The row has no id, or its answer is not text.
        """
        field, item = self._item(row)
        return Prediction(
            item=item,
            text=self._text(row),
            line=line,
            file=file,
            # Published tables have a column without a name, so that "" is one as well.
            dataset=self._dataset(row),
            model=_model_name(row.get(self.model_field)) if self.model_field else "",
            error=self._error(row),
            termination=self._termination(row),
            is_index=field == INDEX,
            settled=_plain(row.get(self.settled_field)) if self.settled_field else "",
        )

    def _item(self, row: dict[str, Any]) -> tuple[str, str]:
        """Return the field that has the id, and the id."""
        for name in self.id_fields:
            value = row.get(name)
            # By type: true is an int by ``isinstance``, and no id.
            if type(value) in (str, int) and (text := str(value).strip()):
                return name, text
        raise RecordError(self.id_fields[0], "The row has no id of an item.")

    def _text(self, row: dict[str, Any]) -> str:
        name = next(filter(row.__contains__, self.text_fields), "")
        value = row.get(name)
        if isinstance(value, str):
            return value
        # A number, as spreadsheets make of "3": the text that it was.
        if type(value) in (int, float):
            return str(value)
        if value is None:
            return ""
        raise RecordError(name, "The answer should be text.")

    def _dataset(self, row: dict[str, Any], /) -> str:
        return _plain(row.get(self.dataset_field)) if self.dataset_field else ""

    def _error(self, row: dict[str, Any], /) -> str:
        return _plain(row.get(self.error_field)) if self.error_field else ""

    def _termination(self, _row: dict[str, Any], /) -> str:
        return ""


def _plain(value: object) -> str:
    return value if isinstance(value, str) else ""


def _model_name(value: object) -> str:
    if isinstance(value, dict):
        return _plain(value.get("name"))
    return _plain(value)
