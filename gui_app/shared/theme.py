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
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
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


LIGHT = Tokens(
    dark=False,
    background="#f5f5f2",
    surface="#ffffff",
    raised="#fbfbf9",
    line="#e1e1dc",
    strong_line="#8b8f94",
    disabled="#8b8f94",
    text="#1c1e21",
    muted="#5c6168",
    accent="#1f5fae",
    on_accent="#ffffff",
    selection="#dce8f7",
    focus="#1f5fae",
    supports="#1a63a8",
    contradicts="#a84b08",
    neutral="#646970",
    ambiguous="#7446ad",
    supports_tint="#dcebf8",
    contradicts_tint="#fbe6d4",
    neutral_tint="#ebebe8",
    ambiguous_tint="#eee5f8",
    mark="#ffe28a",
)
DARK = Tokens(
    dark=True,
    background="#16181b",
    surface="#1d2024",
    raised="#23272c",
    line="#31363c",
    strong_line="#7d858e",
    disabled="#7d858e",
    text="#e7e8e9",
    muted="#a0a6ad",
    accent="#82b4f2",
    on_accent="#10151b",
    selection="#263f5e",
    focus="#82b4f2",
    supports="#7dbaf3",
    contradicts="#f0a368",
    neutral="#a3a9b0",
    ambiguous="#c2a5f3",
    supports_tint="#1b3550",
    contradicts_tint="#4a2e17",
    neutral_tint="#30343a",
    ambiguous_tint="#392b52",
    mark="#8a6d1a",
)
CONTRAST = Tokens(
    dark=True,
    background="#000000",
    surface="#000000",
    raised="#0d0d0d",
    line="#8c8c8c",
    strong_line="#ffffff",
    disabled="#8c8c8c",
    text="#ffffff",
    muted="#d6d6d6",
    accent="#7cc4ff",
    on_accent="#000000",
    selection="#004a8f",
    focus="#ffe14d",
    supports="#7cc4ff",
    contradicts="#ffb066",
    neutral="#e0e0e0",
    ambiguous="#dcb8ff",
    supports_tint="#00305c",
    contradicts_tint="#5c2c00",
    neutral_tint="#3a3a3a",
    ambiguous_tint="#3f1b66",
    mark="#8a6d00",
)


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
    """Return how many lines of a text a row of a list shows: ``least`` where rows stand close, else one more."""
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
    in_serif = [(part, part.font()) for part in app.allWidgets() if part.font().family() == SERIF]
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
            font = widget.font()
            for kind in (QEvent.Type.Polish, QEvent.Type.StyleChange):
                QApplication.sendEvent(widget, QEvent(kind))
            if font.family() == SERIF:
                widget.setFont(font)
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


# --- style sheet -----------------------------------------------------------------------------------------------------
# Widgets say what they are by the properties `role` (labels: title, heading, muted, small, mono) and `kind` (buttons:
# primary, quiet, chip; frames: panel, bar, notice); the sheet says what that looks like.

_SHEET = """
* { outline: none; }
QMainWindow, QDialog { background: $background; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 4px 8px; }
QLabel { background: transparent; }
QLabel[role="title"] { font-size: ${title}px; font-weight: 600; }
QLabel[role="heading"] { font-size: ${large}px; font-weight: 600; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="small"] { color: $muted; font-size: ${small}px; }
QLabel[role="section"] { color: $muted; font-size: ${small}px; font-weight: 600; }
QLabel[role="mono"] { font-size: ${small}px; color: $muted; }
QLabel[tone="supports"] { color: $supports; font-weight: 600; }
QLabel[tone="contradicts"] { color: $contradicts; font-weight: 600; }
QLabel[tone="neutral"] { color: $neutral; font-weight: 600; }
QLabel[tone="ambiguous"] { color: $ambiguous; font-weight: 600; }
QFrame[kind="panel"] { background: $raised; border: none; }
QFrame[kind="surface"] { background: $surface; border: none; }
QFrame[kind="bar"] { background: $background; border: none; }
QFrame[kind="notice"] { background: $contradicts_tint; border: none; border-left: 3px solid $contradicts; }
QFrame[kind="note"] { background: $supports_tint; border: none; border-left: 3px solid $supports; }
QFrame[kind="toast"] { background: $text; border: none; border-radius: 6px; }
QFrame[kind="toast"] QLabel { color: $background; }
QFrame[kind="toast"] QPushButton { background: transparent; border: 1px solid transparent; color: $background;
  font-weight: 600; text-decoration: underline; }
QFrame[kind="toast"] QPushButton:focus { border-color: $background; }
QFrame[kind="popup"] { background: $surface; border: 1px solid $strong_line; border-radius: 8px; }
QFrame[kind="hline"] { background: $line; border: none; max-height: 1px; min-height: 1px; }
QFrame[kind="vline"] { background: $line; border: none; max-width: 1px; min-width: 1px; }

QPushButton { background: $surface; color: $text; border: 1px solid $line; border-radius: 5px; padding: 5px 12px;
  min-height: 18px; }
QPushButton:hover { background: $raised; border-color: $strong_line; }
QPushButton:pressed { background: $selection; }
QPushButton:focus { border: 1px solid $focus; }
QPushButton:disabled { color: $muted; background: transparent; border-color: $line; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[kind="primary"]:hover { background: $supports; border-color: $supports; }
QPushButton[kind="primary"]:focus { border: 2px solid $text; padding: 4px 11px; }
QPushButton[kind="primary"]:disabled { background: $neutral_tint; color: $muted; border-color: $neutral_tint; }
QPushButton[kind="quiet"] { background: transparent; border: 1px solid transparent; padding: 4px 8px; }
QPushButton[kind="quiet"]:hover { background: $selection; }
QPushButton[kind="quiet"]:checked { background: $selection; font-weight: 600; }
QPushButton[kind="quiet"]:focus { border: 1px solid $focus; }
QPushButton[kind="chip"] { background: transparent; border: 1px solid $line; border-radius: 11px; padding: 2px 10px;
  font-size: ${small}px; color: $muted; min-height: 16px; }
QPushButton[kind="chip"]:hover { color: $text; border-color: $strong_line; }
QPushButton[kind="chip"]:focus { border: 1px solid $focus; color: $text; }
QPushButton[kind="segment"] { border-radius: 0; padding: 4px 12px; margin-left: -1px; }
QPushButton[kind="segment"][first="true"] { margin-left: 0; }
QPushButton[kind="segment"]:checked { background: $selection; font-weight: 600; }
QPushButton[kind="field"] { background: $surface; color: $muted; text-align: left; border: 1px solid $line;
  border-radius: 6px; padding: 5px 10px; }
QPushButton[kind="field"]:hover { border-color: $strong_line; }
QPushButton[kind="field"]:focus { border: 1px solid $focus; }

QToolButton { background: transparent; border: 1px solid transparent; border-radius: 5px; padding: 4px; color: $text; }
QToolButton:hover { background: $selection; }
QToolButton:checked { background: $selection; }
QToolButton:focus { border: 1px solid $focus; }
QToolButton::menu-indicator { image: none; }
QToolButton[kind="rail"] { border-radius: 6px; padding: 6px 2px 5px 2px; color: $muted; font-size: ${small}px; }
QToolButton[kind="rail"]:hover { background: transparent; border-color: $strong_line; color: $text; }
QToolButton[kind="rail"]:checked { background: $selection; color: $text; font-weight: 600;
  border-left: 3px solid $accent; padding-left: 0; }
QToolButton[kind="rail"]:focus { border-color: $focus; }
QToolButton[kind="rail"]:disabled { color: $disabled; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox { background: $surface; color: $text;
  border: 1px solid $line; border-radius: 5px; padding: 5px 8px; selection-background-color: $selection;
  selection-color: $text; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {
  border: 1px solid $focus; }
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled { color: $muted; background: transparent; }
QPlainTextEdit[kind="field"] { border: 1px solid $line; border-radius: 5px; padding: 1px 4px; }
QPlainTextEdit[kind="field"]:focus { border: 1px solid $focus; }
QLineEdit[kind="plain"] { border: none; background: transparent; padding: 4px; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { image: url($caret); width: 11px; height: 11px; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $line; selection-background-color: $selection;
  selection-color: $text; }

QAbstractScrollArea { background: $surface; border: none; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; }
QTableView, QListView, QTreeView { background: $surface; alternate-background-color: $raised; border: none;
  gridline-color: $line; selection-background-color: $selection; selection-color: $text; }
QTableView::item { padding: 0 8px; border-bottom: 1px solid $line; }
QTableView::item:selected, QListView::item:selected, QTreeView::item:selected { background: $selection; color: $text; }
QTableView:focus, QListView:focus, QTreeView:focus { border: 1px solid $focus; }
QTableView, QListView, QTreeView { border: 1px solid transparent; }
QHeaderView { background: $surface; }
QHeaderView::section { background: $surface; color: $muted; border: none; border-bottom: 1px solid $line;
  padding: 6px 11px; font-size: ${small}px; font-weight: 600; }
QTableCornerButton::section { background: $surface; border: none; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $strong_line; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSplitter::handle { background: $line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QMenu { background: $surface; border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 4px 24px 4px 12px; border-radius: 4px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $disabled; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: $line; margin: 4px 8px; }
QMenuBar { background: $background; color: $text; }
QMenuBar::item { padding: 4px 10px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: $selection; }
QProgressBar { background: $neutral_tint; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QCheckBox { spacing: 8px; }
QCheckBox::indicator, QTableView::indicator, QListView::indicator { width: 14px; height: 14px; border-radius: 3px;
  border: 1px solid $strong_line; background: $surface; }
QCheckBox::indicator:checked, QTableView::indicator:checked, QListView::indicator:checked { background: $accent;
  border-color: $accent; image: url($tick); }
QCheckBox::indicator:disabled, QTableView::indicator:disabled { border-color: $line; }
QRadioButton { spacing: 8px; }
QRadioButton::indicator { width: 14px; height: 14px; border-radius: 8px; border: 1px solid $strong_line;
  background: $surface; }
QRadioButton::indicator:checked { width: 8px; height: 8px; border: 4px solid $accent; background: $on_accent; }
/* No wider than without the focus: what it grew by would be cut off the text. */
QCheckBox::indicator:focus { border: 2px solid $focus; width: 12px; height: 12px; }
QCheckBox:focus, QRadioButton:focus { color: $accent; text-decoration: underline; }
QTabBar::tab { background: transparent; color: $muted; border: none; border-bottom: 2px solid transparent;
  padding: 6px 12px; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { color: $accent; }
"""


def _style_sheet(t: Tokens) -> str:
    sheet = _SHEET
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
