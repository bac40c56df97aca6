"""Sets the language of Qt's own texts, such as those of file dialogs, and its number format."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from widgets.translation import language

CATALOGUES = {"zh": "qtbase_zh_CN"}
"""Qt's catalogue for each language except English, which needs none."""

_SPOKEN: list[QTranslator] = []


class _KeyNames(QTranslator):
    """Names keys in menus as keyboards and the texts of buttons do; Qt calls the key Enter "Return"."""

    def isEmpty(self) -> bool:
        """Return False: Qt asks no empty translator."""
        return False

    def translate(
        self, context: str, text: str, disambiguation: str | None = None, number: int = -1
    ) -> str | None:
        """Return the name of a key, None for all other texts: Qt then asks the next translator."""
        return "Enter" if (context, text) == ("QShortcut", "Return") else None


def install_qt_translations() -> None:
    """Set the language of Qt, and the number format of input fields.

    If Qt has no catalogue for the language, its own texts stay English.
    """
    numbers = QLocale.c()
    # Otherwise validators use the system locale: a German one rejects the existing 0.25 in a field, and
    # an American one accepts 1,000, which ``int`` cannot parse.
    numbers.setNumberOptions(
        QLocale.NumberOption.RejectGroupSeparator | QLocale.NumberOption.OmitGroupSeparator
    )
    QLocale.setDefault(numbers)
    application = cast("QApplication", QApplication.instance())
    while _SPOKEN:
        application.removeTranslator(_SPOKEN.pop())
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    translator = QTranslator()
    if language() in CATALOGUES and translator.load(CATALOGUES[language()], folder):
        _install(translator, application)
    # Last, because Qt asks the newest translator first, and its Chinese catalogue has the key too.
    _install(_KeyNames(), application)


def _install(translator: QTranslator, application: QApplication) -> None:
    application.installTranslator(translator)
    # Qt does not keep a reference to the translator.
    _SPOKEN.append(translator)
