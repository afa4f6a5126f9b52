"""The frame: rail, ranking, centre, detail, strip; commands of the whole window; ways back and forward."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QMargins, QObject, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from core import paths, settings
from core.domain import Changes, Document, Evidence, Passage, Proposal
from core.errors import (
    AppError,
    CannotRunHere,
    CaseCorrupt,
    CaseMoved,
    CaseUnfinished,
    DiskFull,
    IndexDamaged,
    ModelMissing,
    ModelUnreadable,
    SeveralMatrices,
)
from gui_app import focus, recent_cases, window_state
from gui_app.search import names_model_bar
from gui_app.session import CaseSession, verb_in_words
from gui_app.shared import file_dialogs
from gui_app.shared import theme as look
from gui_app.shared.command import Command
from gui_app.shared.formatting import counted, spoken_time
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.screen import Screen
from gui_app.shared.selected_cell import Cell
from gui_app.shell.command_palette import CommandPalette, Entry
from gui_app.shell.detail_panel import WIDTH as DETAIL_WIDTH
from gui_app.shell.detail_panel import DetailPanel
from gui_app.shell.error_banner import Notice
from gui_app.shell.guide_panel import GuidePanel
from gui_app.shell.matrix_import_banner import MatrixReport
from gui_app.shell.ranking_panel import HypothesesPanel
from gui_app.shell.task_strip import TaskStrip
from gui_app.shell.toast import Toast

if TYPE_CHECKING:
    from core.documents.importing import ImportReport
    from core.matrix.service import MatrixImport
    from core.progress import Progress
    from core.store import Restored
    from core.verdicts.labels import ModelCard
    from gui_app.shell.steps_card import StepsCard

RAIL = 84
FOLD_BELOW = 1240  # pixels: under this the ranking folds to letters by itself
HIDE_DETAIL_BELOW = 940
ROOM_FOR_ALL = 1680  # screen, viewer and details side by side
STEPS_BACK = 100
_TEXT_FIELDS = (QLineEdit, QPlainTextEdit, QTextEdit)
WARM_UP_MS = 120
SETTLE_MS = 120  # a person running through a list is not shown every page on the way
FRAMED_MS = 300
USUAL, SMALLEST = QSize(1440, 900), QSize(820, 560)
FRAME = QMargins(8, 40, 8, 8)  # room for the frame, until the desktop has put one on


# --- screens: made at their first showing, so that the start page costs nothing but itself ---------------------------


def _start(session: CaseSession) -> Screen:
    from gui_app.start.screen import StartScreen

    return StartScreen(session)


def _documents(session: CaseSession) -> Screen:
    from gui_app.documents.screen import DocumentsScreen

    return DocumentsScreen(session)


def _hypotheses(session: CaseSession) -> Screen:
    from gui_app.hypotheses.screen import HypothesesScreen

    return HypothesesScreen(session)


def _search(session: CaseSession) -> Screen:
    from gui_app.search.screen import SearchScreen

    return SearchScreen(session)


def _review(session: CaseSession) -> Screen:
    from gui_app.review.screen import ReviewScreen

    return ReviewScreen(session)


def _matrix(session: CaseSession) -> Screen:
    from gui_app.matrix.screen import MatrixScreen

    return MatrixScreen(session)


def _report(session: CaseSession) -> Screen:
    from gui_app.report.screen import ReportScreen

    return ReportScreen(session)


def _viewer(session: CaseSession) -> Screen:
    from gui_app.viewer.screen import ViewerScreen

    return ViewerScreen(session)


def _ocr(session: CaseSession) -> Screen:
    from gui_app.ocr.screen import OcrScreen

    return OcrScreen(session)


def _models(session: CaseSession) -> Screen:
    from gui_app.models.screen import ModelsScreen

    return ModelsScreen(session)


def _offline(session: CaseSession) -> Screen:
    from gui_app.offline.screen import OfflineScreen

    return OfflineScreen(session)


@dataclass(frozen=True, slots=True)
class Place:
    """A screen of the window: its name and icon in the rail, and how it is made."""

    name: str
    icon: str
    make: Callable[[CaseSession], Screen]
    needs_case: bool = True
    in_rail: bool = True


PLACES = (
    Place("Start", "start", _start, needs_case=False),
    Place("Documents", "documents", _documents),
    Place("Hypotheses", "hypotheses", _hypotheses),
    Place("Search", "search", _search),
    Place("Review", "review", _review),
    Place("Matrix", "matrix", _matrix),
    Place("Viewer", "viewer", _viewer),
    Place("OCR", "ocr", _ocr),
    Place("Report", "report", _report),
    Place("Models", "model", _models, needs_case=False, in_rail=False),
    Place("Offline", "offline", _offline, needs_case=False, in_rail=False),
)


@dataclass(frozen=True, slots=True)
class _Stop:
    """A place in the history: a screen and what it showed."""

    name: str
    state: Any


class _Screens(QStackedWidget):
    """The screens, one on show, as small as that one can be: Qt would keep the room of the widest free for all."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _at: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        shown = self.currentWidget()
        return shown.minimumSizeHint() if shown is not None else super().minimumSizeHint()


class MainWindow(QMainWindow):
    """One window, one case."""

    def __init__(self, session: CaseSession) -> None:
        super().__init__()
        self.session = session
        self._screens: dict[str, Screen] = {}
        self._places = {place.name: place for place in PLACES}
        self._current = ""
        self._stops: list[_Stop] = []
        self._at = -1
        self._travelling = False
        self._told = 0  # the decision that the toast on show can take back
        self._split: Screen | None = None
        self._folded_by_hand: bool | None = None
        self._detail_by_hand: bool | None = None
        self._closing = False
        self._young = False
        self._sample: Path | None = None  # one that was built in another folder
        self._key_went_to: QWidget | None = None
        self._field_with_keys: QWidget | None = None  # the text field that has the keys, or had them last
        self._beside: tuple[str, int, int, int] | None = None  # what the viewer beside the screen followed to
        self._beside_soon = QTimer(self)
        self._beside_soon.setSingleShot(True)
        self._beside_soon.setInterval(SETTLE_MS)
        self._beside_soon.timeout.connect(self._show_beside)
        self.setWindowTitle("Disconfirm")
        self.setAcceptDrops(True)
        self._make_actions()
        self._build()
        session.opened.connect(self._case_opened)
        session.changed.connect(self._case_changed)
        session.failed.connect(self.show_error)
        session.mended.connect(self._mended)
        session.told.connect(self._tell)
        self.toast.undo.connect(self._undo_told)
        session.dropped.connect(self.add_paths)
        session.restored.connect(self._restored)
        self.resize(USUAL)
        kept = window_state.geometry()
        if kept is not None:
            self.restoreGeometry(kept)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]
        self._fit_screen(FRAME)
        self._begun_with = self.size()
        self._case_opened()

    # --- building ----------------------------------------------------------------------------------------------------

    def _command(self, text: str, keys: list[str] | str, slot: Callable[[], object], icon: str = "") -> QAction:
        action = Command(text, self)
        wanted = [keys] if isinstance(keys, str) else keys
        action.setShortcuts([QKeySequence(key) for key in wanted if key])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _checked=False: slot())
        if icon:
            look.set_icon(action, icon)
        self.addAction(action)
        return action

    def _make_actions(self) -> None:
        command = self._command
        self.new_case = command("New case", "Ctrl+N", self._new_case, "add")
        self.open_case = command("Open case", "Ctrl+O", self._open_case, "case")
        self.open_sample = command("Open sample case", "", lambda: self.build_sample(), "sample")
        self.close_case = command("Close case", "Ctrl+W", self._close_case, "cross")
        self.save_copy = command("Save a copy of the case...", "", self._save_copy, "save")
        self.restore_backup = command("Restore from a backup...", "", self.show_backups, "undo")
        self.back_up = command("Make a backup now", "", self.session.back_up)
        self.rebuild_index = command("Rebuild the search index", "", self.session.rebuild_index)
        self.add_files = command("Add files", "Ctrl+I", self._add_files, "documents")
        self.add_folder = command("Add a folder", "Ctrl+Shift+I", self._add_folder, "folder")
        self.import_action = command("Import a matrix...", "", self._import_matrix, "matrix")
        self.undo_action = command("Undo", "Ctrl+Z", self.session.undo, "undo")
        self.redo_action = command("Redo", ["Ctrl+Shift+Z", "Ctrl+Y"], self.session.redo, "redo")
        self.palette_action = command("Search or command", "Ctrl+K", self.open_palette, "search")
        self.shortcuts_action = command("Shortcuts", ["F1", "Ctrl+/"], self.show_shortcuts, "keyboard")
        self.back_action = command("Back", "Alt+Left", self.back, "back")
        self.forward_action = command("Forward", "Alt+Right", self.forward, "forward")
        self.split_action = command("Viewer beside the screen", "F6", self.toggle_split, "split")
        self.fold_action = command("Collapse ranking", "F7", self._toggle_fold)
        self.detail_action = command("Show or hide the details", "F8", self._toggle_detail)
        self.guide_action = command("Guide: the eight steps", "F9", self._toggle_guide)
        self.settings_action = command("Case settings: blind rating, grades of sources", "Ctrl+,", self.show_settings)
        self.screen_actions: dict[str, QAction] = {}
        number = 0
        for place in PLACES:
            keys = ""
            if place.in_rail:
                number += 1
                keys = f"Ctrl+{number}"
            name = place.name
            aside = {"Offline": "Offline: every path used", "Models": "Models: language models, their roles and exams"}
            text = aside.get(name, f"Go to {name}")
            self.screen_actions[name] = command(text, keys, partial(self.go, name), place.icon)
        self.name_action = command("Your name", "", self._ask_name)
        self.model_action = command(
            "Choose the search model",
            "",
            lambda: self._choose_model("The folder of a search model", self.session.choose_search_model),
        )
        self.own_model_action = command(
            "Use the program's own search model", "", lambda: self.session.choose_search_model(None)
        )
        self.ranking_model_action = command(
            "Choose a reranking model",
            "",
            lambda: self._choose_model("The folder of a late-interaction model", self.session.choose_ranking_model),
        )
        self.no_ranking_model_action = command(
            "Search without reranking", "", lambda: self.session.choose_ranking_model(None)
        )
        self.names_model_action = command(
            "Choose a model for names", "", lambda: names_model_bar.choose(self.session, self)
        )
        self.no_names_model_action = command(
            "Suggest names without a model", "", lambda: self.session.choose_names_model(None)
        )
        self.cancel_action = command("Cancel what is running", "Ctrl+.", self.session.cancel)
        self.quit_action = command("Quit", "Ctrl+Q", self.close)
        self._themes = QActionGroup(self)
        self.theme_actions: dict[str, QAction] = {}
        for theme, words in look.THEMES.items():
            action = command(f"Colours: {words}", "", partial(self.set_theme, theme))
            action.setCheckable(True)
            action.setChecked(look.theme() == theme)
            self._themes.addAction(action)
            self.theme_actions[theme] = action
        self.larger = command("Larger text", ["Ctrl++", "Ctrl+="], lambda: self._resize_text(1))
        self.smaller = command("Smaller text", "Ctrl+-", lambda: self._resize_text(-1))
        self.usual_text = command("Default text size", "Ctrl+0", lambda: self._set_text_size(look.BODY))

    def _build(self) -> None:
        whole = QWidget()
        self.setCentralWidget(whole)
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._top_bar())
        column.addWidget(line())
        middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self._rail())
        middle.addWidget(line(vertical=True))
        self.ranking = HypothesesPanel(self.session)
        self.ranking.selected.connect(self.select)
        self.ranking.add.connect(lambda: self.go("Hypotheses"))
        self.ranking.toggled.connect(self._folded)
        middle.addWidget(self.ranking)
        self._ranking_line = line(vertical=True)
        middle.addWidget(self._ranking_line)

        centre = QFrame()
        centre.setProperty("kind", "surface")
        inside = QVBoxLayout(centre)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        self.notice = Notice()
        inside.addWidget(self.notice)
        self.matrix_report = MatrixReport()
        self.matrix_report.chosen.connect(lambda path, name: self.import_matrix(path, choose=name))
        self.matrix_report.undo.connect(self.session.undo)
        inside.addWidget(self.matrix_report)
        self.stack = _Screens()
        inside.addWidget(self.stack, 1)

        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(1)
        self._splitter.addWidget(centre)
        self._split_place = QFrame()
        self._split_place.setProperty("kind", "surface")
        self._split_column = QVBoxLayout(self._split_place)
        self._split_column.setContentsMargins(0, 0, 0, 0)
        self._split_place.hide()
        self._splitter.addWidget(self._split_place)
        self.detail = DetailPanel(self.session)
        self.detail.show_source.connect(self.show_source)
        self.detail.edit.connect(self._edit_hypothesis)
        self.detail.gone.connect(lambda: QTimer.singleShot(0, self, self._follow_selection))
        self.detail.chosen.connect(self._point_at)
        self.detail.searched.connect(self._search_for)
        self.guide = GuidePanel(self.session)
        self.guide.go_to.connect(self.go)
        self.guide.closed.connect(self._toggle_guide)
        self._aside = QFrame()
        self._aside.setProperty("kind", "panel")
        aside = QVBoxLayout(self._aside)
        aside.setContentsMargins(0, 0, 0, 0)
        aside.setSpacing(0)
        aside.addWidget(self.detail, 1)
        self._guide_line = line()
        aside.addWidget(self._guide_line)
        aside.addWidget(self.guide)
        self._splitter.addWidget(self._aside)
        for at, stretch in enumerate((3, 2, 0)):
            self._splitter.setStretchFactor(at, stretch)
        kept = window_state.sizes()
        self._splitter.setSizes(kept if len(kept) == 3 and kept[2] else [800, 560, DETAIL_WIDTH])
        middle.addWidget(self._splitter, 1)
        column.addLayout(middle, 1)
        column.addWidget(line())
        self.strip = TaskStrip(self.session)
        column.addWidget(self.strip)
        self.toast = Toast(whole)
        self.palette_popup = CommandPalette(whole)

    def _top_bar(self) -> QWidget:
        bar = QFrame()
        bar.setProperty("kind", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(12, 8, 16, 8)
        row.setSpacing(8)
        self._menu_button = QToolButton()
        look.set_icon(self._menu_button, "menu")
        self._menu_button.setIconSize(QSize(20, 20))
        self._menu_button.setAccessibleName("Menu")
        self._menu_button.setToolTip("Menu (F10)")
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu_button.setMenu(self._menu())
        self._menu_button.setShortcut(QKeySequence("F10"))
        row.addWidget(self._menu_button)
        for action, name in ((self.back_action, "Back"), (self.forward_action, "Forward")):
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAccessibleName(name)
            button.setToolTip(f"{name} ({action.shortcut().toString()})")
            row.addWidget(button)
        self._title = ElidedLabel("Disconfirm", "strong")
        self._title.setAccessibleName("Title of the case")
        row.addWidget(self._title, 6)
        row.addStretch(1)
        self._field = QPushButton()
        self._field.setProperty("kind", "field")
        self._field.setMinimumSize(180, 32)
        self._field.setMaximumWidth(440)
        self._field.setAccessibleName("Search or command (Ctrl+K)")
        inside = QHBoxLayout(self._field)
        inside.setContentsMargins(10, 0, 10, 0)
        picture = QLabel()
        look.set_icon(picture, "search")
        inside.addWidget(picture)
        inside.addWidget(ElidedLabel("Search or command", "muted"), 1)
        inside.addWidget(plain("Ctrl+K", "small"))
        self._field.clicked.connect(lambda: self.open_palette())
        row.addWidget(self._field, 5)
        row.addStretch(1)
        self._model_chip = QPushButton("")
        self._model_chip.setProperty("kind", "chip")
        self._model_chip.setAccessibleName("Judging model")
        self._model_chip.clicked.connect(lambda: self.go("Models"))
        row.addWidget(self._model_chip)
        self._offline_chip = QPushButton("Offline")
        self._offline_chip.setProperty("kind", "chip")
        look.set_icon(self._offline_chip, "offline")
        self._offline_chip.setAccessibleName("Offline: show every path used")
        self._offline_chip.setToolTip("Nothing leaves this computer. Click for every file path the program uses.")
        self._offline_chip.clicked.connect(lambda: self.go("Offline"))
        row.addWidget(self._offline_chip)
        return bar

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addActions([self.new_case, self.open_case, self.open_sample, self.close_case])
        menu.addSeparator()
        menu.addActions([self.save_copy, self.restore_backup, self.back_up])
        menu.addSeparator()
        menu.addActions([self.add_files, self.add_folder, self.import_action])
        menu.addSeparator()
        menu.addActions([self.undo_action, self.redo_action])
        menu.addSeparator()
        menu.addActions([self.split_action, self.fold_action, self.detail_action, self.guide_action])
        colours = menu.addMenu("Colours")
        for theme, words in look.THEMES.items():
            shown = colours.addAction(words)
            shown.setCheckable(True)
            shown.triggered.connect(lambda _checked=False, theme=theme: self.set_theme(theme))
            colours.aboutToShow.connect(lambda shown=shown, theme=theme: shown.setChecked(look.theme() == theme))
        text = menu.addMenu("Text size")
        text.addActions([self.larger, self.smaller, self.usual_text])
        models = menu.addMenu("Search and names models")
        models.addActions([self.model_action, self.own_model_action])
        models.addSeparator()
        models.addActions([self.ranking_model_action, self.no_ranking_model_action])
        models.addSeparator()
        models.addActions([self.names_model_action, self.no_names_model_action])
        menu.addActions([self.name_action, self.settings_action])
        menu.addSeparator()
        menu.addActions([self.palette_action, self.shortcuts_action])
        menu.addSeparator()
        menu.addAction(self.quit_action)
        menu.aboutToShow.connect(self._name_undo)
        return menu

    def _rail(self) -> QWidget:
        rail = QFrame()
        rail.setProperty("kind", "bar")
        self._rail_frame = rail
        rail.setAccessibleName("Screens")
        column = QVBoxLayout(rail)
        column.setContentsMargins(6, 8, 6, 8)
        column.setSpacing(4)
        self._rail_group = QButtonGroup(self)
        self.rail_buttons: dict[str, QToolButton] = {}
        for place in PLACES:
            if not place.in_rail:
                continue
            button = QToolButton()
            button.setProperty("kind", "rail")
            button.setText(place.name)
            look.set_icon(button, place.icon)
            button.setIconSize(QSize(20, 20))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setCheckable(True)
            keys = self.screen_actions[place.name].shortcut().toString()
            button.setToolTip(f"{place.name} ({keys})")
            button.setAccessibleName(place.name)
            button.clicked.connect(lambda _checked=False, name=place.name: self.go(name))
            self._rail_group.addButton(button)
            column.addWidget(button)
            self.rail_buttons[place.name] = button
        column.addStretch(1)
        look.changed.connect(self._size_rail)
        self._size_rail()
        return rail

    def _size_rail(self) -> None:
        """The rail for the text size in force."""
        self._rail_frame.setFixedWidth(look.px(RAIL))
        for button in self.rail_buttons.values():
            button.setFixedSize(look.px(RAIL) - 12, 34 + look.px(18))

    # --- going about -------------------------------------------------------------------------------------------------

    def screen_named(self, name: str) -> Screen:
        """The screen of that name, made if need be."""
        made = self._screens.get(name)
        if made is None:
            made = self._places[name].make(self.session)
            self._wire(made)
            self._screens[name] = made
            self.stack.addWidget(made)
            look.dress_when_shown(made)
        return made

    def current(self) -> Screen | None:
        return self._screens.get(self._current)

    def go(self, name: str, part: str | None = None) -> None:
        """Show a screen, or a part of it; where the person was stays reachable by Alt+Left."""
        if name not in self._places or (self._places[name].needs_case and self.session.workbench is None):
            return
        self._leave()
        with self._one_step():
            self._show(name)
            if part is not None:
                self.screen_named(name).show_part(part)
        self._remember()

    def show_source(self, document: str, page: int, start: int, end: int) -> None:
        """Show a page with its quote: in the split viewer when it is open, else in the viewer screen."""
        if self._split is not None and self._split_place.isVisible():
            self._beside_soon.stop()
            self._beside = None
            self._split.open_source(document, page, start, end)  # type: ignore[attr-defined]
            return
        self._leave()
        with self._one_step():
            self._show("Viewer")
            self.screen_named("Viewer").open_source(document, page, start, end)  # type: ignore[attr-defined]
        self._remember()

    def select(self, value: object) -> None:
        """Show something in the detail panel."""
        if value is None or value != self.detail.shown():
            self.detail.show_value(value)
        self._fit_guide()
        self._beside_soon.start()

    def _follow_selection(self) -> None:
        """The details show what is selected on the screen on show: whenever another screen comes, or another part of
        it, and when what they showed is gone.
        """
        screen = self.current()
        in_case = screen is not None and self.session.workbench is not None
        self.select(screen.current_item() if screen is not None and in_case else None)

    def _screen_selected(self, value: object) -> None:
        """Only the screen on show has a say in the details, or the viewer beside it while the person works in it."""
        sender, keys = self.sender(), QApplication.focusWidget()
        beside = self._split is not None and sender is self._split and keys is not None and sender.isAncestorOf(keys)
        if beside or sender is self.current():
            self.select(value)

    def _show_beside(self) -> None:
        """The viewer beside the screen shows where the selection stands, as the person goes along a list; what is
        opened by hand stays until then.
        """
        screen, split = self.current(), self._split
        if split is None or not self._split_place.isVisible() or screen is None or not screen.leads_viewer:
            return
        place = place_of(screen.current_item())
        if place is not None and place != self._beside:
            self._beside = place
            split.open_source(*place)  # type: ignore[attr-defined]

    def _edit_hypothesis(self, hypothesis: str) -> None:
        self.go("Hypotheses", "hypotheses")
        self.screen_named("Hypotheses").show_hypothesis(hypothesis)  # type: ignore[attr-defined]

    def _point_at(self, evidence: str, hypothesis: str) -> None:
        """The matrix follows when another cell is asked for in the details; the focus stays where it is."""
        if self._current == "Matrix":
            self.screen_named("Matrix").restore((evidence, hypothesis))

    def back(self) -> None:
        self._travel(-1)

    def _came_back(self) -> None:
        """From a page to where it was opened from: the step before, or the screen beside a split viewer."""
        screen = self.current()
        if self.sender() is self._split and screen is not None:
            screen.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.back()

    def forward(self) -> None:
        self._travel(1)

    def _travel(self, step: int) -> None:
        to = self._at + step
        if not 0 <= to < len(self._stops):
            return
        self._leave()
        self._at = to
        stop = self._stops[to]
        with self._one_step():
            self._show(stop.name)
            if stop.state is not None:
                self.screen_named(stop.name).restore(stop.state)
        self._enable()

    @contextmanager
    def _one_step(self) -> Iterator[None]:
        """What screens report inside belongs to the step being made and is no step of its own."""
        before, self._travelling = self._travelling, True
        try:
            yield
        finally:
            self._travelling = before
            if not before:
                self._follow_selection()

    def _leave(self) -> None:
        """Note what the screen shows now, so that coming back shows it again."""
        screen = self.current()
        if screen is not None and 0 <= self._at < len(self._stops) and self._stops[self._at].name == self._current:
            self._stops[self._at] = replace(self._stops[self._at], state=screen.state())

    def _remember(self) -> None:
        screen = self.current()
        if self._travelling or screen is None:
            return
        stop = _Stop(self._current, screen.state())
        if 0 <= self._at < len(self._stops) and self._stops[self._at] == stop:
            return
        del self._stops[self._at + 1 :]
        self._stops.append(stop)
        del self._stops[:-STEPS_BACK]
        self._at = len(self._stops) - 1
        self._enable()

    def _moved(self) -> None:
        """A screen took a step of its own worth coming back from."""
        if self.sender() is self.current():
            self._remember()

    def _show(self, name: str) -> None:
        screen = self.screen_named(name)
        if name != self._current:
            self.strip.say("")  # what was said of one screen is not true of another
            self.notice.leave()
        first_time = screen.focusWidget() is None  # later the stack brings the focus back to where it was
        self._current = name
        self.stack.setCurrentWidget(screen)
        screen.refresh_if_dirty()
        button = self.rail_buttons.get(name)
        if button is not None:
            button.setChecked(True)
        else:
            self._rail_group.setExclusive(False)
            for other in self.rail_buttons.values():
                other.setChecked(False)
            self._rail_group.setExclusive(True)
        self._arrange()
        bench = self.session.workbench
        if bench is not None and self._places[name].needs_case:
            window_state.keep_last_screen(bench.path, name)
        if first_time or not screen.isAncestorOf(QApplication.focusWidget() or self):
            screen.setFocus(Qt.FocusReason.OtherFocusReason)
            if screen.focusProxy() is None and screen.focusPolicy() == Qt.FocusPolicy.NoFocus:
                screen.focusNextChild()

    def _focus_moved(self, old: QWidget | None, now: QWidget | None) -> None:
        """What had the keys is gone: they go to the screen on show, not to whatever Qt finds next."""
        screen = self.current()
        if not self._closing and screen is not None and screen.isVisible() and focus.lost(old, now, self):
            focus.give(screen, screen.main_widget(), old)
        if isinstance(now, _TEXT_FIELDS) and now.window() is self and now is not self._field_with_keys:
            if self._field_with_keys is not None and isValid(self._field_with_keys):
                self._field_with_keys.removeEventFilter(self)
            self._field_with_keys = now
            now.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A text field keeps Ctrl+Z for what was typed in it; where that is nothing, the case's last decision is
        meant.
        """
        override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if override and event.matches(QKeySequence.StandardKey.Undo) and not _can_undo(watched):  # type: ignore[attr-defined]
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _wire(self, screen: Screen) -> None:
        screen.show_source.connect(self.show_source)
        screen.selected.connect(self._screen_selected)
        screen.go.connect(self.go)
        screen.go_to_part.connect(self.go)
        screen.back.connect(self._came_back)
        screen.search_wanted.connect(self._search_words)
        screen.hypothesis_wanted.connect(self._begin_hypothesis)
        screen.room_changed.connect(self._arrange)
        screen.moved.connect(self._moved)

    # --- commands ----------------------------------------------------------------------------------------------------

    def open_palette(self) -> None:
        """Ctrl+K."""
        if self.session.workbench is not None:
            for name in self._places:  # the palette holds the commands of every screen
                self.screen_named(name)
        search = self._search_for if self.session.workbench is not None else None
        self.palette_popup.ask(self._entries(), search)

    def show_shortcuts(self) -> None:
        """F1."""
        from gui_app.shell.shortcut_sheet import ShortcutSheet

        screen = self.current()
        sheet = ShortcutSheet(self._current, screen.actions() if screen else [], self.actions(), self)
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.open()

    def show_settings(self) -> None:
        """Ctrl+comma: what belongs to the case and is decided like everything else in it."""
        if self.session.workbench is None:
            return
        from gui_app.matrix.case_settings import CaseSettingsPage

        page = CaseSettingsPage(self.session, self)
        page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page.open()

    def show_backups(self, case: Path | None = None) -> None:
        """The backups of a case: of the one that is open, else of the one selected on the first page, or asked for."""
        if case is None:
            bench, start = self.session.workbench, self.current()
            case = bench.path if bench is not None else None
            if case is None and start is not None and start.name == "Start":
                case = start.selected_case()  # type: ignore[attr-defined]
            if case is None:
                case = file_dialogs.ask_case(self, window_state.folder("cases"), "Restore which case?")
            if case is None:
                return
        from gui_app.shell.backups_dialog import BackupsDialog

        page = BackupsDialog(self.session, case, self)
        page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page.open()

    def _restored(self, restored: Restored) -> None:
        """Say which backup the case is now, and where the file is that was there before."""
        said = f"The case is as it was in the backup of {spoken_time(restored.backup.at)}."
        rest = "Nothing was overwritten: there was no file in its place."
        if restored.former is not None:
            rest = f"The file that was there before is kept as “{restored.former.name}” in the same folder."
        self.notice.say(said, rest)

    def _save_copy(self) -> None:
        bench = self.session.workbench
        if bench is None:
            return
        target = file_dialogs.ask_copy(self, bench.path)
        if target is not None:
            self.session.save_copy(target)

    @cached_property
    def steps_card(self) -> StepsCard:
        """What the building of the sample case is at."""
        from gui_app.shell.steps_card import StepsCard

        return StepsCard(self.centralWidget() or self)

    @cached_property
    def closing_card(self) -> StepsCard:
        """What the closing of a large case is at."""
        from gui_app.shell.steps_card import StepsCard

        return StepsCard(self.centralWidget() or self)

    def _close_case(self) -> None:
        """Close the case; the steps of that are shown where its backup takes its time."""
        if "closing_card" in self.__dict__ and self.closing_card.isVisible():
            return
        task = self.session.close_after_backup()
        if task is not None:
            self.closing_card.follow(
                task,
                ("Stopping what runs", "Making a backup, in MB", "Closing"),
                lambda: 0 if task.state == "waiting" else 1,
                "All your work is saved. If you close without a backup, only the backup is missing.",
                self.session.tasks.cancel,
                stop="Keep it open",
                instead=("Close without a backup", lambda: self.session.close_case(backup=False)),
            )

    def build_sample(self, folder: Path | None = None) -> None:
        """Open the sample case; make it first when it is not there, with its steps in the middle of the window."""
        from core.sample_case import STEPS, build_sample, finished_sample

        ready = finished_sample(folder)
        if ready is not None:
            self.session.open(ready)
            return
        if self.steps_card.isVisible():
            return
        engines = self.session.engines
        step = [0]

        def build(progress: Progress) -> Path:
            def begin(number: int) -> None:
                step[0] = number
                progress.step(0, 0, STEPS[number])

            case = build_sample(engines, folder, progress, at=begin).case
            window_state.keep_last_screen(case, "Matrix")
            self._sample = case
            return case

        task = self.session.build("Building the sample case", build)
        self.steps_card.follow(
            task,
            STEPS,
            lambda: step[0],
            "A minute or two, once. It opens on its matrix when it is ready; until then you can use the window.",
            self.session.tasks.cancel,
        )

    def add_paths(self, chosen: list[Path]) -> None:
        """Read files and folders into the case, and show what became of each."""
        if not chosen or self.session.workbench is None:
            return
        title = f"Reading {chosen[0].name}" if len(chosen) == 1 else f"Reading {counted(len(chosen), 'file')}"
        self.go("Documents")
        self.session.run(
            title,
            lambda bench, progress: bench.documents.add(chosen, progress, embed=False),
            done=self._added,
            initiator=self,
            partial=Changes(documents=True),
        )

    def _consider(self, chosen: list[Path]) -> None:
        """Look at files before they are added; asks where there is something to say."""
        if self.session.workbench is not None and not self.session.read_only:
            self.go("Documents")
            self.screen_named("Documents").consider(chosen)  # type: ignore[attr-defined]

    def _added(self, report: ImportReport) -> None:
        self.session.last_import = report
        self.session.imported.emit(report)

    def import_matrix(self, path: Path, *, choose: str = "") -> None:
        """Bring in a matrix made elsewhere, and say above the screen what came in and what did not."""
        if self.session.workbench is None or self.session.read_only:
            return
        self.notice.hide()
        self.matrix_report.begin(path)
        self.session.run(
            f"Bringing in {path.name}",
            lambda bench, progress: bench.matrix.import_file(path, progress, choose=choose),
            done=self._matrix_came,
            initiator=self,
        )

    def _matrix_came(self, came: MatrixImport) -> None:
        self.go("Matrix")
        self.matrix_report.tell(came)

    def toggle_split(self) -> None:
        """F6: the viewer beside the screen on show, or away again."""
        if self.session.workbench is None:
            return
        if self._split is None:
            self._split = _viewer(self.session)
            self._wire(self._split)
            self._split_column.addWidget(self._split)
            look.dress_when_shown(self._split)
        shown = not self._split_place.isVisible()
        if shown:
            widths = self._splitter.sizes()
            room = widths[0] + widths[1]
            self._splitter.setSizes([room // 2, room - room // 2, widths[2]])
        keys = self.focusWidget()
        self._split_place.setVisible(shown)
        self._arrange()
        if shown:
            self._split.refresh_if_dirty()
            self._beside = None
            self._show_beside()
            if keys is not None and keys.isVisible():
                keys.setFocus(Qt.FocusReason.OtherFocusReason)  # who goes along a list goes on with it

    def set_theme(self, theme: str) -> None:
        """Change the colours and remember it."""
        kept = replace(settings.load(), theme=theme)
        settings.save(kept)
        for name, action in self.theme_actions.items():
            action.setChecked(name == theme)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            look.apply(app, theme, text_size=kept.text_size)  # type: ignore[arg-type]

    def _ask_name(self) -> None:
        kept = settings.load()
        name = file_dialogs.ask_name(self, kept.analyst)
        if name is not None:
            settings.save(replace(kept, analyst=name))
            self.session.sign_as(settings.load().who)

    def _choose_model(self, told: str, choose: Callable[[Path], object]) -> None:
        folder = file_dialogs.ask_folder(self, told, paths.models())
        if folder is not None:
            choose(folder)

    def _resize_text(self, step: int) -> None:
        self._set_text_size(settings.load().text_size + step)

    def _set_text_size(self, size: int) -> None:
        """Change the text size, in pixels, and remember it."""
        kept = settings.load()
        size = max(10, min(22, size))
        if kept.text_size == size:
            return
        kept = replace(kept, text_size=size)
        settings.save(kept)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            look.apply(app, look.theme(), text_size=kept.text_size)

    def show_error(self, error: AppError) -> None:
        if isinstance(error, SeveralMatrices):
            self.matrix_report.offer(error)
            return
        case = error.details.get("path")
        known = error.details.get("backup", isinstance(error, CaseCorrupt))  # None: there is none that is good
        if isinstance(case, Path) and isinstance(error, CaseUnfinished) and error.details.get("way_on", True):
            anyway = partial(self.session.open, case, without_unsaved=True)
            self.notice.tell(error, "Open without them", anyway)
        elif isinstance(case, Path) and known:
            self.notice.tell(error, "Restore...", partial(self.show_backups, case))
        elif isinstance(error, IndexDamaged) and not self.session.read_only:
            self.notice.tell(error, "Rebuild", self.session.rebuild_index)
        elif isinstance(error, CannotRunHere | ModelMissing | ModelUnreadable) and self._current != "Models":
            self.notice.tell(error, "Models", lambda: self.go("Models"))
        else:
            self.notice.tell(error)

    def _mended(self, error: AppError) -> None:
        if self.notice.error is error:
            self.notice.hide()

    def _entries(self) -> list[Entry]:
        """Everything Ctrl+K can find now: this screen's commands first."""
        found: list[Entry] = []
        screen = self.current()
        # A screen's own key for what the window does too is no second command.
        twice = {self.undo_action.text().partition(":")[0]}
        own = [action for action in screen.actions() if action.text() not in twice] if screen is not None else []
        for action in [*own, *self.actions()]:
            if action is self.palette_action or not action.text():
                continue
            kind = self._current if action in own else "command"
            keys = ", ".join(key.toString() for key in action.shortcuts()[:1])
            found.append(Entry(action.text(), kind, action.trigger, keys, action.isEnabled()))
        for elsewhere in self._screens.values():
            if elsewhere is screen or (elsewhere.needs_case and self.session.workbench is None):
                continue
            for action in elsewhere.actions():
                if action.isEnabled() and action.text() and action.text() not in twice:
                    run = self._there(elsewhere.name, action)
                    found.append(Entry(action.text(), elsewhere.name, run, "", True))
        for name, path in recent_cases.names():
            found.append(Entry(f"Open {name}", "recent case", partial(self.session.open, path)))
        bench = self.session.workbench
        if bench is not None:
            for hypothesis in bench.hypotheses.all():
                title = f"{hypothesis.id} {hypothesis.text}"
                found.append(Entry(title, "hypothesis", partial(self.select, hypothesis)))
            for document in bench.documents.all():
                found.append(Entry(document.name, "document", partial(self.show_source, document.id, 1, 0, 0)))
        return found

    def _there(self, name: str, action: QAction) -> Callable[[], None]:
        def run() -> None:
            self.go(name)
            action.trigger()

        return run

    def _search_for(self, text: str) -> None:
        self._search(lambda screen: screen.search_for(text))

    def _search_words(self, text: str) -> None:
        self._search(lambda screen: screen.search_words(text))

    def _search(self, begin: Callable[[Any], None]) -> None:
        """Go to the search and begin one there: one step, so that going back leads to where it was asked for."""
        self._leave()
        with self._one_step():
            self._show("Search")
            begin(self.screen_named("Search"))
        self._remember()

    def _begin_hypothesis(self, text: str) -> None:
        """Words for a hypothesis go into its field, to be worded and added there."""
        self.go("Hypotheses", "hypotheses")
        screen: Any = self.screen_named("Hypotheses")
        screen.begin("")
        screen.field.setText(text)

    def _new_case(self) -> None:
        self.go("Start")
        self.screen_named("Start").begin_new_case()  # type: ignore[attr-defined]

    def _open_case(self) -> None:
        chosen = file_dialogs.ask_case(self, window_state.folder("cases"))
        if chosen is not None:
            window_state.keep_folder("cases", chosen.parent)
            self.session.open(chosen)

    def _add_files(self) -> None:
        chosen = file_dialogs.ask_documents(self, window_state.folder("documents"))
        if chosen:
            window_state.keep_folder("documents", chosen[0].parent)
            self.add_paths(chosen)

    def _import_matrix(self) -> None:
        chosen = file_dialogs.ask_matrix(self, window_state.folder("matrices"))
        if chosen is not None:
            window_state.keep_folder("matrices", chosen.parent)
            self.import_matrix(chosen)

    def _add_folder(self) -> None:
        chosen = file_dialogs.ask_folder(self, "Add a folder with everything in it", window_state.folder("documents"))
        if chosen is not None:
            window_state.keep_folder("documents", chosen)
            self._consider([chosen])

    # --- following the case ------------------------------------------------------------------------------------------

    def _case_opened(self) -> None:
        bench = self.session.workbench
        has_case = bench is not None
        self.notice.hide()
        self.matrix_report.hide()
        self.toast.hide()
        self._told = 0
        self._stops.clear()
        self._at = -1
        self._current = ""
        for name, place in self._places.items():
            if place.needs_case:
                self.screen_actions[name].setEnabled(has_case)
                if name in self.rail_buttons:
                    self.rail_buttons[name].setEnabled(has_case)
        if not has_case:
            self._split_place.hide()
        self._retitle()
        self._name_model()
        self._enable()
        wanted = "Start"
        if bench is not None:
            empty = not bench.documents.all()
            self._young = empty or not bench.hypotheses.all() or bench.path in (sample_path(), self._sample)
            wanted = "Documents" if empty else window_state.last_screen(bench.path) or "Documents"
            if wanted not in self._places:
                wanted = "Documents"
            QTimer.singleShot(WARM_UP_MS, self, self._warm_up)
        self.go(wanted)

    def _warm_up(self) -> None:
        """Make the other screens one by one while nothing else happens, so that going there is instant: first the code
        of a screen, then the screen, with the window's turn between them.
        """
        if self._closing or self.session.workbench is None:
            return
        missing = next((name for name in self._places if name not in self._screens), None)
        if missing is not None:
            module = f"gui_app.{missing.lower()}.screen"
            if module in sys.modules:
                self.screen_named(missing)
            else:
                importlib.import_module(module)
            QTimer.singleShot(WARM_UP_MS, self, self._warm_up)

    def _tell(self, text: str, undo: bool) -> None:
        """A toast, which goes with the next decision; its Undo takes back the last one there was, and no other."""
        self._told = self.session.undoable()
        self.toast.tell(text, undo)

    def _undo_told(self) -> None:
        if self._told == self.session.undoable():
            self.session.undo()

    def _case_changed(self, _changes: Changes, _initiator: object) -> None:
        bench = self.session.workbench
        if isinstance(self.notice.error, CaseMoved | DiskFull):  # no longer so, since something could be saved
            self.notice.hide()
        if self._told != self.session.undoable():
            self.toast.hide()
        if bench is not None and self.matrix_report.isVisible():
            self.matrix_report.follow(bench.case.undo_text(), bench.case.redo_text())
        self._name_undo()
        self._retitle()

    def _retitle(self) -> None:
        bench = self.session.workbench
        title = bench.case.title() if bench is not None else ""
        note = "  (viewing only)" if bench is not None and bench.case.read_only else ""
        self._title.setText(f"{title}{note}" if title else "Disconfirm")
        if bench is not None:
            self._title.setToolTip(str(bench.path))
        self.setWindowTitle(f"{title} - Disconfirm" if title else "Disconfirm")

    def _name_model(self) -> None:
        bench = self.session.workbench
        self._model_chip.setVisible(bench is not None)
        if bench is None:
            return
        missing = bench.review.judge_missing()
        card = bench.verdicts.judge_card()
        self._model_chip.setText("No judging model" if missing or card is None else chip_text(card))
        self._model_chip.setToolTip(missing or (card.line() if card is not None else ""))

    def _name_undo(self) -> None:
        bench = self.session.workbench
        writable = bench is not None and not bench.case.read_only
        for action, verb, word in (
            (self.undo_action, bench.case.undo_text() if bench is not None else "", "Undo"),
            (self.redo_action, bench.case.redo_text() if bench is not None else "", "Redo"),
        ):
            action.setText(f"{word}: {verb_in_words(verb)}" if verb else word)
            action.setEnabled(writable and bool(verb))

    def _enable(self) -> None:
        self.back_action.setEnabled(self._at > 0)
        self.forward_action.setEnabled(self._at < len(self._stops) - 1)
        has_case = self.session.workbench is not None
        writable = has_case and not self.session.read_only
        for action in (
            self.close_case,
            self.save_copy,
            self.split_action,
            self.fold_action,
            self.detail_action,
            self.guide_action,
            self.settings_action,
        ):
            action.setEnabled(has_case)
        for action in (self.add_files, self.add_folder, self.import_action, self.back_up, self.rebuild_index):
            action.setEnabled(writable)
        self._name_undo()

    # --- room --------------------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        """Fold what there is no room for; what the person chose by hand stays."""
        place = self._places.get(self._current)
        in_case = self.session.workbench is not None and place is not None and place.needs_case
        screen = self.current()
        split = self._split_place.isVisibleTo(self) or (screen is not None and screen.wants_room())
        wide = self.width() - (480 if split else 0)
        folded = self._folded_by_hand if self._folded_by_hand is not None else wide < look.px(FOLD_BELOW)
        if self.ranking.narrow != folded:
            self.ranking.set_narrow(folded)
        self.ranking.setVisible(in_case)
        self._ranking_line.setVisible(in_case)
        detail = self._detail_by_hand
        if detail is None:
            detail = self.width() >= look.px(ROOM_FOR_ALL if split else HIDE_DETAIL_BELOW)
        self.detail.setVisible(in_case and detail)
        guide = window_state.guide()
        guide = in_case and (self._young and not split if guide is None else guide)
        self._guide_line.setVisible(guide and detail)
        self.guide.setVisible(guide)
        # Without details above it the guide begins at the top of its column.
        self._aside.setVisible(in_case and (detail or guide))
        self._fit_guide()

    def _fit_guide(self) -> None:
        shown = self.detail.shown() is not None and self.detail.isVisibleTo(self)
        self.guide.fit(self.height(), beside=shown)

    def _folded(self, narrow: bool) -> None:
        self._folded_by_hand = narrow

    def _toggle_fold(self) -> None:
        self.ranking.set_narrow(not self.ranking.narrow, by_hand=True)

    def _toggle_guide(self) -> None:
        window_state.keep_guide(not self.guide.isVisible())
        self._arrange()
        if self.guide.isVisible():
            self.guide.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _toggle_detail(self) -> None:
        self._detail_by_hand = not self.detail.isVisible()
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()
        # The frame comes from the desktop, some time after the window is there.
        QTimer.singleShot(FRAMED_MS, self, self._fit_frame)

    def _fit_frame(self) -> None:
        if self.size() != self._begun_with:
            return  # somebody chose another
        inside, outside = self.geometry(), self.frameGeometry()
        self._fit_screen(
            QMargins(
                inside.left() - outside.left(),
                inside.top() - outside.top(),
                outside.right() - inside.right(),
                outside.bottom() - inside.bottom(),
            )
        )

    def _fit_screen(self, frame: QMargins) -> None:
        """Keep the window, with its frame, on the screen that it is on; on the first one when its own is gone."""
        if self._closing or self.windowState() & (Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen):
            return
        screen = QApplication.screenAt(self.geometry().center()) or QApplication.primaryScreen()
        available = screen.availableGeometry()
        self.setMinimumSize(SMALLEST.boundedTo(available.marginsRemoved(frame).size()))
        fitted = window_state.fitted(self.geometry(), frame, available)
        if fitted != self.geometry():
            self.setGeometry(fitted)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:  # comes before the key itself
            self._key_went_to = self.focusWidget()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the focus, as Space does: Qt does so in dialogs alone. Not one that got it
        by this very key: Enter in a field may open a screen whose first button asks for files.
        """
        button = self.focusWidget()
        here = button is self._key_went_to and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if here and isinstance(button, QPushButton | QToolButton) and button.isEnabled():
            button.click()
        elif event.key() == Qt.Key.Key_Escape and self._dismiss():
            return
        else:
            super().keyPressEvent(event)

    def _dismiss(self) -> bool:
        """Escape that nothing else wanted: stop what a card in the middle shows, or put the bar above the screen
        away.
        """
        for name in ("closing_card", "steps_card"):
            card = self.__dict__.get(name)  # made when it is first needed
            if card is not None and card.isVisible():
                card.cancel.click()
                return True
        bar = next((bar for bar in (self.notice, self.matrix_report) if bar.isVisible()), None)
        if bar is not None:
            bar.hide()
        return bar is not None

    # --- files dropped on the window ---------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            has_case = self.session.workbench is not None
            dropped = [Path(url.toLocalFile()) for url in event.mimeData().urls()]
            if len(dropped) == 1 and self._is_matrix(dropped[0]):
                self.session.status.emit("Drop to bring in this matrix.")
                return
            self.session.status.emit("Drop to add to this case." if has_case else "Drop to begin a case with this.")

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self.session.status.emit("")

    def dropEvent(self, event: QDropEvent) -> None:
        dropped = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.session.status.emit("")
        # After the drop is over: opening a case may show an error, and the sender waits until then.
        QTimer.singleShot(0, self, lambda: self.take(dropped))

    def take(self, dropped: list[Path]) -> None:
        """Open a dropped case; bring in a matrix dropped on the matrix; add dropped documents, to a new case if none
        is open.
        """
        cases = [path for path in dropped if path.suffix == file_dialogs.SUFFIX and path.is_file()]
        if cases:
            self.session.open(cases[0])
        elif len(dropped) == 1 and self._is_matrix(dropped[0]):
            self.import_matrix(dropped[0])
        elif self.session.workbench is not None:
            self._consider(dropped)
        elif dropped:
            self.go("Start")
            self.screen_named("Start").begin_new_case(dropped)  # type: ignore[attr-defined]

    def _is_matrix(self, path: Path) -> bool:
        """Whether a dropped file is meant as a matrix: what nothing else is, or a table that falls on the matrix."""
        if self.session.workbench is None or self.session.read_only:
            return False
        on_matrix = self._current == "Matrix" and path.suffix.lower() in file_dialogs.MATRICES
        return on_matrix or path.suffix.lower() == ".achz"

    # --- the end -----------------------------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the window's state, then end jobs, case and engines; meanwhile nobody waits for a window."""
        if not self._closing:
            self._closing = True
            window_state.keep_geometry(self.saveGeometry())
            if self.detail.isVisible():
                window_state.keep_sizes(self._splitter.sizes())
            self.hide()
            self.session.shutdown()
        super().closeEvent(event)


def sample_path() -> Path:
    """Where the sample case stands, if it was ever opened."""
    return paths.user_data() / "sample" / "sample.disconfirm"


def place_of(value: object) -> tuple[str, int, int, int] | None:
    """Where a selected thing stands: document, page, start and end; None where it stands nowhere that can be shown."""
    if isinstance(value, Cell):
        value = value.evidence
    if isinstance(value, Document):
        readable = value.pages and value.status not in ("failed", "removed")
        return (value.id, 1, 0, 0) if readable else None
    if isinstance(value, Proposal):
        return value.quote.document, value.quote.page, value.quote.start, value.quote.end
    if isinstance(value, Passage):
        return value.document, value.page, value.start, value.end
    if isinstance(value, Evidence) and value.document is not None and value.page is not None:
        return value.document, value.page, value.start or 0, value.end or 0
    return None


def _can_undo(field: QObject) -> bool:
    """Whether something typed in a text field can be taken back."""
    if isinstance(field, QLineEdit):
        return field.isUndoAvailable()
    return isinstance(field, QPlainTextEdit | QTextEdit) and field.document().isUndoAvailable()


def chip_text(card: ModelCard) -> str:
    """The model in the top bar: its name and the share of its exam that it had right."""
    return f"{card.name}  {card.right[0]:.0%}" if card.right else f"{card.name}  not examined"
