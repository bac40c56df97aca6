"""Reports in another language: the words of the program are translated, data and numbers stay as they are.

``resources/translations/<code>.report.toml`` has the texts of reports by their English template; those of
gates, exporters and checks are in the catalogues of the window and of the messages.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache

import resources
from annotator.domain.message_translation import MessageTranslator
from annotator.release.card import NOT_STATED
from annotator.release.document import MOST_LETTERS, MOST_ROWS, Document, DocumentTable, Section, shown_text

ENGLISH = "en"
LANGUAGES = (ENGLISH, "zh")
"""Codes of the languages that a report can be in."""
_CUT = re.compile(r"… \(([\d,]+) characters\)$")
SUFFIX_LETTERS = 24


def translated_document(document: Document, code: str) -> Document:
    """Return a document in a language; its tables have the rows that are shown."""
    if code == ENGLISH:
        return document
    translator = _translator(code)
    return Document(
        title=translator.translate(shown_text(document.title)),
        lead=tuple(map(translator.translate, document.lead)),
        sections=tuple(_section(one, translator) for one in document.sections),
        language=code,
    )


def report_texts(code: str) -> Mapping[str, str]:
    """Read the texts of reports in a language by their English template."""
    texts: dict[str, str] = _tables(f"{code}.report")["text"]
    return texts


def _tables(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.path(f"translations/{name}.toml").read_text(encoding="utf-8"))


@cache
def _translator(code: str) -> MessageTranslator:
    messages = _tables(f"{code}.messages").values()
    texts = dict(_tables(code)["text"])
    for table in messages:
        texts.update(table)
    return MessageTranslator({**texts, **report_texts(code)})


def _section(section: Section, translator: MessageTranslator) -> Section:
    return Section(
        title=translator.translate(section.title),
        texts=tuple(map(translator.translate, section.texts)),
        tables=tuple(_table(one, translator) for one in section.tables),
    )


def _table(table: DocumentTable, translator: MessageTranslator) -> DocumentTable:
    def cell(text: str, column: int) -> str:
        if text == NOT_STATED or column in table.worded:
            return translator.translate(text)
        # The one word that a document adds to data: how long a text is that it cuts.
        cut = _CUT.search(text)
        return f"{text[: MOST_LETTERS - SUFFIX_LETTERS]}…（{cut[1]} 个字符）" if cut else text

    return DocumentTable(
        title=translator.translate(shown_text(table.title)),
        head=tuple(map(translator.translate, table.head)),
        rows=tuple(tuple(cell(text, at) for at, text in enumerate(row)) for row in table.shown),
        numeric=table.numeric,
        marks=table.marks[:MOST_ROWS],
        plot=table.plot,
        low=table.low,
        high=table.high,
        note=" ".join(map(translator.translate, table.notes)),
        worded=table.worded,
    )
