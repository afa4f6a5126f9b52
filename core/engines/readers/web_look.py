"""How the text of a web page looks, element by element: why it is not seen, whether it is struck or raised."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from core.engines.readers import web_styles

_WITHOUT_SHIFT = {"td", "th", "div", "p", "li", "ul", "ol", "table", "tr", "section", "article", "h1", "h2", "h3", "dl"}
INLINE = {"a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "mark", "small", "span", "strong", "tt", "u"}


@dataclass(frozen=True, slots=True)
class Look:
    """How the text under an element looks: why it is not seen, and what it has from around it."""

    why: str = ""  # why nothing under an element is seen
    is_of_sheet: bool = False  # whether a style sheet hides it
    is_invisible: bool = False
    is_tiny: bool = False
    ink: Any = None  # None: not stated
    ground: web_styles.Rgb | None = None
    picture: bool = False  # whether something is behind it whose colour is not known
    is_struck: bool = False
    shift: str = ""  # "raised", "lowered"
    keeps_lines: bool = False

    @property
    def may_be_undone(self) -> bool:
        """Whether a style of an inner element can take back what hides or sets this text."""
        return self.is_invisible or self.is_tiny or self.keeps_lines or self.ink is not None

    @property
    def reason(self) -> str:
        """Why the text is not seen, with its colour held against the ground: white where a page states none."""
        if self.why:
            return self.why
        if self.is_invisible:
            return "unseen"
        if self.is_tiny:
            return "tiny"
        if self.ink is None or self.picture:
            return ""
        if self.ink == "transparent":
            return "transparent"
        return "colour" if web_styles.alike(self.ink, self.ground or (255, 255, 255)) else ""


def styled(look: Look, tag: str, style: web_styles.Style, *, is_of_sheet: bool) -> Look:
    """Return a look with what a style changes of it."""
    if not style:
        return look
    changes: dict[str, Any] = {}
    # Sheets hide a page as a whole only until its scripts have run.
    is_page = is_of_sheet and tag in ("html", "body")
    reason = "" if is_page or look.why else web_styles.hiding(style)
    if reason:
        changes |= {"why": reason, "is_of_sheet": is_of_sheet}
    if "visibility" in style and not is_page:
        changes |= {"is_invisible": style["visibility"] and not style.get("animated"), "is_of_sheet": is_of_sheet}
    if "size" in style:
        changes["is_tiny"] = style["size"] == "tiny"
    if "ink" in style:
        changes["ink"] = style["ink"]
    if style.get("painted"):
        changes["ink"] = None
    if "ground" in style:
        changes |= {"ground": style["ground"], "picture": style["ground"] is None}
    elif style.get("position") in ("absolute", "fixed"):
        changes["picture"] = True
    if style.get("struck"):
        changes["is_struck"] = True
    if style.get("shift") and tag not in _WITHOUT_SHIFT:
        changes["shift"] = style["shift"]
    elif style.get("rise") and style.get("position") == "relative" and tag in INLINE:
        changes["shift"] = style["rise"]
    if "lines" in style:
        changes["keeps_lines"] = style["lines"]
    # Most styles say what holds anyway, and to make a copy costs more than to look.
    is_new = any(getattr(look, name) != setting for name, setting in changes.items())
    return replace(look, **changes) if is_new else look
