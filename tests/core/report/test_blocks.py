"""The blocks that a report is made of, and the template that shows every kind of them."""

from __future__ import annotations

import re
from typing import get_args

from core.paths import RESOURCES
from core.report.blocks import Block, Figure, Points

KINDS = {block: block.__dataclass_fields__["kind"].default for block in get_args(Block)}


def test_every_kind_of_block_has_a_name_of_its_own():
    assert len(set(KINDS.values())) == len(KINDS)
    assert Points(("a",)).kind == "points"


def test_the_web_page_shows_every_kind_but_pictures_which_only_the_printed_forms_take():
    template = (RESOURCES / "report" / "blocks.html").read_text("utf-8")
    kinds = set(re.findall(r'block\.kind == "(\w+)"', template))
    assert kinds == set(KINDS.values()) - {KINDS[Figure]}
