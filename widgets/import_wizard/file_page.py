"""How one file is read: its format and fields, its first records, and the flags of its import."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QGridLayout, QLineEdit, QScrollArea, QWidget

from annotator.importers import registry
from annotator.importing.preview import FieldExample, FilePreview
from widgets import display_text
from widgets.box_layout import column_layout
from widgets.combo_box import ComboBox
from widgets.import_wizard.choices import FileChoice
from widgets.import_wizard.format_choice import FormatChoice
from widgets.import_wizard.formats import format_title
from widgets.import_wizard.pill_stack import PillStack
from widgets.import_wizard.summaries import record_row
from widgets.import_wizard.tables import tall_table
from widgets.labels import ElidedLabel, caption, label
from widgets.locator_text import locator_text
from widgets.message_text import message_text
from widgets.translation import tr

REJECTIONS_SHOWN = 500


class FilePage(QWidget):
    """Shows one part of the import; the user can correct how it is read.

    Signals:
        reading_changed: Emitted when format, mapping or dataset changes; the part is read again.
    """

    reading_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choice: FileChoice | None = None
        self.format = ComboBox()
        # Not as wide as the longest title: dataset and licence need space, too.
        self.format.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.format.setMinimumContentsLength(24)
        self.format.addItem(tr("Detected from content"), "")
        for format_id in registry.IMPORTERS:
            self.format.addItem(format_title(format_id), format_id)
        self.dataset, self.licence = QLineEdit(), QLineEdit()
        self.dataset.setPlaceholderText(tr("From the files"))
        self.licence.setPlaceholderText(tr("Not specified"))
        self.fault = label(role="bad", wrap=True)
        self.similar = FormatChoice()
        self.pages = PillStack()
        self._lay_out()
        self.similar.chosen.connect(self._on_similar_chosen)
        self.format.activated.connect(self._on_format_activated)
        self.dataset.editingFinished.connect(self._on_editing_finished)
        self.licence.editingFinished.connect(self._on_editing_finished)

    def show_choice(self, choice: FileChoice) -> None:
        """Show a part."""
        self._choice = choice
        self.format.setCurrentIndex(max(0, self.format.findData(choice.format)))
        if not choice.format and choice.part.previews:
            self.format.setItemText(
                0, tr("Detected: {format}", format=format_title(choice.part.previews[0].format))
            )
        else:
            self.format.setItemText(0, tr("Detected from content"))
        self.dataset.setText(choice.dataset)
        self.licence.setText(choice.licence)
        self.similar.show_formats(choice.part.similar)
        self.refresh()

    def refresh(self) -> None:
        """Show the current state of the part."""
        if self._choice is None:
            return
        self.fault.setText(_fault_text(self._choice))
        self.fault.setVisible(bool(self.fault.text()))
        previews = self._choice.part.previews
        pages: list[tuple[str, QWidget]] = []
        if previews and not self._choice.can_be_read:
            pages.append((tr("Fields"), self._fields(previews[0])))
        elif previews:
            first = sum(len(preview.found) for preview in previews)
            pages.append((tr("First records {n}", n=first), self._records(previews)))
            pages.append((tr("Fields"), self._fields(previews[0])))
            pages.append((self._flags_title(), self._flags()))
        if over := self._choice.part.skipped:
            rows = tuple((one.name, message_text(one.reason)) for one in over)
            table = tall_table(tr("Not read"), columns=(tr("File"), tr("Why")), rows=rows)
            pages.append((tr("Not read {n}", n=len(over)), table))
        self.pages.show_pages(pages)

    def _lay_out(self) -> None:
        form = QGridLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(4)
        for column, (name, field) in enumerate(
            ((tr("Format"), self.format), (tr("Dataset"), self.dataset), (tr("Licence"), self.licence))
        ):
            form.addWidget(label(name, role="label"), 0, column)
            form.addWidget(field, 1, column)
            form.setColumnStretch(column, 2 if column == 0 else 1)
            field.setAccessibleName(name)
        whole = column_layout(self, margins_px=0, spacing_px=8)
        whole.addLayout(form)
        whole.addWidget(self.fault)
        whole.addWidget(self.similar)
        whole.addWidget(self.pages, 1)

    def _records(self, previews: tuple[FilePreview, ...]) -> QWidget:
        rows = [record_row(found) for preview in previews for found in preview.found]
        rows += [
            (str(bad.line), tr("Rejected"), locator_text(bad.locator), bad.field, message_text(bad.message))
            for preview in previews
            for bad in preview.rejected
        ]
        columns = (tr("Line"), tr("Kind"), tr("Name"), tr("Media"), tr("Content"))
        return tall_table(tr("First records"), columns=columns, rows=tuple(rows))

    def _fields(self, preview: FilePreview) -> QWidget:
        inner = QWidget()
        column = column_layout(inner, margins_px=(0, 0, 8, 0))
        if preview.expected:
            words_ = tr(
                "If the file uses a different name for a field, select that name here. The file is then "
                "read again."
            )
            column.addWidget(label(words_, role="dim", wrap=True))
            column.addLayout(self._mapping(preview))
        else:
            words_ = tr("This format has fixed fields. Fields of the first records:")
            column.addWidget(label(words_, role="dim", wrap=True))
            rows = tuple(
                (field.name, f"{field.records:,}", field.example) for field in preview.field_examples
            )
            head = (tr("Field"), tr("Records"), tr("Example"))
            column.addWidget(tall_table(tr("Fields"), columns=head, rows=rows))
        column.addStretch()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        return area

    def _mapping(self, preview: FilePreview) -> QFormLayout:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(4)
        field_examples = {field.name: field for field in preview.field_examples}
        for expected in preview.expected:
            form.addRow(label(expected, role="mono"), self._mapping_box(expected, field_examples))
        return form

    def _mapping_box(self, expected: str, field_examples: dict[str, FieldExample]) -> QWidget:
        mapping = self._choice.mapping if self._choice else {}
        box = ComboBox()
        box.setAccessibleName(expected)
        missing = tr("not in the first records") if self._is_read() else tr("not in the file")
        box.addItem(expected if expected in field_examples else missing, expected)
        for name, field in field_examples.items():
            if name != expected:
                box.addItem(f"{name}   {field.example[:48]}", name)
        box.setCurrentIndex(max(0, box.findData(mapping.get(expected, expected))))
        box.activated.connect(partial(self._on_mapping_activated, expected, box))
        example = field_examples.get(mapping.get(expected, expected))
        line = QWidget()
        row = QGridLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(box, 0, 0)
        row.addWidget(ElidedLabel(example.example if example else "", role="mono_dim"), 0, 1)
        row.setColumnStretch(0, 1)
        row.setColumnStretch(1, 1)
        return line

    def _is_read(self) -> bool:
        return self._choice is not None and self._choice.can_be_read

    def _flags_title(self) -> str:
        report = self._choice.report if self._choice else None
        if report is None:
            return tr("Flags…")
        return tr("Flags {n}", n=f"{sum(report.flags.values()) + report.rejected:,}")

    def _flags(self) -> QWidget:
        report = self._choice.report if self._choice else None
        page = QWidget()
        column = column_layout(page, margins_px=0)
        if report is None:
            column.addWidget(label(tr("Counting all records…"), role="dim"))
            column.addStretch()
            return page
        rows = tuple((f"{n:,}", display_text.flag_kind_title(kind)) for kind, n in report.flags.items() if n)
        if rows:
            head = (tr("Records"), tr("Issue for review"))
            column.addWidget(tall_table(tr("Flags"), columns=head, rows=rows), 2)
        else:
            column.addWidget(label(tr("The import creates no flags."), role="dim"))
        if report.rejected:
            column.addWidget(caption(tr("Records that cannot be imported")))
            bad = [rejection for file in report.files for rejection in file.rejections][:REJECTIONS_SHOWN]
            lines = tuple(
                (str(one.line), locator_text(one.locator), one.field, message_text(one.message))
                for one in bad
            )
            names = (tr("Line"), tr("Record"), tr("Field"), tr("Why"))
            column.addWidget(tall_table(tr("Rejected"), columns=names, rows=lines), 1)
        elif not rows:
            column.addStretch()
        return page

    def _on_format_activated(self, at: int) -> None:
        if self._choice is not None and self._choice.format != self.format.itemData(at):
            self._choice.format = str(self.format.itemData(at))
            # Each format has its own fields: the mapping of the previous one does not apply.
            self._choice.mapping.clear()
            self.reading_changed.emit()

    def _on_similar_chosen(self, format_id: str) -> None:
        self.format.setCurrentIndex(self.format.findData(format_id))
        self._on_format_activated(self.format.currentIndex())

    def _on_mapping_activated(self, expected: str, box: ComboBox, _at: int) -> None:
        if self._choice is None:
            return
        chosen = str(box.currentData())
        if chosen == expected:
            # The default needs no entry: commands compare mappings to merge files into one undo step.
            self._choice.mapping.pop(expected, None)
        else:
            self._choice.mapping[expected] = chosen
        self.reading_changed.emit()

    def _on_editing_finished(self) -> None:
        if self._choice is None:
            return
        dataset, licence = self.dataset.text().strip(), self.licence.text().strip()
        self._choice.licence = licence
        if dataset != self._choice.dataset:
            self._choice.dataset = dataset
            self.reading_changed.emit()


def _fault_text(choice: FileChoice) -> str:
    """Return why a file cannot be read completely, and what to do."""
    part = choice.part
    if not part.fault:
        incomplete = choice.report.incomplete if choice.report else ()
        return " ".join([f"{file.file}: {display_text.unread_text(file)}" for file in incomplete])
    # For an unknown format the buttons say what to do.
    hint = tr("Assign the fields of the file below.") if part.previews else message_text(part.hint)
    return message_text(part.fault) if part.similar else f"{message_text(part.fault)} {hint}".strip()
