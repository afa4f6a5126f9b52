"""The colours of marks on a page and in its text, made from the tokens.

Paper is white in every theme, so marks on a picture of a page always take the light tokens.
"""

from __future__ import annotations

from PySide6.QtGui import QColor

from core.domain import Label
from gui_app.shared import theme

_DEEPER = {  # hue of the light tint, strong enough to be seen behind black ink at a glance
    "supports": "#b5d5f0",
    "contradicts": "#f8cfaa",
    "neutral": "#d9d9d4",
    "ambiguous": "#dcc8f3",
}


def tone(stance: Label | None) -> QColor:
    """Return the line colour of a mark on the theme's own background."""
    return theme.tone(stance) if stance is not None else QColor(theme.tokens().accent)


def paper_tone(stance: Label | None) -> QColor:
    """Return the line colour of a mark on paper."""
    return QColor(getattr(theme.LIGHT, stance) if stance is not None else "#8a6d1a")


def paper_tint(stance: Label | None, *, strong: bool = False) -> QColor:
    """Return what is multiplied over the words of a mark on paper."""
    if stance is None:
        return QColor(theme.LIGHT.mark)
    return QColor(_DEEPER[stance] if strong else getattr(theme.LIGHT, f"{stance}_tint"))


def text_tint(stance: Label | None, *, strong: bool = False) -> QColor:
    """Return the background of a mark in the text view."""
    if stance is not None:
        return theme.tint(stance)
    colour = QColor(theme.tokens().mark)
    if theme.tokens().dark:
        colour.setAlpha(160)
    return colour


def paper_find() -> QColor:
    """Return what is multiplied over a hit of a search on paper."""
    return QColor(theme.LIGHT.mark)


def find() -> QColor:
    """Return the background of a hit of a search in the text view."""
    return text_tint(None)


def paper_selection() -> QColor:
    """Return what is multiplied over words picked by the person on paper."""
    return QColor("#c3daf5")
