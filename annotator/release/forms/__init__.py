"""The forms that a release can be written in, by id.

A new form is one module in this folder that defines ``FORM``; nothing else has to know it.
"""

from __future__ import annotations

import importlib
import pkgutil

from annotator.errors import UserError
from annotator.release.form import Form


def _found_forms() -> dict[str, Form]:
    modules = (
        importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
    )
    forms = (getattr(module, "FORM", None) for module in modules)
    return {form.id: form for form in sorted(filter(None, forms), key=lambda form: form.id)}


FORMS = _found_forms()
"""All forms by id, sorted."""


def form_of(form_id: str) -> Form:
    """Return a form by its id.

    Raises:
        UserError: There is none of that name.
    """
    if form_id not in FORMS:
        raise UserError(f"There is no release form {form_id!r}.", hint=f"There are: {', '.join(FORMS)}.")
    return FORMS[form_id]
