"""How the window looks: one token table a theme, and everything made from it (palette, style sheet, fonts, icons).

Nobody else names a colour. Tones of evidence run from blue (consistent) to orange (inconsistent), with grey for neutral
and purple for ambiguous: never red against green, and always beside a letter or a word.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import Literal

from PySide6.QtCore import QByteArray, QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QLabel, QWidget
from shiboken6 import isValid

from core.domain import Label, Rating
from core.paths import RESOURCES

Theme = Literal["system", "light", "dark", "contrast"]
THEMES: dict[Theme, str] = {"system": "System", "light": "Light", "dark": "Dark", "contrast": "High contrast"}
Density = Literal["compact", "comfortable"]
DENSITIES: dict[Density, str] = {"compact": "Compact", "comfortable": "Comfortable"}

SANS = "Inter"
SERIF = "Source Serif Pro"
SMALL, BODY, LARGE, TITLE = 11, 13, 15, 20  # pixels at the default text size


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme. A ``*_tint`` is a background on which ``text`` can be read."""

    dark: bool
    background: str
    surface: str
    raised: str
    line: str
    strong_line: str
    disabled: str  # words and icons of what cannot be used now
    text: str
    muted: str
    accent: str
    on_accent: str
    selection: str
    focus: str
    supports: str
    contradicts: str
    neutral: str
    ambiguous: str
    supports_tint: str
    contradicts_tint: str
    neutral_tint: str
    ambiguous_tint: str
    mark: str  # behind a quote on a page, drawn multiplied or half transparent


# Of each colour its shade in the light theme, the dark one, and that of high contrast.
_SHADES = {
    "background": "#f5f5f2 #16181b #000000",
    "surface": "#ffffff #1d2024 #000000",
    "raised": "#fbfbf9 #23272c #0d0d0d",
    "line": "#e1e1dc #31363c #8c8c8c",
    "strong_line": "#8b8f94 #7d858e #ffffff",
    "disabled": "#8b8f94 #7d858e #8c8c8c",
    "text": "#1c1e21 #e7e8e9 #ffffff",
    "muted": "#5c6168 #a0a6ad #d6d6d6",
    "accent": "#1f5fae #82b4f2 #7cc4ff",
    "on_accent": "#ffffff #10151b #000000",
    "selection": "#dce8f7 #263f5e #004a8f",
    "focus": "#1f5fae #82b4f2 #ffe14d",
    "supports": "#1a63a8 #7dbaf3 #7cc4ff",
    "contradicts": "#a84b08 #f0a368 #ffb066",
    "neutral": "#646970 #a3a9b0 #e0e0e0",
    "ambiguous": "#7446ad #c2a5f3 #dcb8ff",
    "supports_tint": "#dcebf8 #1b3550 #00305c",
    "contradicts_tint": "#fbe6d4 #4a2e17 #5c2c00",
    "neutral_tint": "#ebebe8 #30343a #3a3a3a",
    "ambiguous_tint": "#eee5f8 #392b52 #3f1b66",
    "mark": "#ffe28a #8a6d1a #8a6d00",
}


def _tokens(theme: int, *, dark: bool) -> Tokens:
    return Tokens(dark=dark, **{name: shades.split()[theme] for name, shades in _SHADES.items()})


LIGHT, DARK, CONTRAST = _tokens(0, dark=False), _tokens(1, dark=True), _tokens(2, dark=True)


class _State(QObject):
    """The theme in force. ``changed`` comes after palette, style sheet and icons are in place."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.tokens = LIGHT
        self.theme: Theme = "system"
        self.density: Density = "compact"
        self.scale = 1.0
        self.dressed_at = 1.0
        self.fonts_loaded = False
        self.late: list[_Late] = []


_state = _State()
changed = _state.changed


def tokens() -> Tokens:
    """Return the colours in force. Ask again at every painting: they change with the theme."""
    return _state.tokens


def tone(label: Label) -> QColor:
    """Return the colour of a verdict."""
    return QColor(getattr(_state.tokens, label))


def tint(label: Label) -> QColor:
    """Return the background of a verdict."""
    return QColor(getattr(_state.tokens, f"{label}_tint"))


_RATING_LABEL: dict[Rating, Label] = {
    "CC": "supports",
    "C": "supports",
    "N": "neutral",
    "I": "contradicts",
    "II": "contradicts",
    "NA": "neutral",
}


def rating_label(rating: Rating) -> Label:
    """Return which tone a rating has: consistent is blue, inconsistent orange."""
    return _RATING_LABEL[rating]


def px(size: int) -> int:
    """Scale a text size in pixels to the person's text size."""
    return round(size * _state.scale)


def sans(size: int = BODY, *, bold: bool = False) -> QFont:
    """Return the interface's font, with figures of equal width."""
    return _font(SANS, size, bold)


def serif(size: int = LARGE, *, bold: bool = False, italic: bool = False) -> QFont:
    """Return the font of a document's own words, and of nothing else."""
    font = _font(SERIF, size, bold)
    font.setItalic(italic)
    return font


def _font(family: str, size: int, bold: bool) -> QFont:
    font = QFont(family)
    font.setPixelSize(px(size))
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def apply(app: QApplication, theme: Theme, *, text_size: int = BODY, density: str = "") -> None:
    """Put a theme in force on the whole program. 'system' follows the desktop, now and later."""
    _state.theme = theme
    if density in DENSITIES:
        _state.density = density
    _state.scale = max(0.7, min(2.5, text_size / BODY))
    if not _state.fonts_loaded:
        _state.fonts_loaded = True
        for file in sorted((RESOURCES / "fonts").glob("*.[ot]tf")):
            QFontDatabase.addApplicationFont(str(file))
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(lambda _scheme: _dress(app))
    hints = app.styleHints()
    if theme == "system":
        hints.unsetColorScheme()
    else:
        hints.setColorScheme(Qt.ColorScheme.Light if theme == "light" else Qt.ColorScheme.Dark)
    _dress(app)


def theme() -> Theme:
    """Return the theme that the person chose."""
    return _state.theme


def density() -> Density:
    """Return how close the rows of tables and lists stand: in the matrix 'compact' gives each one line."""
    return _state.density


def row_height() -> int:
    """Return the height of a row of one line in a table, in pixels."""
    return px(28 if _state.density == "compact" else 40)


def air() -> int:
    """Return the pixels above and below the words of a row in a list, besides those that are always there."""
    return 0 if _state.density == "compact" else px(6)


def lines(least: int) -> int:
    """Return how many lines of a text a row of a list shows: ``least`` where rows are close, else one more."""
    return least if _state.density == "compact" else least + 1


def set_density(value: Density) -> None:
    """Have the rows of tables and lists stand closer, or less close."""
    if value != _state.density:
        _state.density = value
        changed.emit()


def _tokens_in_force() -> Tokens:
    hints = QGuiApplication.styleHints()
    if _state.theme == "light":
        return LIGHT
    if _state.theme == "dark":
        return DARK
    if _state.theme == "contrast":
        return CONTRAST
    if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
        return CONTRAST
    return DARK if hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT


def _dress(app: QApplication) -> None:
    _state.tokens = _tokens_in_force()
    # Qt gives every widget the program's font again with a new style sheet: the document's own words keep theirs.
    widgets = app.allWidgets()
    in_serif = [(part, part.font()) for part in widgets if part.font().family() == SERIF]
    framed = [(part, part.contentsMargins()) for part in widgets if isinstance(part, QFrame)]
    waiting = [widget for late in _late_parts() if late.waits() for widget in _all_of(late.part)]
    for widget in waiting:  # Qt passes over what is not polished, and tells nothing to what has a style of its own
        widget.setAttribute(Qt.WidgetAttribute.WA_WState_Polished, False)
        widget.setAttribute(Qt.WidgetAttribute.WA_SetStyle, True)
    # Without a sheet in between, Qt polishes each widget once for itself and once for every widget around it.
    app.setStyleSheet("")
    app.setPalette(_palette(_state.tokens))
    app.setFont(sans())
    app.setStyleSheet(_style_sheet(_state.tokens))
    for widget in waiting:
        widget.setAttribute(Qt.WidgetAttribute.WA_SetStyle, False)
    for part, font in in_serif:
        font.setPixelSize(round(font.pixelSize() * _state.scale / _state.dressed_at))
        part.setFont(font)
    for part, margins in framed:  # which a frame gives up with its style
        if not margins.isNull():
            part.setContentsMargins(margins)
    _state.dressed_at = _state.scale
    for window in app.topLevelWidgets():
        for child in window.findChildren(QObject):
            name = child.property("icon_name")
            if name:
                _put(child, str(name))
        window.update()
    changed.emit()


class _Late(QObject):
    """A part of the window that takes over a new style sheet when it is shown, and not while it is hidden.

    Most of the widgets are hidden, and each costs a tenth of a millisecond.
    """

    def __init__(self, part: QWidget) -> None:
        super().__init__(part)
        self.part = part
        self._stale = False
        part.installEventFilter(self)

    def waits(self) -> bool:
        """Return whether the part is hidden, and takes over the sheet that comes now at its next showing."""
        self._stale = self._stale or not self.part.isVisible()
        return self._stale

    def eventFilter(self, _source: QObject, event: QEvent) -> bool:
        if self._stale and event.type() == QEvent.Type.Show:
            self._stale = False
            _polish(self.part)
        return False


def dress_when_shown(part: QWidget) -> None:
    """Have a part of the window that is often hidden take over new colours and sizes when it is shown."""
    _state.late.append(_Late(part))


def _late_parts() -> list[_Late]:
    _state.late = [late for late in _state.late if isValid(late)]
    return _state.late


def _all_of(part: QWidget) -> list[QWidget]:
    return [part, *part.findChildren(QWidget)]


def _polish(part: QWidget) -> None:
    for widget in _all_of(part):
        if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            font, margins = widget.font(), widget.contentsMargins()
            for kind in (QEvent.Type.Polish, QEvent.Type.StyleChange):
                QApplication.sendEvent(widget, QEvent(kind))
            if font.family() == SERIF:
                widget.setFont(font)
            widget.setContentsMargins(margins)
            widget.updateGeometry()


def _palette(t: Tokens) -> QPalette:
    roles = QPalette.ColorRole
    palette = QPalette()
    for role, colour in (
        (roles.Window, t.background),
        (roles.WindowText, t.text),
        (roles.Base, t.surface),
        (roles.AlternateBase, t.raised),
        (roles.Text, t.text),
        (roles.Button, t.surface),
        (roles.ButtonText, t.text),
        (roles.BrightText, t.text),
        (roles.ToolTipBase, t.raised),
        (roles.ToolTipText, t.text),
        (roles.PlaceholderText, t.muted),
        (roles.Highlight, t.selection),
        (roles.HighlightedText, t.text),
        (roles.Link, t.accent),
        (roles.LinkVisited, t.accent),
        (roles.Accent, t.accent),
        (roles.Light, t.raised),
        (roles.Midlight, t.line),
        (roles.Mid, t.line),
        (roles.Dark, t.strong_line),
        (roles.Shadow, t.line),
    ):
        palette.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        faint = QColor(t.muted)
        faint.setAlpha(150)
        palette.setColor(QPalette.ColorGroup.Disabled, role, faint)
    return palette


# --- icons -----------------------------------------------------------------------------------------------------------


def icon(name: str, colour: str = "") -> QIcon:
    """Return the SVG of that name in the text's colour (or the given one), sharp at any scale."""
    t = _state.tokens
    qicon = QIcon()
    for size in (16, 20, 24, 32, 48):
        qicon.addPixmap(_picture(name, colour or t.text, size), QIcon.Mode.Normal)
        qicon.addPixmap(_picture(name, t.disabled, size), QIcon.Mode.Disabled)
    return qicon


def pixmap(name: str, size: int, colour: str = "", *, ratio: float = 1.0) -> QPixmap:
    """Return an icon as a picture of ``size`` pixels."""
    picture = _picture(name, colour or _state.tokens.text, round(size * ratio))
    copy = QPixmap(picture)
    copy.setDevicePixelRatio(ratio)
    return copy


def set_icon(target: QAction | QAbstractButton | QLabel, name: str) -> None:
    """Set an icon of ``target`` that follows the theme."""
    target.setProperty("icon_name", name)
    _put(target, name)


def _put(target: QObject, name: str) -> None:
    if isinstance(target, QLabel):
        ratio = target.devicePixelRatioF()
        target.setPixmap(pixmap(name, 16, _state.tokens.muted, ratio=ratio))
    elif isinstance(target, QAction | QAbstractButton):
        target.setIcon(icon(name))


@cache
def _picture(name: str, colour: str, size: int) -> QPixmap:
    """Tint the shape in one colour: an icon is drawn once, and tinted for each theme."""
    picture = QPixmap(_shape(name, size))
    painter = QPainter(picture)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(picture.rect(), QColor(colour))
    painter.end()
    return picture


@cache
def _shape(name: str, size: int) -> QPixmap:
    drawing = (RESOURCES / "icons" / f"{name}.svg").read_text("utf-8").replace("currentColor", "#000000")
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    picture = QPixmap(QSize(size, size))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture


def _style_sheet(t: Tokens) -> str:
    sheet = (RESOURCES / "style" / "window.qss").read_text("utf-8")
    shade = "dark" if t.dark else "light"
    values = {
        **{name: str(value) for name, value in asdict(t).items()},
        "tick": (RESOURCES / "icons" / f"tick-{shade}.svg").as_posix(),
        "caret": (RESOURCES / "icons" / f"caret-{shade}.svg").as_posix(),
        "{small}": str(px(SMALL)),
        "{large}": str(px(LARGE)),
        "{title}": str(px(TITLE)),
    }
    for name in sorted(values, key=len, reverse=True):
        sheet = sheet.replace(f"${name}", values[name])
    return sheet
