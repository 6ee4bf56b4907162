"""What is read from the types."""

import attrs
import pytest

from keepgate.derive.fields import doc_of, remark_of

REMARKS = {
    "Params of ``memory/get``.": "",
    "Params of ``memory/replace``: exactly one of ``match`` and ``id``.": "Exactly one of `match` and `id`.",
    "Result of ``memory/query``, most recalled first (DSH-4).": "Most recalled first (DSH-4).",
    "Result of ``memory/seed`` and ``memory/import``; in order.": "In order.",
    "Params of the request ``a/b`` to the client that registered it.": "",
    "Result of ``a/b``; anything but\n    an allow is a denial.": "Anything but an allow is a denial.",
    "What the client answers.": "What the client answers.",
}


@pytest.mark.parametrize(("doc", "remark"), REMARKS.items())
def test_the_remark_is_what_goes_beyond_naming_the_method(doc: str, remark: str) -> None:
    """A page that already has the method as its heading shows only the rest of the docstring."""
    cls = attrs.make_class("X", [])
    cls.__doc__ = doc

    assert remark == remark_of(cls)


def test_docstrings_become_markdown() -> None:
    """Literals and roles become code, line breaks blanks."""
    cls = attrs.make_class("X", [])
    cls.__doc__ = "See :class:`~keepgate.x.Y`\n    and ``Z``."

    assert "See `keepgate.x.Y` and `Z`." == doc_of(cls)
