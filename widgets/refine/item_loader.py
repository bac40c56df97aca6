"""Reads the current item of Refine, keeps it current, and reads the next one ahead."""

from __future__ import annotations

from PySide6.QtCore import QObject

from annotator.queries.reader import Reader
from annotator.session import Session
from widgets.bridge import Bridge
from widgets.record_loader import RecordLoader
from widgets.refine.item_view import ItemView, is_item_concerned, read_item_view
from widgets.stage.image_cache import StageImages


class ItemLoader(RecordLoader[ItemView]):
    """Loads one item at a time, by its id."""

    def __init__(self, *, session: Session, bridge: Bridge, images: StageImages, parent: QObject) -> None:
        def read(reader: Reader, item_id: str) -> ItemView | None:
            return read_item_view(reader, item_id=item_id, roots=session.roots)

        super().__init__(
            read,
            is_concerned=is_item_concerned,
            session=session,
            bridge=bridge,
            images=images,
            parent=parent,
        )
