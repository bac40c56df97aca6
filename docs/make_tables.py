"""Write the tables of the documents anew from the registries: ``python docs/make_tables.py``.

A table stands between ``<!-- table NAME -->`` and ``<!-- end -->``; what is there is replaced.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from annotator.domain import answers, task_set_files  # noqa: E402 - the root is not on the path before
from annotator.domain.review import MEANINGS  # noqa: E402
from annotator.domain.task_set_rules import EQUALITY, known_metrics, metrics_by_format  # noqa: E402
from annotator.draft.rule import LabelRule  # noqa: E402
from annotator.draft.rules import RULES  # noqa: E402
from annotator.importers.registry import IMPORTERS  # noqa: E402
from annotator.quality.checks import CHECKS  # noqa: E402
from annotator.release.exporters import EXPORTERS  # noqa: E402
from annotator.scoring.forms import FORMS  # noqa: E402
from widgets.action import ActionSpec  # noqa: E402
from widgets.actions import ACTION_TABLE, ACTIONS, MENUS  # noqa: E402

TABLE = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def checks_table() -> str:
    """Return the table of checks."""
    head = "check|severity|looks at|without a task|what it finds|threshold, with its source|what to do"
    rows = (
        (f"`{c.id}`", c.severity, c.scope, ", ".join(c.task_sets) or "all", c.finds, c.threshold, c.advice)
        for c in CHECKS.values()
    )
    return _table(head, rows)


def formats_table() -> str:
    """Return the table of answer formats."""
    head = "id|canonical text|value|score|right when|random baseline"
    rows = (
        (f"`{f.id}`", f.docs.example, f.docs.value, f.docs.score, f.docs.right_when, f.docs.baseline)
        for f in answers.formats().values()
    )
    return _table(head, rows)


def distractors_table() -> str:
    """Return the table of the wrong options of multiple-choice variants."""
    rows = ((f"`{f.id}`", f.docs.distractors or "none") for f in answers.formats().values())
    return _table("format|wrong options, and how far all options are apart", rows)


def metrics_table() -> str:
    """Return the table of metrics with the formats that each of them scores."""
    by_format = metrics_by_format()
    rows = []
    for rule in known_metrics().values():
        scored = [f"`{name}`" for name, rules in by_format.items() if rule in rules]
        formats = "every format but `trajectory`" if rule == EQUALITY else ", ".join(scored)
        rows.append((f"`{rule.id}`", formats, _quoted(rule.required), _quoted(rule.optional), rule.meaning))
    return _table("metric|formats|parameters|optional parameters|what it measures", rows)


def importers_table() -> str:
    """Return the table of importers."""
    rows = ((f"`{i.id}`", i.files, i.gives) for i in IMPORTERS.values())
    return _table("id|files|what becomes of them", rows)


def exporters_table() -> str:
    """Return the table of exporters."""
    rows = ((f"`{e.id}`", e.title, e.files, e.limits) for e in EXPORTERS.values())
    return _table("form|title|files|what it holds", rows)


def prediction_forms_table() -> str:
    """Return the table of forms of predictions."""
    return _table("form|title|files", ((f"`{f.id}`", f.title, f.files) for f in FORMS.values()))


def rules_table() -> str:
    """Return the table of drafting rules."""
    rows = ((r.docs.task, r.docs.right, r.docs.wrong, r.docs.no_item) for r in RULES.values())
    return _table("task|right answer|wrong answers|no item", rows)


def wordings_table() -> str:
    """Return the table of the questions of tasks whose rule draws one of several."""
    task_sets = [task_set_files.builtin(set_id) for set_id in task_set_files.builtin_ids()]
    tasks = [task for each in task_sets for task in each.tasks]
    rows = (
        (task.title.en, f"`{template.id}`", template.text)
        for task in tasks
        if isinstance(RULES.get(task.drafted_by), LabelRule)
        for template in task.templates
    )
    return _table("task|wording|question", rows)


def keys_table() -> str:
    """Return the table of all actions with their default keys, in the order of the menus."""
    rows = (
        (
            action.menu,
            action.text.rstrip("…"),
            f"`{written_key(action.key)}`" if action.key else "",
            _where(action),
        )
        for title in (*MENUS, "")
        for action in ACTIONS
        if action.menu == title
    )
    return _table("menu|action|key|where", rows)


def written_key(key: str) -> str:
    """Return a key as the guide writes it, as on keyboards."""
    return key.replace("PgDown", "PgDn").replace("Return", "Enter")


def _where(action: ActionSpec) -> str:
    places = {"list": "lists", "stage": "stage and the lists beside it"}
    names = (
        ", ".join(name.capitalize().replace("_", " ") for name in ACTION_TABLE.scope(action)) or "everywhere"
    )
    return f"{names}: {places[action.context]}" if action.context in places else names


def review_table() -> str:
    """Return the table of the reasons why records wait for a decision."""
    return _table("reason|meaning", ((f"`{reason}`", meaning) for reason, meaning in MEANINGS.items()))


TABLES: dict[str, Callable[[], str]] = {
    "checks": checks_table,
    "formats": formats_table,
    "distractors": distractors_table,
    "metrics": metrics_table,
    "importers": importers_table,
    "exporters": exporters_table,
    "prediction_forms": prediction_forms_table,
    "rules": rules_table,
    "wordings": wordings_table,
    "keys": keys_table,
    "review": review_table,
}
PAGES = (
    "guide/keys.md",
    "answers.md",
    "checks.md",
    "drafting.md",
    "formats.md",
    "releases.md",
    "review.md",
    "scoring.md",
    "tasksets.md",
    "variants.md",
)


def with_tables(page: str) -> str:
    """Return a page with its tables written anew."""
    return TABLE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", page)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    columns = head.split("|")
    lines = [columns, ["---"] * len(columns), *rows]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    # Twice, since two empty cells share a bar.
    return text.replace("|  |", "| |").replace("|  |", "| |")


def main() -> None:
    """Write the pages."""
    for name in PAGES:
        page = ROOT / "docs" / name
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
