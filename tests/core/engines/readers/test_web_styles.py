"""What style sheets say of text: declarations, selectors, the cascade."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from core.engines.readers import html, web_styles


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("display:none", "unseen"), ("DISPLAY : NONE", "unseen"), ("content-visibility:hidden", "unseen"),
        ("opacity:0", "transparent"), ("opacity:.00", "transparent"), ("opacity:1%", "transparent"),
        ("text-indent:-999em", "outside"), ("top:-5000px", "outside"), ("right:-9999px", "outside"),
        ("transform:translateX(-9999px)", "outside"), ("transform:scale(0)", "tiny"),
        ("clip-path:inset(50%)", "cut off"), ("clip:rect(0 0 0 0)", "cut off"),
        ("max-height:0;overflow:hidden", "cut off"), ("overflow-y:hidden;height:0px", "cut off"),
        ("display:none;display:block", ""), ("display:none!important;display:block", "unseen"),
        ("opacity:.5", ""), ("left:-20px", ""), ("height:0", ""), ("overflow:hidden", ""), ("clip:auto", ""),
        ("clip:rect(0,100px,20px,0)", ""), ("transform:scale(0.5)", ""), ("display:var(--x)", ""), ("", ""),
        (";:;{}", ""),
    ],
)  # fmt: skip
def test_what_hides(text, why):
    assert web_styles.hiding(web_styles.style_of(text)) == why


@pytest.mark.parametrize(
    ("selector", "selects"),
    [
        ("p", True), (".a", True), ("#one", True), ("p.a", True), ("*", True), ("div p", True), ("div > p", True),
        ("body .c > .a.b", True), ("[title]", True), ("[title='x y']", True), ("[title~=y]", True),
        ("p[title^=x]", True),
        ("h1 + p", True), ("h1 ~ p", True), (":not(.z)", True), ("p:last-child", True), (":is(p).a", True),
        ("html > body > div > p", True), ("p:not(:hover)", True), ("div div, p", True), (".A", True),
        ("b", False), (".z", False), ("p p", False), ("body > p", False), ("p:first-child", False), ("p + p", False),
        (".a:hover", False), ("p::before", False), (":not(.a)", False), ("[title=x]", False), ("p:nth-child(2)", True),
        ("p:nth-child(1)", False), ("p:nth-last-child(1)", True), ("p:first-of-type", True),
        ("p:nth-of-type(2)", False), ("p:nth-child(even)", False),
        (".a >", False), ("..", False), ("", False), ("p:has(b)", False),
    ],
)  # fmt: skip
def test_selectors(selector, selects):
    source = "<div class=c><h1>t</h1><p class='a b' id=one title='x y'>w</p></div>"
    tree = LexborHTMLParser(source)
    sheets = web_styles.read([(f"{selector} {{ display: none }}", "")], tree)
    styles = []
    for node in (tree.root, *(tree.css_first(name) for name in ("body", "div"))):
        sheets.enter(node, node.attributes, "")
    node = tree.css_first("p")
    styles.append(sheets.enter(node, node.attributes, ""))
    assert (styles[0][0].get("display") == "none") is selects
    for _ in range(4):
        sheets.leave()
    assert sheets.ancestors == []


@given(st.text(st.sampled_from("{}@media;:.#a*/\"'()[]\\ -0\n,>"), max_size=80))
def test_any_sheet_ends(text):
    tree = LexborHTMLParser("<p class=a id=a>x")
    sheets = web_styles.read([(text, ""), (f".a{{{text}}}", text)], tree)
    node = tree.css_first("p")
    sheets.enter(node, node.attributes, text)


def _styled(sheet: str, page: str):
    tree = LexborHTMLParser(page)
    sheets = web_styles.read([(sheet, "")], tree)
    return sheets, [sheets.enter(node, node.attributes, "")[0] or sheets.leave() for node in tree.css("p")]


def test_rules_without_end_are_counted_rather_than_held_against_all_elements(monkeypatch):
    monkeypatch.setattr(web_styles, "_STEPS", 1_000)
    calls = []
    fits = web_styles._Compound.fits
    monkeypatch.setattr(web_styles._Compound, "fits", lambda rule, element: calls.append(1) or fits(rule, element))
    sheet = "".join(f"p[a='{number}']{{display:none}}" for number in range(100))
    sheets, _ = _styled(sheet, "<p a=b>x</p>" * 1_000)
    assert sheets.beyond == 1
    assert len(calls) < 2_000


def test_a_list_of_selectors_is_as_long_as_many_rules(monkeypatch):
    monkeypatch.setattr(web_styles, "_RULES", 100)
    sheets, _ = _styled(",".join(["p"] * 1_000) + "{display:none}", "<p>x</p>")
    assert sheets.beyond
    assert sum(map(len, sheets.strong.values())) == 100


def test_strings_and_brackets_that_nothing_closes_end_with_their_line():
    strings = '"' + r"\"" * 50_000
    brackets = ("[" * 19_000 + "{display:none}\n") * 20
    _, styles = _styled(strings + "\n}" + brackets + "p{display:none}", "<p>x</p>")
    assert styles[0]["display"] == "none"


@pytest.mark.parametrize(
    "sheet",
    [
        ".a:is(.x,.y){display:none}",
        ":where(div,p).a{display:none}",
        ".x{color:red;&.a{display:none}}",
        "div{.z{color:red} .a{display:none}}",
        ".a{@media screen{display:none}}",
    ],
)
def test_choices_and_nested_rules_select(sheet):
    page = html.parse(f"<style>{sheet}</style><body><div><p class='a x'>One</p><p>Two</p></div>").body
    assert [page.text[start:end] for start, end, _ in page.hidden_spans] == ["One"]


@pytest.mark.parametrize(
    "style",
    [
        "color: #ffffff00", "color: #fffe", "color: hsl(0 0% 100%)", "color: rgb(255 255 255 / 1)",
        "color: oklch(1 0 0)", "color: rgb(0 0 0 / 2%)", "background: #1e2f3a; color: hsl(204, 31.8%, 17.3%)",
        "font-size: .01em", "font-size: 1%", "scale: 0", "zoom: 0.01", "translate: -9999px",
        "transform: matrix(0, 0, 0, 0, 0, 0)",
        "filter: opacity(0)", "-webkit-text-fill-color: transparent", "position: absolute; inset: 0 auto auto -9999px",
    ],
)  # fmt: skip
def test_what_a_style_makes_unseen_is_marked_wherever_it_is_said(style):
    for page in (f"<style>.x{{{style}}}</style><p class=x>One</p><p>Two</p>", f"<p style='{style}'>One</p><p>Two</p>"):
        body = html.parse(page).body
        assert [body.text[start:end] for start, end, _ in body.hidden_spans] == ["One"]


@pytest.mark.parametrize(
    "style",
    [
        "color: hsl(0 0% 40%)", "color: #ffff", "color: rgb(255 255 255 / .5)", "scale: 1.2", "zoom: 80%",
        "translate: -50% -50%", "font-size: .8em", "inset: 0", "filter: opacity(.6) blur(2px)", "color: oklch(.5 0 0)",
        "background: linear-gradient(red, blue); -webkit-background-clip: text; -webkit-text-fill-color: transparent",
    ],
)  # fmt: skip
def test_what_a_style_leaves_visible_is_not_marked(style):
    page = f"<style>body{{background: navy}} .x{{{style}}}</style><p class=x>One</p><p>Two</p>"
    assert html.parse(page).body.hidden_spans == ()


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<style>.e{position:relative;top:-.5em}</style>10<span class=e>6</span>", "10⁶"),
        ("<style>.e{position:relative;top:-1px}</style>10<span class=e>6</span>", "106"),
        ("10<span style='font-variant-position:super'>6</span>", "10⁶"),
        ("<svg><text>10<tspan baseline-shift=super>6</tspan></text></svg>", "10⁶"),
        ("<svg><text>H<tspan style='baseline-shift:sub'>2</tspan>O</text></svg>", "H₂O"),
    ],
)
def test_what_a_style_sets_off_the_line_is_raised_or_lowered(page, text):
    assert html.parse(page).text == text


def test_attributes_of_a_drawing_say_what_styles_say():
    body = html.parse("<svg><text>may <tspan text-decoration='line-through'>not</tspan> sublet</text></svg>").body
    assert [body.text[start:end] for start, end in body.struck_spans] == ["not"]


def test_a_panel_that_opens_above_the_page_is_not_seen():
    body = html.parse("<p>One</p><div popover>Two</div>").body
    assert [body.text[start:end] for start, end, _ in body.hidden_spans] == ["Two"]


@pytest.mark.parametrize(
    "sheet", [".a{@media print{display:none}}", ".a:is(.x .y){display:none}", ".a{.x{display:none}}"]
)
def test_what_holds_or_selects_nothing_hides_nothing(sheet):
    page = html.parse(f"<style>{sheet}</style><body><div class=y><p class='a x'>One</p></div>").body
    assert page.hidden_spans == ()


@pytest.mark.parametrize(
    ("sheet", "body", "hidden"),
    [
        (":root{--off:none}.x{display:var(--off)}", "<p class=x>One</p><p>Two</p>", ["One"]),
        (".x{display:var(--gone, none)}", "<p class=x>One</p><p>Two</p>", ["One"]),
        (":root{--a:var(--b);--b:none}.x{display:var(--a)}", "<p class=x>One</p>", ["One"]),
        (":root{--s:none}.x{--s:block;display:var(--s)}", "<p class=x>One</p>", []),
        (
            ":root{--s:block}.dark{--s:none}.x{display:var(--s)}",
            "<div class=dark><p class=x>One</p></div><p class=x>Two</p>",
            ["One"],
        ),
        (":root{--paper:#fff}.x{color:var(--paper)}", "<p class=x>One</p><p>Two</p>", ["One"]),
        (".x{color:#fff;background:var(--unknown)}", "<p class=x>One</p>", []),
        (":root{--t:#111;}@media (prefers-color-scheme:dark){:root{--t:#fff}}p{color:var(--t)}", "<p>One</p>", []),
        (":root{--o:0!important}.x{--o:1;opacity:var(--o)}", "<p class=x>One</p>", []),
        (":root{--a:var(--b);--b:var(--a)}.x{display:var(--a)}", "<p class=x>One</p>", []),
        ("", "<div style='--v:hidden'><p style='visibility:var(--v)'>One</p></div><p>Two</p>", ["One"]),
        (":root{--v:hidden}", "<p style='visibility:var(--v)'>One</p><p>Two</p>", ["One"]),
    ],
)
def test_a_custom_property_decides_what_is_seen(sheet, body, hidden):
    page = html.parse(f"<style>{sheet}</style><body>{body}").body
    assert [page.text[start:end] for start, end, _ in page.hidden_spans] == hidden
