"""What the style sheets of a page say of its text: what hides it, strikes it, raises it or keeps its lines.

Only what can be told without drawing the page. A style is a dict by property: an answer as the functions of
``_PROPERTIES`` give it. Time is bounded by the counts below, whatever a sheet holds.
"""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from core.engines.readers import web_variables

Rgb = tuple[int, int, int]
Style = dict[str, Any]

_SHEETS = 5_000_000  # characters of all style sheets of a page
_RULES = 20_000  # of all style sheets of a page
_SELECTOR = 400  # characters of one selector
_STEPS = 3_000_000  # conditions of selectors that elements are held against, for all of a page
_SCREEN = 1280, 800  # pixels of the window that is asked about

# --- declarations ----------------------------------------------------------------------------------------------------

_NAMED_COLOURS = {
    "white": (255, 255, 255), "black": (0, 0, 0), "red": (255, 0, 0), "blue": (0, 0, 255), "green": (0, 128, 0),
    "yellow": (255, 255, 0), "gray": (128, 128, 128), "grey": (128, 128, 128), "silver": (192, 192, 192),
    "snow": (255, 250, 250), "whitesmoke": (245, 245, 245), "ivory": (255, 255, 240), "navy": (0, 0, 128),
}  # fmt: skip
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_DECLARATION = re.compile(r"(?:^|[;{])\s*([a-zA-Z-]{3,40}|--[\w-]{1,200})\s*:([^;{}]*)")
_FAR = re.compile(r"-(?:\d{4,}(?:\.\d+)?px|\d{3,}(?:\.\d+)?(?:r?em|ex|ch|v[wh]|%|pt|pc|cm|in|mm))")
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(px|pt|pc|em|rem|ex|%|vw|vh|mm|cm|in)?$")
_SHIFT = {"px": 3.0, "pt": 2.5, "em": 0.25, "rem": 0.25, "ex": 0.5, "%": 25.0}  # from which a text is set off its line
_TINY = {"": 1, "px": 1, "pt": 1, "em": 0.06, "rem": 0.06, "%": 6}  # up to which letters are no larger than a pixel
_NOTHING = re.compile(r"0*[01]?(?:\.0*)?(?:px|pt|em|rem|%)?$")  # no more than a pixel
_CLIP = re.compile(
    r"rect\(\s*([0-9.]+)(?:px)?[\s,]+([0-9.]+)(?:px|%)?[\s,]+([0-9.]+)(?:px|%)?[\s,]+([0-9.]+)(?:px)?\s*\)"
)
_CLIP_PATH = re.compile(
    r"(?:inset\(\s*(?:[5-9]\d|100)(?:\.\d+)?%[^)]*\)|circle\(\s*0|polygon\(\s*0(?:px)?\s+0(?:px)?\s*,)"
)
_SHRUNK = re.compile(
    r"scale(?:3d|[xy])?\(\s*0*\.?0+\s*[,)]|matrix\(\s*0\s*,\s*0\s*,\s*0\s*,\s*0\s*,|rotate[xy]\(\s*-?(?:90|270)deg"
)
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)%?"
_FUNCTION = re.compile(
    rf"(rgb|hsl|oklch|oklab|lch|lab)a?\(\s*({_NUMBER})(?:deg)?[\s,]+({_NUMBER})[\s,]+({_NUMBER})(?:deg)?\s*"
    rf"(?:[,/]\s*({_NUMBER})\s*)?\)"
)
_FAINT = 0.05  # share of ink from which on text is seen
_MOVED = re.compile(rf"translate(?:3d|[xyXY])?\([^)]*{_FAR.pattern}")


# A property, its answer and whether it is important. Of a custom property the answer is its value; VARIABLE is the name
# of a declaration whose answer waits for one: a property with its value.
Declaration = tuple[str, Any, bool]
VARIABLE = "var()"


def declarations(text: str) -> tuple[Declaration, ...]:
    """Return the declarations of a block, in order; the last one of a property counts."""
    return _declarations(text) if len(text) <= 2_000 else _read_declarations(text[:20_000])


def style_of(text: str) -> Style:
    """Return the style that a block of declarations makes by itself."""
    return _settled(declarations(text), {})[0]


def _settled(declared: Sequence[Declaration], around: web_variables.Variables) -> tuple[Style, web_variables.Variables]:
    """Return the style that declarations make, and the custom properties in force: those ``around`` and their own."""
    custom: dict[str, str] = {}
    for is_urgent in (False, True):
        custom |= {
            name: value for name, value, is_important in declared if name[0] == "-" and is_important is is_urgent
        }
    variables = around
    if custom:
        raw = {**around, **custom}
        values = {name: web_variables.resolved(value, raw) for name, value in custom.items()}
        variables = {name: value for name, value in {**around, **values}.items() if value not in (None, "initial")}
    style: Style = {}
    urgent: Style = {}
    for name, answer, is_important in declared:
        target = urgent if is_important else style
        if name == VARIABLE:
            target.update(_answers(answer[0], answer[1], variables))
        elif name[0] != "-":
            target[name] = answer
    return style | urgent, variables


def _answers(name: str, value: str, variables: web_variables.Variables) -> _Answers:
    """Return what a declaration with a custom property comes to; a ground whose colour is not known is one."""
    content = web_variables.resolved(value, variables)
    if content:
        return _PROPERTIES[name](name, content)
    return (("ground", None),) if name.startswith("background") else ()


def rgb(value: str) -> Rgb | None:
    """Return red, green and blue in 0..255, or None for an unknown or transparent colour."""
    value = value.strip().lower()
    if value in _NAMED_COLOURS:
        return _NAMED_COLOURS[value]
    digits = re.match(r"#?([0-9a-f]{6}|[0-9a-f]{3})$|#([0-9a-f]{6})[f][0-9a-f]$|#([0-9a-f]{3})[ef]$", value)
    if digits:
        text = digits[1] or digits[2] or digits[3]
        text = "".join(digit * 2 for digit in text) if len(text) == 3 else text
        return int(text[:2], 16), int(text[2:4], 16), int(text[4:], 16)
    function = _FUNCTION.match(value)
    if function is None or _share(function[5]) < 1:
        return None
    kind, *parts = function.groups()[:4]
    if kind == "rgb":
        scale = [2.55 if part.endswith("%") else 1.0 for part in parts]
        numbers = [float(part.rstrip("%")) * by for part, by in zip(parts, scale, strict=True)]
    elif kind == "hsl":
        hue, saturation, light = (float(part.rstrip("%deg")) for part in parts)
        numbers = [255 * part for part in colorsys.hls_to_rgb(hue % 360 / 360, light / 100, saturation / 100)]
    else:  # of the tables of light, greys alone
        light = _share(parts[0]) if kind.startswith("ok") else float(parts[0].rstrip("%")) / 100
        if any(float(part.rstrip("%deg")) for part in parts[1 : 2 if kind.endswith("ch") else 3]):
            return None
        numbers = [255 * light] * 3
    red, green, blue = (max(0, min(255, round(number))) for number in numbers)
    return red, green, blue


def _share(text: str | None) -> float:
    """Return a number or percentage as a share of one, 1 where none is stated."""
    if not text:
        return 1.0
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _is_transparent(value: str) -> bool:
    """Return whether a colour lets all that is behind it show through."""
    if value == "transparent" or re.fullmatch(r"#(?:[0-9a-f]{3}0|[0-9a-f]{6}0[0-5])", value):
        return True
    function = _FUNCTION.match(value)
    return function is not None and _share(function[5]) < _FAINT


@lru_cache(maxsize=5_000)
def _declarations(text: str) -> tuple[Declaration, ...]:
    return _read_declarations(text)


def _read_declarations(text: str) -> tuple[Declaration, ...]:
    if "/*" in text:
        text = _COMMENT.sub("", text)
    if "\\" in text:
        text = _ESCAPE.sub(_unescape, text)
    result = []
    for name, value in _DECLARATION.findall(text):
        name = name.lower()
        answer = _PROPERTIES.get(name)
        if answer is None and name[0:2] != "--":
            continue
        value, mark, _ = value.strip().lower().partition("!")
        value = value.strip()
        is_important = bool(mark)
        if answer is None:
            result.append((name, value, is_important))
        elif "var(" in value:
            result.append((VARIABLE, (name, value), is_important))
        elif value:
            result += [(key, content, is_important) for key, content in answer(name, value)]
    return tuple(result)


def _unescape(match: re.Match[str]) -> str:
    if match.group(2):
        return match.group(2)
    code = int(match.group(1), 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


_Answers = Iterable[tuple[str, Any]]


def _display(_: str, value: str) -> _Answers:
    layout = next((name for name in ("flex", "grid") if name in value), "")
    if value in ("none", "table-cell"):
        yield "display", value
    elif layout:
        yield "display", f"inline {layout}" if value.startswith("inline") else layout
    elif value.startswith(("inline", "contents", "ruby", "initial", "unset")):
        yield "display", "inline"
    elif not value.startswith(("inherit", "revert", "table-column")):
        yield "display", "block"


def _direction(_: str, value: str) -> _Answers:
    yield "column", value.startswith("column")


def _visibility(_: str, value: str) -> _Answers:
    if value in ("hidden", "collapse", "visible", "initial"):
        yield "visibility", value in ("hidden", "collapse")


def _opacity(_: str, value: str) -> _Answers:
    number = re.match(r"([0-9.]+)(%?)$", value)
    if number:
        try:
            share = float(number.group(1)) / (100 if number.group(2) else 1)
        except ValueError:
            return
        yield "opacity", "transparent" if share < _FAINT else ""


def _font_size(_: str, value: str) -> _Answers:
    size = _LENGTH.match(value)
    if size is None:
        if not value.startswith(("inherit", "smaller", "larger", "calc", "clamp", "max", "min")):
            yield "size", ""
        return
    number, unit = float(size.group(1)), size.group(2) or ""
    if number <= _TINY.get(unit, 0):
        yield "size", "tiny"
    elif unit not in ("em", "%", "ex"):
        yield "size", ""


def _font(name: str, value: str) -> _Answers:
    size = re.search(r"(?:^|\s)(0|[0-9.]+(?:px|pt|r?em|%))(?:/\S+)?\s+\S", value)
    return _font_size(name, size.group(1)) if size else ()


def _place(name: str, value: str) -> _Answers:
    # Moved to the right or down, the same values only move away from an edge.
    yield name, "outside" if _FAR.match(value) else ""
    if name in ("top", "bottom") and (size := _LENGTH.match(value)):
        number = float(size.group(1)) * (1 if name == "top" else -1)
        is_far = abs(number) >= _SHIFT.get(size.group(2) or "", math.inf)
        yield "rise", ("raised" if number < 0 else "lowered") if is_far else ""


def _inset(_: str, value: str) -> _Answers:
    sides = value.split()
    for number, name in enumerate(("top", "right", "bottom", "left")):
        for rank in (number, number % 2, 0):  # a side that is not stated is as the one opposite, or as the first
            if rank < len(sides):
                yield from _place(name, sides[rank])
                break


def _transform(_: str, value: str) -> _Answers:
    yield "transform", "tiny" if _SHRUNK.search(value) else "outside" if _MOVED.search(value) else ""


def _moved(_: str, value: str) -> _Answers:
    yield "moved", "outside" if re.search(_FAR, value) else ""


def _scaled(_: str, value: str) -> _Answers:
    numbers = re.findall(_NUMBER, value)
    yield "scaled", "tiny" if any(_share(number) < _FAINT for number in numbers) else ""


def _filter(_: str, value: str) -> _Answers:
    share = re.search(rf"opacity\(\s*({_NUMBER})\s*\)", value)
    if share and _share(share[1]) < _FAINT:
        yield "opacity", "transparent"


def _clip(_: str, value: str) -> _Answers:
    sides = _CLIP.match(value)
    if sides:
        top, right, bottom, left = (float(side) if side.strip(".") else 0 for side in sides.groups())
        yield "clip", "cut off" if right - left <= 1 and bottom - top <= 1 else ""
    else:
        yield "clip", ""


def _clip_path(_: str, value: str) -> _Answers:
    yield "clip-path", "cut off" if _CLIP_PATH.match(value) else ""


def _extent(name: str, value: str) -> _Answers:
    yield name, _NOTHING.match(value) is not None


def _overflow(_: str, value: str) -> _Answers:
    yield "overflow", value.startswith(("hidden", "clip"))


def _ink(_: str, value: str) -> _Answers:
    if value in ("inherit", "currentcolor", "unset"):
        return
    yield "ink", "transparent" if _is_transparent(value) else rgb(value)


def _ground(name: str, value: str) -> _Answers:
    if name == "background-image":
        if value not in ("none", "initial", "unset"):
            yield "ground", None
    elif value not in ("none", "inherit", "initial", "unset") and not _is_transparent(value):
        yield "ground", rgb(value)
    if name != "background-color" and "text" in value.split():
        yield "painted", True


def _decoration(_: str, value: str) -> _Answers:
    yield "struck", "line-through" in value


def _alignment(_: str, value: str) -> _Answers:
    size = _LENGTH.match(value)
    if size and abs(float(size[1])) >= _SHIFT.get(size[2] or "", math.inf):
        yield "shift", "raised" if float(size[1]) > 0 else "lowered"
    else:
        yield "shift", {"super": "raised", "sub": "lowered"}.get(value, "")


def _white_space(_: str, value: str) -> _Answers:
    yield "lines", value.startswith(("pre", "break-spaces"))


# What is before the items of a list, by its name in style sheets: the type that HTML has for it, '' for a sign.
MARKERS = {
    "decimal": "1", "decimal-leading-zero": "0", "upper-roman": "I", "lower-roman": "i", "upper-alpha": "A",
    "upper-latin": "A", "lower-alpha": "a", "lower-latin": "a", "disc": "", "circle": "", "square": "",
}  # fmt: skip


def _marker(name: str, value: str) -> _Answers:
    words = value.split()
    kind = next((word for word in words if word in MARKERS), "")
    if "none" in words or kind or name == "list-style-type":
        yield "marker", "" if "none" in words else kind or value


def _animation(_: str, value: str) -> _Answers:
    yield "animated", not value.startswith("none")


def _position(_: str, value: str) -> _Answers:
    yield "position", value


def _float(_: str, value: str) -> _Answers:
    yield "float", value not in ("none", "initial", "unset")


def _content_visibility(_: str, value: str) -> _Answers:
    yield "skipped", value == "hidden"


def _clipped_ground(_: str, value: str) -> _Answers:
    yield "painted", "text" in value


_PROPERTIES: dict[str, Callable[[str, str], _Answers]] = {
    "display": _display, "visibility": _visibility, "opacity": _opacity, "font-size": _font_size, "font": _font,
    "left": _place, "right": _place, "top": _place, "bottom": _place, "text-indent": _place, "margin-left": _place,
    "margin-top": _place, "transform": _transform, "clip": _clip, "clip-path": _clip_path,
    "-webkit-clip-path": _clip_path, "height": _extent, "max-height": _extent, "width": _extent, "max-width": _extent,
    "overflow": _overflow, "overflow-y": _overflow, "overflow-x": _overflow, "color": _ink, "background": _ground,
    "background-color": _ground, "background-image": _ground, "background-clip": _clipped_ground,
    "-webkit-background-clip": _clipped_ground, "text-decoration": _decoration, "text-decoration-line": _decoration,
    "vertical-align": _alignment, "white-space": _white_space, "list-style": _marker, "list-style-type": _marker,
    "animation": _animation, "animation-name": _animation, "-webkit-animation": _animation, "position": _position,
    "inset": _inset, "translate": _moved, "scale": _scaled, "zoom": _scaled, "filter": _filter,
    "-webkit-text-fill-color": _ink, "baseline-shift": _alignment, "font-variant-position": _alignment,
    "content-visibility": _content_visibility, "float": _float, "flex-direction": _direction, "flex-flow": _direction,
}  # fmt: skip


def hiding(style: Style) -> str:
    """Return why an element with this style is not seen, whatever its children say; '' where it may be."""
    if style.get("display") == "none" or style.get("skipped"):
        return "unseen"
    if style.get("opacity") and not style.get("animated"):
        return "transparent"
    for name in ("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top"):
        if style.get(name):
            return "outside"
    for name in ("transform", "moved", "scaled"):
        if style.get(name) and not style.get("animated"):
            return str(style[name])
    if style.get("clip-path") or style.get("clip"):
        return "cut off"
    is_flat = any(style.get(name) for name in ("height", "max-height", "width", "max-width"))
    return "cut off" if is_flat and style.get("overflow") else ""


# --- style sheets ----------------------------------------------------------------------------------------------------

# A string that nothing closes goes on to the end of its line.
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|\'(?:[^\'\\\n]|\\.)*+\'?|[{}]', re.DOTALL)
_CONTENT = re.compile(
    r"(?:^|[;{])\s*content\s*:\s*((?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|[^;{}\"'])*)", re.IGNORECASE | re.DOTALL
)
_PIECE = re.compile(r"\"((?:[^\"\\]|\\.)*+)\"|'((?:[^'\\]|\\.)*+)'|attr\(\s*([\w-]+)|(counters?)\(", re.DOTALL)
_HAS_WORDS = re.compile(r"[^\W_]")
_SIDE = re.compile(r"::?(before|after)$", re.IGNORECASE)
_WRITTEN = 100  # rules that write text and are looked at
_WORDS = 60  # characters that are told of what they write, and where
_INLINE = 2_000  # elements that are looked at for what their own style says
_VALUES = 12  # of a custom property
_NESTED, _NESTED_SELECTORS = 5, 20  # rules in rules; selectors of one that has others in it
_NAMES = re.compile(r"([.#])((?:[\w-]|[^\x00-\x7f]|\\.)+)")
_ARGUMENTS = re.compile(r"\([^()]*\)")


class Rule(NamedTuple):
    """A selector with what it says of the elements that it selects; ``order`` grows along the sheets of a page."""

    parts: tuple[tuple[str, _Compound], ...]  # from the subject outwards: how it stands to the part before it
    weight: tuple[int, int, int]
    around: frozenset[str]  # names of elements around the subject
    order: int
    declarations: tuple[Declaration, ...]


class Element(NamedTuple):
    """An open element as selectors see it."""

    node: Any
    tag: str
    classes: tuple[str, ...]
    attributes: dict[str, str | None]


@dataclass(slots=True)
class StyleSheets:
    """The rules of a page's style sheets that say something of its text, and the elements that are open.

    ``strong`` rules hide, strike or raise something; ``weak`` ones only count where a strong one selects.
    """

    strong: dict[str, list[Rule]] = field(default_factory=dict)  # by what their subject needs to have
    weak: dict[str, list[Rule]] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)  # words that rules write, with their place, and how often
    has_variables: bool = False  # whether a custom property may decide
    beyond: int = 0  # rules beyond the bounds
    ancestors: list[Element] = field(default_factory=list)
    _open: dict[str, int] = field(default_factory=dict)  # names of the open elements
    _variables: list[web_variables.Variables] = field(default_factory=list)  # custom properties of the open elements
    _steps: int = 0
    _costs: dict[int, int] = field(default_factory=dict)  # conditions of a list of rules, by its identity

    def __bool__(self) -> bool:
        return bool(self.strong) or self.has_variables

    def enter(
        self, node: Any, attributes: dict[str, str | None], inline: str, *, undoes: bool = False
    ) -> tuple[Style, bool]:
        """Open an element and return its style: what its rules say, and over them its own attribute.

        ``undoes``: a rule may undo what is in force around it. With it, whether a rule has a part in the style.
        """
        names = attributes.get("class") if attributes else None
        identity = attributes.get("id") if attributes else None
        tag = node.tag
        classes = tuple(f".{name}" for name in names.lower().split()[:50]) if names else ()
        element = Element(node, tag, classes, attributes)
        keys = (tag, "*", *classes, f"#{identity.lower()}") if identity else (tag, "*", *classes)
        rules = self._selecting(self.strong, keys, element)
        style: Style = {}
        if rules or undoes:
            rules += self._selecting(self.weak, keys, element)
        variables = self._variables[-1] if self._variables else {}
        if rules or inline:
            style, variables = _settled(_cascade(rules, inline), variables)
        self.ancestors.append(element)
        self._variables.append(variables)
        counts = self._open
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
        return style, bool(rules)

    def leave(self) -> None:
        """Close the innermost element."""
        element = self.ancestors.pop()
        self._variables.pop()
        identity = element.attributes.get("id") if element.attributes else None
        counts = self._open
        for key in (element.tag, "*", *element.classes, *((f"#{identity.lower()}",) if identity else ())):
            counts[key] -= 1
            if not counts[key]:
                del counts[key]

    def _selecting(self, index: dict[str, list[Rule]], keys: Sequence[str], element: Element) -> list[Rule]:
        names = self._open.keys()
        return [
            rule
            for key in keys
            if key in index and self._has_time(index[key])
            for rule in index[key]
            if rule.around <= names
            and rule.parts[0][1].fits(element)
            and (len(rule.parts) == 1 or self._leads(rule.parts[1:], self.ancestors, element.node))
        ]

    def _has_time(self, rules: list[Rule]) -> bool:
        """Return whether there is time to hold one more element against some rules; note once where there is none."""
        if self._steps > _STEPS:
            return False
        self._steps += self._costs.get(id(rules)) or self._costs.setdefault(
            id(rules), sum(1 + sum(rule.weight) for rule in rules)
        )
        self.beyond += self._steps > _STEPS
        return True

    def _leads(self, parts: tuple[tuple[str, _Compound], ...], ancestors: Sequence[Element], node: Any) -> bool:
        """Return whether the other parts of a selector fit around an element. The nearest that fits is taken."""
        index = len(ancestors)
        for position, (relation, compound) in enumerate(parts):
            if relation in "+~":
                match = None
                for sibling in _siblings(node, "prev"):
                    self._steps += 1
                    if self._steps > _STEPS:
                        return False
                    candidate = _element(sibling)
                    if compound.fits(candidate):
                        match = sibling
                        break
                    if relation == "+":
                        break
                if match is None:
                    return False
                node = match
                continue
            while True:
                index -= 1
                self._steps += 1
                if index < 0 or self._steps > _STEPS:
                    return False
                if compound.fits(ancestors[index]):
                    # A child of what fits may need an outer one that fits as well.
                    outer_parts = parts[position + 1 :]
                    if relation == " " and outer_parts and outer_parts[0][0] != " ":
                        if self._leads(outer_parts, ancestors[:index], ancestors[index].node):
                            return True
                        continue
                    break
                if relation == ">":
                    return False
            node = ancestors[index].node
        return True


def _cascade(rules: list[Rule], inline: str) -> list[Declaration]:
    """Return what rules and the attribute of an element declare; what counts more comes later."""
    declared = [
        item for rule in sorted(rules, key=lambda rule: (rule.weight, rule.order)) for item in rule.declarations
    ]
    return [*declared, *declarations(inline)] if inline else declared


def _element(node: Any) -> Element:
    attributes = node.attributes
    names = attributes.get("class")
    return Element(
        node, node.tag, tuple(f".{name}" for name in names.lower().split()[:50]) if names else (), attributes
    )


def _siblings(node: Any, side: str) -> Iterator[Any]:
    """Yield the elements before ("prev") or behind ("next") another."""
    while (node := getattr(node, side)) is not None:
        if not node.tag.startswith("-"):
            yield node


def read(sheets: Iterable[tuple[str, str]], tree: Any) -> StyleSheets:
    """Return the rules of style sheets, each with its ``media``, that can select something in a page."""
    result = StyleSheets()
    rules: list[Rule] = []
    writers: list[tuple[str, str, str]] = []
    vocabulary: set[str] | None = None
    total = order = 0
    for text, media in sheets:
        total += len(text)
        if total > _SHEETS:
            result.beyond += 1
            break
        if media and not _is_for_screen(media):
            continue
        if vocabulary is None:
            vocabulary = _vocabulary(tree)
        for selector, block in _rules(text):
            order += 1
            if order > _RULES:
                result.beyond += 1
                continue
            if "content" in block and len(writers) < _WRITTEN:
                writers += _writers(selector, block, vocabulary)
            for rule in _compiled(selector, block, order, vocabulary):
                if len(rules) >= _RULES:
                    result.beyond += 1
                    break
                rules.append(rule)
    styled = tree.css('[style*="--"]')[:_INLINE]
    stated = [declaration for node in styled for declaration in declarations(node.attributes["style"] or "")]
    definitions = _definitions([*stated, *(declaration for rule in rules for declaration in rule.declarations)])
    inline = [answer[1] for name, answer, _ in stated if name == VARIABLE]
    result.has_variables = bool(inline)
    _sort(result, rules, definitions, inline, has_inks=tree.css_first('[style*="color"], font[color]') is not None)
    for selector, side, value in writers:
        _count_written(result.written, tree, selector, side, value, definitions)
    return result


def _definitions(declared: Iterable[Declaration]) -> dict[str, list[str]]:
    """Return the values that custom properties have somewhere in a page."""
    values: dict[str, dict[str, None]] = {}
    for name, value, _ in declared:
        if name[0] == "-":
            values.setdefault(name, {})[value] = None
    return {name: list(possible)[:_VALUES] for name, possible in values.items()}


def _writers(selector: str, block: str, vocabulary: set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the selectors of a rule that writes text before or behind elements, with the side and what it writes."""
    content = _CONTENT.search(block)
    for text in _alternatives(selector) if content else ():
        side = _SIDE.search(text)
        if side is None or content is None:
            continue
        base = text[: side.start()].strip()
        if all(name.lower() in vocabulary for _, name in _NAMES.findall(_ARGUMENTS.sub("", base)) if "\\" not in name):
            yield base or "*", side[1].lower(), content[1]


def _plain(piece: re.Match[str]) -> str:
    """Return the characters of a string of a style sheet, for a counter what it counts with."""
    return "1, 2 …" if piece[4] else _ESCAPE.sub(_unescape, piece[1] or piece[2] or "")


def _count_written(
    written: dict[str, int], tree: Any, selector: str, side: str, value: str, definitions: dict[str, list[str]]
) -> None:
    """Count the elements before or behind which a rule writes words, by the words."""
    value = next(web_variables.possible(value, definitions), "")
    pieces = list(_PIECE.finditer(value))
    if not any(piece[3] or piece[4] or _HAS_WORDS.search(_plain(piece)) for piece in pieces):
        return
    try:
        nodes = tree.css(selector)[:_INLINE]
    except ValueError:  # a selector that the library does not know
        return
    for node in nodes:
        attributes = node.attributes
        words = "".join((attributes.get(piece[3]) or "") if piece[3] else _plain(piece) for piece in pieces)
        words = " ".join(words.split())[:_WORDS]
        if _HAS_WORDS.search(words):
            place = f"“{words}” {'before' if side == 'before' else 'behind'} {selector[:_WORDS]}"
            written[place] = written.get(place, 0) + 1


def _vocabulary(tree: Any) -> set[str]:
    """Return the classes and ids of a page."""
    names: set[str] = set()
    for node in tree.css("[class], [id]"):
        attributes = node.attributes
        for key in ("class", "id"):
            value = attributes.get(key)
            if value:
                names.add(value)
    return {name for value in names for name in value.lower().split()}


def _compiled(selector: str, block: str, order: int, vocabulary: set[str]) -> Iterator[Rule]:
    """Yield a rule for each selector of a list that may select something and whose declarations are of use."""
    answers: tuple[tuple[str, Any, bool], ...] | None = None
    for text in _expanded(selector):
        if "." in text or "#" in text:
            plain = _ARGUMENTS.sub("", text) if "(" in text else text
            if any(name.lower() not in vocabulary for _, name in _NAMES.findall(plain) if "\\" not in name):
                continue
        if answers is None:
            answers = declarations(block)
        if not answers:
            return
        parts = compile_selector(text)
        if parts is not None:
            yield Rule(parts, _weight(parts), _around(parts), order, answers)


def _around(parts: tuple[tuple[str, _Compound], ...]) -> frozenset[str]:
    """Return the names that elements around the subject must have."""
    names: set[str] = set()
    for relation, compound in parts[1:]:
        if relation in "+~":
            break
        names.update(compound.classes)
        names.update((compound.tag,) if compound.tag else ())
        names.update((f"#{compound.id}",) if compound.id else ())
    return frozenset(names)


_STRONG = {
    "display": ("none", "block", "flex", "grid", "inline flex", "inline grid", "table-cell"),
    "float": (True,), "position": ("absolute", "fixed"),
    "visibility": (True,), "opacity": ("transparent",), "size": ("tiny",),
    "left": ("outside",), "right": ("outside",), "top": ("outside",), "bottom": ("outside",),
    "text-indent": ("outside",), "margin-left": ("outside",), "margin-top": ("outside",),
    "transform": ("tiny", "outside"), "clip": ("cut off",), "clip-path": ("cut off",), "height": (True,),
    "max-height": (True,), "width": (True,), "max-width": (True,), "struck": (True,), "shift": ("raised", "lowered"),
    "lines": (True,), "marker": ("", *(name for name, form in MARKERS.items() if form not in ("", "1"))),
    "skipped": (True,), "rise": ("raised", "lowered"), "moved": ("outside",), "scaled": ("tiny",),
}  # fmt: skip
_WITH = {
    "display": ("column",),
    "opacity": ("animated",), "visibility": ("animated",), "transform": ("animated",),
    "moved": ("animated",), "scaled": ("animated",), "rise": ("position",),
    "height": ("overflow",), "max-height": ("overflow",), "width": ("overflow",), "max-width": ("overflow",),
    "ink": ("ground", "painted", "position"),
}  # fmt: skip
_WHITE = (255, 255, 255)
_ALIKE = 12  # two colours whose red, green and blue differ by no more look the same


def alike(a: Rgb, b: Rgb) -> bool:
    """Return whether two colours look the same."""
    return all(abs(x - y) <= _ALIKE for x, y in zip(a, b, strict=True))


def _sort(
    sheets: StyleSheets, rules: list[Rule], definitions: dict[str, list[str]], inline: Sequence[str], *, has_inks: bool
) -> None:
    """File the rules by what their subject needs, without what cannot matter.

    That is a property that no rule uses to hide, strike or raise anything. ``inline`` are values with custom properties
    that elements state, ``has_inks``: whether some state colours of their own.
    """
    expanded: dict[tuple[str, str], list[tuple[str, Any]]] = {}

    def answers_of(name: str, answer: Any) -> list[tuple[str, Any]]:
        """Return what a declaration may come to."""
        if name != VARIABLE:
            return [(name, answer)]
        if answer not in expanded:
            values = web_variables.possible(answer[1], definitions)
            expanded[answer] = [pair for value in values if value for pair in _PROPERTIES[answer[0]](answer[0], value)]
            expanded[answer] += _answers(answer[0], answer[1], {})
        return expanded[answer]

    declared = [pair for rule in rules for name, answer, _ in rule.declarations for pair in answers_of(name, answer)]
    grounds = {answer for name, answer in declared if name == "ground" and answer}

    def is_strong(name: str, answer: Any) -> bool:
        if name == "ink":
            return answer == "transparent" or (answer is not None and (answer in grounds or alike(answer, _WHITE)))
        return answer in _STRONG.get(name, ())

    properties: set[str] = set()
    for name, answer in declared:
        if is_strong(name, answer):
            properties.update((name, *_WITH.get(name, ())))
    always: tuple[str, ...] = ()  # what counts wherever it is said
    if has_inks or "ink" in properties:
        always = _WITH["ink"]
        properties.update(always)
    used = [
        answer[1]
        for rule in rules
        for name, answer, _ in rule.declarations
        if name == VARIABLE and any(pair[0] in properties for pair in answers_of(name, answer))
    ]
    names = _names_in_use([*used, *inline], definitions)
    always = (*always, *names)
    properties |= names
    for rule in rules:
        answers = tuple(
            declaration
            for declaration in rule.declarations
            if any(name in properties for name, _ in answers_of(*declaration[:2]))
        )
        if answers:
            pairs = [pair for name, answer, _ in answers for pair in answers_of(name, answer)]
            counts = any(name in always or is_strong(name, answer) for name, answer in pairs)
            index = sheets.strong if counts else sheets.weak
            index.setdefault(rule.parts[0][1].key, []).append(rule._replace(declarations=answers))


def _names_in_use(values: Iterable[str], definitions: dict[str, list[str]]) -> set[str]:
    """Return the custom properties that values name, and those that are named where these are defined."""
    names: set[str] = set()
    waiting = list(values)
    while waiting:
        for name in set(web_variables.names_in(waiting.pop())) - names:
            names.add(name)
            waiting += definitions.get(name, ())
    return names


def _rules(text: str) -> Iterator[tuple[str, str]]:
    """Yield selectors with their blocks, of those that hold on a screen."""
    if "/*" in text:
        text = _COMMENT.sub(" ", text)
    groups: list[bool] = []  # the open groups of rules, and whether what is in them holds
    end_of_last, start, depth = 0, 0, 0  # behind the last brace; the open block; braces in it
    selector = ""
    for token in _TOKEN.finditer(text):
        brace = token.group()
        if brace == "{":
            if depth:
                depth += 1
                continue
            prelude = text[end_of_last : token.start()].rpartition(";")[2].strip()
            end_of_last = token.end()
            if prelude.startswith("@"):
                name = re.match(r"@([\w-]*)", prelude)
                groups.append(all(groups[-1:]) and _holds(name.group(1).lower() if name else "", prelude))
                if len(groups) > 50:
                    return
            else:
                selector, start, depth = prelude, token.end(), 1
        elif brace == "}":
            if depth:
                depth -= 1
                if not depth:
                    if all(groups[-1:]) and len(selector) < 20_000:
                        yield from _flattened(selector, text[start : token.start()])
                    end_of_last = token.end()
            else:
                if groups:
                    groups.pop()
                end_of_last = token.end()
    if depth and all(groups[-1:]):  # a block that the end of the sheet closes
        yield from _flattened(selector, text[start:])


def _flattened(selector: str, block: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield a rule and the rules that are nested in it, each with its whole selector."""
    if "{" not in block:
        yield selector, block
        return
    outer_parts: list[str] = []
    inner_rules: list[tuple[str, str]] = []
    end_of_last = start = level = 0
    prelude = ""
    for token in _TOKEN.finditer(block):
        if token.group() == "{":
            if not level:
                text, _, prelude = block[end_of_last : token.start()].rpartition(";")
                outer_parts.append(text)
                start = token.end()
            level += 1
        elif token.group() == "}" and level:
            level -= 1
            if not level:
                inner_rules.append((prelude.strip(), block[start : token.start()]))
                end_of_last = token.end()
    outer_parts.append(block[end_of_last:] if not level else "")
    yield selector, ";".join(outer_parts)
    for inner, inner_block in inner_rules if depth < _NESTED else ():
        if inner.startswith("@"):
            name = re.match(r"@([\w-]*)", inner)
            if _holds(name.group(1).lower() if name else "", inner):
                yield from _flattened(selector, inner_block, depth + 1)
            continue
        combined = ",".join(
            nested.replace("&", outer) if "&" in nested else f"{outer} {nested}"
            for outer in _alternatives(selector)[:_NESTED_SELECTORS]
            for nested in _alternatives(inner)[:_NESTED_SELECTORS]
        )
        if len(combined) < 20_000:
            yield from _flattened(combined, inner_block, depth + 1)


def _holds(name: str, prelude: str) -> bool:
    if name == "media":
        return _is_for_screen(prelude[6:])
    return name in ("supports", "layer", "document", "-moz-document")


def _is_for_screen(media: str) -> bool:
    """Return whether a media query holds for the window of a computer; one that is not understood does not."""
    return any(_query_holds(query.strip().lower()) for query in media.split(",")[:50])


def _query_holds(query: str) -> bool:
    kind = re.match(r"(?:only\s+)?(all|screen)?\b", query)
    conditions = query[kind.end() :] if kind else query
    if re.match(r"not\s+(?:print|speech|aural)\b", query):
        return True
    for part in re.split(r"\band\b", conditions):
        part = part.strip()
        if not part:
            continue
        feature = re.match(r"\(\s*(min|max)-(?:device-)?(width|height)\s*:\s*([0-9.]+)(px|r?em)?\s*\)$", part)
        if feature is None:
            return False
        size = float(feature.group(3).strip(".") or 0) * (16 if (feature.group(4) or "").endswith("em") else 1)
        actual = _SCREEN[feature.group(2) == "height"]
        if actual < size if feature.group(1) == "min" else actual > size:
            return False
    return True


# --- selectors -------------------------------------------------------------------------------------------------------

_PART = re.compile(
    r"\s*(?P<relation>[>+~])\s*|(?P<blank>\s+)|(?P<any>\*)|(?P<mark>[.#])(?P<name>(?:[\w-]|[^\x00-\x7f]|\\.)+)"
    r"|(?P<tag>[a-zA-Z][\w-]*)|\[\s*(?P<attribute>[\w:-]+)\s*(?:(?P<operator>[~|^$*]?=)\s*"
    r"(?P<value>\"[^\"]*\"|'[^']*'|[^\]\s]+)\s*[is]?\s*)?\]|:(?P<pseudo>[a-z-]+)(?:\((?P<arguments>[^()]*)\))?"
)


@dataclass(slots=True)
class _Compound:
    """The conditions that one element must meet."""

    tag: str = ""
    id: str = ""
    classes: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    pseudo: list[str] = field(default_factory=list)
    without: list[_Compound] = field(default_factory=list)
    places: list[tuple[str, int]] = field(default_factory=list)  # among its siblings: from which side, and the number

    @property
    def key(self) -> str:
        """What an element must have so that it is worth looking further."""
        return f"#{self.id}" if self.id else self.classes[0] if self.classes else self.tag or "*"

    def fits(self, element: Element) -> bool:
        """Return whether an element meets them all."""
        if self.tag and self.tag != element.tag.lower():
            return False
        if self.id and (element.attributes.get("id") or "").lower() != self.id:
            return False
        for name in self.classes:
            if name not in element.classes:
                return False
        for name, operator, value in self.attributes:
            if name not in element.attributes or not _compares(element.attributes[name] or "", operator, value):
                return False
        for name in self.pseudo:
            if not _PSEUDO[name](element):
                return False
        for place, number in self.places:
            if not _is_at(element, place, number):
                return False
        return not any(excluded.fits(element) for excluded in self.without)


# The child of a number from either side, or the first and last of its tag; steps ("2n+1") are not told.
_PLACE = re.compile(r"nth-(?:last-)?(?:child|of-type)|(?:first|last)-of-type")
_PSEUDO: dict[str, Callable[[Element], bool]] = {
    "first-child": lambda element: next(_siblings(element.node, "prev"), None) is None,
    "last-child": lambda element: _is_last(element.node),
    "only-child": lambda element: next(_siblings(element.node, "prev"), None) is None and _is_last(element.node),
    "root": lambda element: element.tag == "html",
    "checked": lambda element: "checked" in element.attributes or "selected" in element.attributes,
    "disabled": lambda element: "disabled" in element.attributes,
    "enabled": lambda element: "disabled" not in element.attributes,
    "link": lambda element: element.tag == "a" and "href" in element.attributes,
    "any-link": lambda element: element.tag == "a" and "href" in element.attributes,
    "empty": lambda element: element.node.first_child is None,
}


def _is_last(node: Any) -> bool:
    return next(_siblings(node, "next"), None) is None


def _is_at(element: Element, place: str, number: int) -> bool:
    """Return whether an element is the one of that number among its siblings, or among those of its tag."""
    side = "next" if "last" in place else "prev"
    count = 0
    for sibling in _siblings(element.node, side):
        count += not place.endswith("type") or sibling.tag == element.tag
        if count >= number:
            return False
    return count == number - 1


def _compares(actual: str, operator: str, value: str) -> bool:
    match operator:
        case "":
            return True
        case "=":
            return actual == value
        case "~=":
            return value in actual.split()
        case "|=":
            return actual == value or actual.startswith(f"{value}-")
        case "^=":
            return bool(value) and actual.startswith(value)
        case "$=":
            return bool(value) and actual.endswith(value)
    return bool(value) and value in actual


def _alternatives(selector: str) -> list[str]:
    if "(" not in selector and "[" not in selector:
        return [part.strip() for part in selector.split(",")]
    return [
        part.strip() for part in re.findall(r"(?:[^,()\[\]]|\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])+", selector)
    ]


_ANY = re.compile(r":(?:is|where|-webkit-any|-moz-any|matches)\(([^()]*)\)")
_CHOICES = 400  # of one list of selectors
_COMPOUND = re.compile(r"[^\s>+~]*\Z")


def _expanded(selector: str) -> Iterator[str]:
    """Yield the selectors of a list, one for each choice that ':is' and ':where' leave."""
    waiting = _alternatives(selector)[::-1]
    choices = 0
    while waiting:
        text = waiting.pop()
        match = _ANY.search(text) if "(" in text else None
        if match is None:
            yield text
            continue
        compound = _COMPOUND.search(text, 0, match.start())
        start = compound.start() if compound else match.start()
        for choice in [part.strip() for part in match[1].split(",")][:_NESTED_SELECTORS]:
            choices += 1
            if not choice or choices > _CHOICES or (start < match.start() and re.search(r"[\s>+~]", choice)):
                continue
            if choice[0].isalpha() or choice[0] == "*":  # a tag is first
                waiting.append(f"{text[:start]}{choice}{text[start : match.start()]}{text[match.end() :]}")
            else:
                waiting.append(f"{text[: match.start()]}{choice}{text[match.end() :]}")


@lru_cache(maxsize=5_000)
def compile_selector(text: str) -> tuple[tuple[str, _Compound], ...] | None:
    """Return the parts of a selector from its subject outwards; None if it is not understood or waits for a pointer."""
    if not text or len(text) > _SELECTOR:
        return None
    compounds: list[tuple[str, _Compound]] = [("", _Compound())]
    offset = 0
    while offset < len(text):
        match = _PART.match(text, offset)
        if match is None or match.end() == offset:
            return None
        offset = match.end()
        last = compounds[-1][1]
        if match["relation"] or match["blank"]:
            if offset >= len(text) or len(compounds) > 12:
                return None
            compounds.append((match["relation"] or " ", _Compound()))
        elif match["mark"]:
            name = _ESCAPE.sub(_unescape, match["name"]).lower()
            if match["mark"] == "#":
                last.id = name
            else:
                last.classes.append(f".{name}")
        elif match["tag"]:
            last.tag = match["tag"].lower()
        elif match["attribute"]:
            value = (match["value"] or "").strip("\"'")
            last.attributes.append((match["attribute"].lower(), match["operator"] or "", value))
        elif match["pseudo"] and not _add_pseudo(last, match["pseudo"], match["arguments"]):
            return None
    # Each part says how it stands to the one that follows it in the text.
    relations = [relation for relation, _ in compounds[1:]]
    outwards = [("", compounds[-1][1])]
    outwards += [
        (relation, compound) for relation, (_, compound) in zip(relations[::-1], compounds[-2::-1], strict=True)
    ]
    return tuple(outwards)


def _add_pseudo(compound: _Compound, name: str, arguments: str | None) -> bool:
    if _PLACE.fullmatch(name):
        number = "1" if arguments is None else arguments.strip()
        if (arguments is None) is name.startswith("nth") or not re.fullmatch(r"[1-9]\d?", number):
            return False
        compound.places.append((name, int(number)))
        return True
    if arguments is None:
        if name not in _PSEUDO:
            return False
        compound.pseudo.append(name)
        return True
    if name == "not":
        for text in _alternatives(arguments):
            if re.fullmatch(r":(?:hover|focus|active|visited|target|focus-within|focus-visible)", text):
                continue  # nobody is there who points at it
            parts = compile_selector(text)
            if parts is None or len(parts) != 1:
                return False
            compound.without.append(parts[0][1])
        return True
    if name in ("is", "where", "matches") and "," not in arguments:
        parts = compile_selector(arguments.strip())
        if parts is None or len(parts) != 1:
            return False
        inner = parts[0][1]
        compound.places += inner.places
        compound.tag = compound.tag or inner.tag
        compound.id = compound.id or inner.id
        compound.classes += inner.classes
        compound.attributes += inner.attributes
        compound.pseudo += inner.pseudo
        compound.without += inner.without
        return True
    return False


def _weight(parts: tuple[tuple[str, _Compound], ...]) -> tuple[int, int, int]:
    ids = classes = tags = 0
    for _, compound in parts:
        for part in (compound, *compound.without):
            ids += bool(part.id)
            classes += len(part.classes) + len(part.attributes) + len(part.pseudo) + len(part.places)
            tags += bool(part.tag)
    return ids, classes, tags
