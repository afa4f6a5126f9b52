"""The reference of the command line."""

from __future__ import annotations


def test_the_reference_is_that_of_the_grammar(load):
    """Whoever changes a command writes it again: python packaging/command_reference.py."""
    module = load("command_reference")
    _, _, written = module.PAGE.read_text("utf-8").partition(module.MARK)
    assert written.strip() == module.reference().strip()
    assert written.count("\n### ") > 15
