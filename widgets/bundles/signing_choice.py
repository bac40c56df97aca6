"""Whether a bundle is signed: a box for a person with a signing key, a button to make one for others."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from annotator.domain.actor import Actor
from annotator.errors import VantageError
from widgets.box_layout import column_layout, row_layout
from widgets.labels import label
from widgets.message_text import message_text
from widgets.translation import tr


@dataclass(frozen=True, kw_only=True)
class SigningKey:
    """What is known of the signing key of the person at the window.

    Attributes:
        fingerprint: Fingerprint of the key, "" for none.
        problem: Why it cannot be used or made, None for nothing.
    """

    fingerprint: str = ""
    problem: VantageError | None = None


class SigningChoice(QWidget):
    """The part of the export dialog about the signature.

    Signals:
        key_requested: The person wants a signing key.
    """

    key_requested = Signal()

    def __init__(self, key: SigningKey) -> None:
        """Create the choice; a bundle is signed where there is a key.

        Args:
            key: The key.
        """
        super().__init__()
        self.box = QCheckBox(tr("Sign with your key"))
        self.make = QPushButton(tr("Make key"))
        self.note = label(role="dim", wrap=True, selectable=True)
        self.make.clicked.connect(self._on_make_clicked)
        row = row_layout(spacing_px=8)
        row.addWidget(self.box)
        row.addStretch()
        row.addWidget(self.make)
        column = column_layout(self, margins_px=0, spacing_px=4)
        column.addLayout(row)
        column.addWidget(self.note)
        self.show_key(key)

    def show_key(self, key: SigningKey) -> None:
        """Show the key; the bundle is signed with it unless the person clears the box."""
        self.box.setEnabled(bool(key.fingerprint))
        self.box.setChecked(bool(key.fingerprint))
        self.make.setVisible(not key.fingerprint)
        self.make.setEnabled(key.problem is None)
        self.note.setText(_note(key))

    def _on_make_clicked(self) -> None:
        self.make.setEnabled(False)
        self.key_requested.emit()


def read_signing_key(actor: Actor) -> SigningKey:
    """Return what is known of the key of a person; called off the GUI thread."""
    from annotator.domain.signature import fingerprint, public_key
    from annotator.signing_keys import private_key_of

    try:
        key = private_key_of(actor.id)
    except VantageError as error:
        return SigningKey(problem=error)
    return SigningKey(fingerprint=fingerprint(public_key(key))) if key is not None else SigningKey()


def make_signing_key(actor: Actor) -> SigningKey:
    """Make the key of a person; called off the GUI thread."""
    from annotator.domain.signature import fingerprint
    from annotator.signing_keys import make_key

    try:
        return SigningKey(fingerprint=fingerprint(make_key(actor)))
    except VantageError as error:
        return SigningKey(problem=error)


def _note(key: SigningKey) -> str:
    if key.problem is not None:
        return f"{message_text(key.problem.message)} {message_text(key.problem.hint)}".strip()
    if key.fingerprint:
        return tr(
            "Fingerprint: {fingerprint}. Others confirm your key by it; give it to them by another way than "
            "the bundle.",
            fingerprint=key.fingerprint,
        )
    return tr(
        "You have no signing key. A signature proves that the bundle is yours. A key is made once, and its "
        "private part stays on this computer."
    )
