"""What the handbook says of the program is so: links, pictures, commands, figures, and every error's remedy."""

from __future__ import annotations

import argparse
import re
import struct
from itertools import chain

import pytest

import core.errors
from core.cli import commands
from core.errors import AppError
from core.handbook.pages import FOLDER, Page, page_named, pages, parser
from core.paths import RESOURCES

PICTURES = FOLDER / "pictures"
LARGEST, ALL = 64_000, 2_000_000  # bytes
# Errors whose words are those of their cause, and the heading that they are told under.
IN_OTHER_WORDS = {
    "UnreadableDocument": "A document that cannot be read",
    "PasswordNeeded": "A document that cannot be read",
    "BadInput": "What you typed cannot be taken",
}


def inline(page: Page):
    for token in parser().parse(page.markdown):
        yield from token.children or ()


def links(page: Page) -> list[str]:
    return [str(token.attrGet("href")) for token in inline(page) if token.type == "link_open"]


def pictures(page: Page) -> list[str]:
    return [str(token.attrGet("src")) for token in inline(page) if token.type == "image"]


def code(page: Page) -> list[str]:
    tokens = parser().parse(page.markdown)
    spans = [token.content for token in inline(page) if token.type == "code_inline"]
    return spans + list(chain(*(token.content.splitlines() for token in tokens if token.type == "fence")))


def faulty_links(page: Page) -> list[str]:
    faults = []
    for link in links(page):
        match = re.fullmatch(r"(?:([\w-]+)\.md)?(?:#([\w-]+))?", link)
        target = page_named(match[1]) if match and match[1] else page if match else None
        anchors = [section.anchor for section in target.sections] if target else []
        if target is None or (match and match[2] and match[2] not in anchors):
            faults.append(f"{page.name}: {link}")
    return faults


def test_every_file_is_in_the_contents_and_every_page_begins_with_its_title():
    assert {file.stem for file in FOLDER.glob("*.md")} == {page.name for page in pages()}
    assert len(pages()) == len({page.name for page in pages()})
    for page in pages():
        assert page.markdown.startswith(f"# {page.title}\n"), page.name
        assert [section.level for section in page.sections].count(1) == 1, page.name


def test_no_link_leads_nowhere():
    assert [fault for page in pages() for fault in faulty_links(page)] == []
    planted = Page("x", "X", "", "[a](none.md) [b](method.md#none) [c](https://example.org) [d](method.md)", ())
    assert len(faulty_links(planted)) == 3


def test_every_picture_is_there_in_both_shades_is_small_and_has_words_and_none_is_left_over():
    used = {src.removeprefix("pictures/").removesuffix(".png") for page in pages() for src in pictures(page)}
    files = {file.stem: file.read_bytes() for file in PICTURES.iterdir()}
    assert set(files) == used | {f"{name}-dark" for name in used}
    for name, data in files.items():
        width, height = struct.unpack(">II", data[16:24])
        assert data.startswith(b"\x89PNG"), name
        assert 300 <= width <= 1600, name
        assert height <= 1100, name
    assert {name: len(data) for name, data in files.items() if len(data) > LARGEST} == {}
    assert sum(map(len, files.values())) <= ALL
    for page in pages():
        for token in inline(page):
            assert token.type != "image" or len(token.content) > 8, page.name


def test_the_markdown_is_of_the_kinds_that_the_window_shows():
    allowed = {
        *("text", "code_inline", "softbreak", "em_open", "em_close", "strong_open", "strong_close"),
        *("link_open", "link_close", "image"),
    }
    for page in pages():
        assert {token.type for token in inline(page)} <= allowed, page.name
        assert "<" not in re.sub(r"`[^`]*`", "", page.markdown), page.name
        assert max(map(len, page.markdown.splitlines())) < 400, page.name


def grammar() -> dict[str, argparse.ArgumentParser]:
    actions = commands.parser()._actions
    return dict(next(action for action in actions if isinstance(action, argparse._SubParsersAction)).choices)


def unknown_commands(page: Page) -> list[str]:
    faults = []
    for text in code(page):
        if not text.startswith("disconfirm "):
            continue
        name, *arguments = text.split()[1:]
        command = grammar().get(name)
        if command is None:
            faults += [text] if name != "COMMAND" else []
            continue
        options = set(chain(*(action.option_strings for action in command._actions)))
        faults += [text for one in arguments if one.startswith("-") and one not in options | {"--help"}]
    return faults


def test_no_command_or_option_is_named_that_does_not_exist():
    assert [f"{page.name}: {fault}" for page in pages() for fault in unknown_commands(page)] == []
    planted = Page("x", "X", "", "`disconfirm fly`, `disconfirm add CASE --sideways`, `disconfirm add CASE`", ())
    assert unknown_commands(planted) == ["disconfirm fly", "disconfirm add CASE --sideways"]


def test_options_that_are_named_alone_exist_somewhere():
    options = set(chain(*(action.option_strings for command in grammar().values() for action in command._actions)))
    named = [text.split()[0] for page in pages() for text in code(page) if text.startswith("--")]
    assert [option for option in named if option not in options] == []
    assert len(named) > 3


def errors() -> list[type[AppError]]:
    return [
        kind
        for kind in vars(core.errors).values()
        if isinstance(kind, type) and issubclass(kind, AppError) and kind is not AppError
    ]


@pytest.mark.parametrize("error", errors(), ids=lambda error: error.__name__)
def test_every_error_is_among_the_troubles(error):
    page = page_named("troubles")
    assert page is not None
    text = " ".join(section.text for section in page.sections)
    fixed = [part.strip(" '().,") for part in re.split(r"\{\w+\}", error.sentence)]
    parts = [part for part in fixed if len(part) > 3]
    if error.__name__ in IN_OTHER_WORDS:
        assert parts == []
        assert IN_OTHER_WORDS[error.__name__] in [section.title for section in page.sections]
    else:
        assert parts
        missing = [part for part in parts if part.replace("'", "") not in text.replace("'", "")]
        assert missing == [], f"the words of {error.__name__}"


def figures(text: str) -> list[str]:
    return re.findall(r"\d[\d,]*(?:\.\d+)?%|\d[\d,]* of \d[\d,]*|\d+ to \d+", text)


def unmeasured_figures(text: str, measurements: str) -> list[str]:
    """Those that the measurements do not have, where a share may stand as 0.73."""
    numbers = set(re.findall(r"\d[\d,.]*\d|\d", measurements))
    return [
        one
        for one in figures(text)
        if one not in measurements and not (one.endswith("%") and {one[:-1], f"0.{one[:-1]}"} & numbers)
    ]


def test_every_figure_on_the_page_about_trust_was_measured():
    measurements = " ".join((RESOURCES / "docs" / "measurements.md").read_text("utf-8").split())
    page = page_named("trust")
    assert page is not None
    assert len(figures(page.markdown)) > 15
    assert unmeasured_figures(page.markdown, measurements) == []
    assert unmeasured_figures("It is right in 99.97% or 12 of 13.", measurements) == ["99.97%", "12 of 13"]
