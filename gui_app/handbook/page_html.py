"""A page of the handbook as HTML for a text browser, which gives headings no places to go to and tables no lines."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from markdown_it.token import Token

from core.handbook.pages import Page, parser
from core.paths import RESOURCES
from gui_app.shared import theme


def style_sheet() -> str:
    """Return the style sheet of the pages, in the colours and the text size in force."""
    ink = theme.tokens()
    sizes = {"small": theme.SMALL, "body": theme.BODY, "large": theme.LARGE, "title": theme.TITLE}
    sheet = (RESOURCES / "style" / "handbook.css").read_text("utf-8")
    return Template(sheet).substitute(
        text=ink.text,
        muted=ink.muted,
        accent=ink.accent,
        line=ink.line,
        strong_line=ink.strong_line,
        raised=ink.raised,
        neutral_tint=ink.neutral_tint,
        sans=theme.SANS,
        **{name: str(theme.px(size)) for name, size in sizes.items()},
    )


def html_of(page: Page) -> str:
    """Turn the Markdown of a page into HTML in which every heading has its anchor."""
    markdown = parser()
    tokens = markdown.parse(page.markdown)
    anchors = iter(section.anchor for section in page.sections)
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            _put_anchor(tokens[index + 1], next(anchors))
        elif token.type == "table_open":
            token.attrs = {"width": "100%", "cellspacing": "0", "cellpadding": "6"}
        elif token.type == "inline":
            children = token.children or []
            if [child.type for child in children] == ["image"]:
                tokens[index - 1].attrs = {"class": "picture"}
            _set_keys_apart(children)
    return f"<body>{markdown.renderer.render(tokens, markdown.options, {})}</body>"


def _put_anchor(heading: Token, anchor: str) -> None:
    heading.children = [Token("html_inline", "", 0, content=f'<a name="{anchor}"></a>'), *(heading.children or ())]


def _set_keys_apart(tokens: Sequence[Token]) -> None:
    """Put a little space around code, for which the text browser has no padding."""
    for token in tokens:
        if token.type == "code_inline":
            token.content = f"\N{NO-BREAK SPACE}{token.content}\N{NO-BREAK SPACE}"
