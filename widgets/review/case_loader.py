"""Reads the current case of Review, keeps it current, and reads the next one ahead."""

from __future__ import annotations

from PySide6.QtCore import QObject

from annotator.domain.changes import Changes
from annotator.domain.review import ReviewCase
from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.record_loader import RecordLoader
from widgets.review.case_view import CaseView, is_case_concerned, read_case_view
from widgets.stage.image_cache import StageImages


class CaseLoader(RecordLoader[CaseView]):
    """Loads one case at a time, by the id of its record."""

    def __init__(self, *, session: Session, bridge: Bridge, images: StageImages, parent: QObject) -> None:
        self._cases: dict[str, ReviewCase] = {}

        def read(reader: Reader, target: str) -> CaseView | None:
            case = self._cases.get(target)
            if case is None:
                return None
            return read_case_view(reader, case=case, roots=session.roots, person=session.actor.id)

        super().__init__(
            read,
            is_concerned=is_case_concerned,
            session=session,
            bridge=bridge,
            images=images,
            parent=parent,
        )

    def _check_next(self, changes: Changes) -> None:
        """Keep what was read ahead: a decision changes another case, and what is shown is read again."""

    def show_case(self, case: ReviewCase | None) -> None:
        """Show a case, None for none."""
        if case is not None:
            self._cases = {case.target: case}
        self.load(case.target if case is not None else "")

    def update_case(self, case: ReviewCase) -> None:
        """Take over what has changed in the row of the current case, such as its forks."""
        if self.wanted == case.target and self._cases.get(case.target) != case:
            self._cases[case.target] = case
            self.reload()

    def read_case_ahead(self, case: ReviewCase) -> None:
        """Read the case that is likely to be shown next."""
        self._cases[case.target] = case
        self.read_ahead(case.target)
