"""Who is told of each commit."""

from __future__ import annotations

import logging
from collections.abc import Callable

from annotator.domain.changes import Changes

Listener = Callable[[Changes], None]
log = logging.getLogger(__name__)


class ChangeListeners:
    """Functions that are called on the writing thread after each commit."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each commit; returns a function that ends this."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, changes: Changes) -> None:
        """Call all of them; what one raises is logged."""
        # A copy: a widget that is deleted ends its subscription while it is called.
        for listener in list(self._listeners):
            try:
                listener(changes)
            except Exception:
                # Neither the caller nor the other listeners may believe that nothing was saved.
                log.exception("a listener failed after '%s' was saved", changes.label)
