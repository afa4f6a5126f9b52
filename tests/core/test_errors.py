"""Errors in the reader's words: every sentence can be filled, and a bug report quotes nobody."""

from __future__ import annotations

import string

import pytest

from core import errors
from core.errors import AppError, BadInput, CaseNotFound, Problem, bug_report

EVERY = sorted(
    (kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, AppError)),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", EVERY)
def test_every_error_says_cause_and_remedy_with_what_it_is_given(kind):
    names = {name for text in (kind.sentence, kind.hint) for _, name, _, _ in string.Formatter().parse(text) if name}
    error = kind(**{name: f"<{name}>" for name in names})
    assert error.details.keys() == names
    assert all(f"<{name}>" in error.sentence + error.hint for name in names)
    assert str(error) == error.sentence
    assert not any(brace in error.sentence + error.hint for brace in "{}")


def test_what_is_missing_for_a_sentence_is_no_sentence():
    with pytest.raises(KeyError):
        CaseNotFound()


def test_an_error_of_one_item_becomes_a_problem_with_its_place():
    error = BadInput(reason="The file is empty.", remedy="Choose another one.")
    assert Problem.at(3, error) == Problem("3", "The file is empty.", "Choose another one.")


def test_a_bug_report_has_the_place_in_the_code_and_not_the_message():
    try:
        raise ValueError("the secret words of a document")
    except ValueError as error:
        report = bug_report(type(error), error.__traceback__, "Qt 6.9")
    assert "builtins.ValueError" in report
    assert "test_errors.py" in report
    assert "Qt 6.9" in report
    assert "words of a document" not in report.replace('raise ValueError("the secret words of a document")', "")
