"""What a report is made of, and where it is written."""

from __future__ import annotations

from pathlib import Path

from annotator.domain.record import ValueObject


class ReportOrder(ValueObject, frozen=True, kw_only=True):
    """A report to make.

    Attributes:
        release: The release folder.
        project: The project that it was made from, "" for a report of the folder alone.
        html: The HTML file to write, "" for none.
        pdf: The PDF file to write, "" for none.
        language: Code of the language of its texts.
    """

    release: str
    project: str = ""
    html: str = ""
    pdf: str = ""
    language: str = "en"

    @property
    def files(self) -> tuple[Path, ...]:
        """The files to write."""
        return tuple(Path(name) for name in (self.html, self.pdf) if name)
