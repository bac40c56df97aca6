"""Qt's own words, such as those of its file dialogs, in the language of the window; and its numbers."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from widgets.translation import language

CATALOGUES = {"zh": "qtbase_zh_CN"}
"""Qt's catalogue of each language but English, which is Qt's own."""

_SPOKEN: list[QTranslator] = []


def install_qt_translations() -> None:
    """Set the language of Qt, and the number format of input fields.

    A catalogue that this installation of Qt does not have leaves Qt's words English.
    """
    numbers = QLocale.c()
    # Else a field checks what is typed by the rules of the system: on a German one the 0.25 that stands there
    # already is refused, and on an American one 1,000 is let through, which ``int`` cannot read.
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
        application.installTranslator(translator)
        # Qt keeps no hold of it.
        _SPOKEN.append(translator)
