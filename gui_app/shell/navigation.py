"""The places of the window, the way from one to another, and the way back."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QApplication, QButtonGroup, QFrame, QStackedWidget, QToolButton, QWidget

from core.errors import AppError
from gui_app import window_state
from gui_app.session import CaseSession
from gui_app.shared import theme as look
from gui_app.shared.layout import vbox
from gui_app.shared.navigator import Navigator
from gui_app.shared.screen import Screen
from gui_app.shell.viewer_beside import ViewerBeside

if TYPE_CHECKING:
    from gui_app.documents.screen import DocumentsScreen
    from gui_app.hypotheses.screen import HypothesesScreen
    from gui_app.recovery.screen import RecoveryScreen
    from gui_app.search.screen import SearchScreen
    from gui_app.start.screen import StartScreen
    from gui_app.viewer.screen import ViewerScreen

RAIL_WIDTH = 84
MAX_STOPS = 100
WARM_UP_MS = 120
SOON_MS = 10


@dataclass(frozen=True, slots=True)
class Place:
    """A screen of the window: its name and icon in the rail, and the module and class it is made of.

    These are loaded at its first showing, so that the start page costs nothing but itself.
    """

    name: str
    icon: str
    module: str
    screen: str
    needs_case: bool = True
    in_rail: bool = True
    keys: str = ""  # '' for the next number with Ctrl, where it is in the rail

    def make(self, session: CaseSession, parent: QWidget | None = None) -> Screen:
        """Make the screen, at once where it is to be: Qt polishes all of it again when it is moved."""
        screen: Screen = getattr(importlib.import_module(self.module), self.screen)(session, parent)
        return screen


PLACES = (
    Place("Start", "start", "gui_app.start.screen", "StartScreen", needs_case=False),
    Place("Documents", "documents", "gui_app.documents.screen", "DocumentsScreen"),
    Place("Hypotheses", "hypotheses", "gui_app.hypotheses.screen", "HypothesesScreen"),
    Place("Search", "search", "gui_app.search.screen", "SearchScreen"),
    Place("Ask", "ask", "gui_app.ask.screen", "AskScreen", keys="Alt+A"),
    Place("Conflicts", "conflicts", "gui_app.conflicts.screen", "ConflictsScreen", keys="Alt+C"),
    Place("Audit", "audit", "gui_app.audit.screen", "AuditScreen", keys="Alt+U"),
    Place("Review", "review", "gui_app.review.screen", "ReviewScreen"),
    Place("Matrix", "matrix", "gui_app.matrix.screen", "MatrixScreen"),
    Place("Viewer", "viewer", "gui_app.viewer.screen", "ViewerScreen"),
    Place("OCR", "ocr", "gui_app.ocr.screen", "OcrScreen"),
    Place("Report", "report", "gui_app.report.screen", "ReportScreen"),
    Place("Accuracy", "info", "gui_app.accuracy.screen", "AccuracyScreen", in_rail=False),
    Place("Models", "model", "gui_app.models.screen", "ModelsScreen", needs_case=False, in_rail=False),
    Place("Recovery", "warning", "gui_app.recovery.screen", "RecoveryScreen", needs_case=False, in_rail=False),
    Place("Offline", "offline", "gui_app.offline.screen", "OfflineScreen", needs_case=False, in_rail=False),
)


@dataclass(frozen=True, slots=True)
class _Stop:
    """A place in the history: a screen and what it showed."""

    name: str
    state: Any


class ScreenStack(QStackedWidget):
    """The screens, one on show, as small as that one can be: Qt would keep the room of the widest free for all."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _at: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size of the screen on show."""
        screen = self.currentWidget()
        return screen.minimumSizeHint() if screen is not None else super().minimumSizeHint()


class Rail(QFrame):
    """The buttons of the screens, at the left of the window. ``chosen(name)`` when one is pressed."""

    chosen = Signal(str)

    def __init__(self, screen_actions: dict[str, QAction]) -> None:
        super().__init__()
        self.setProperty("kind", "bar")
        self.setAccessibleName("Screens")
        column = vbox(self, margins=(6, 8, 6, 8), spacing=4)
        self.group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
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
            keys = screen_actions[place.name].shortcut().toString()
            button.setToolTip(f"{place.name} ({keys})")
            button.setAccessibleName(place.name)
            button.clicked.connect(lambda _on=False, name=place.name: self.chosen.emit(name))
            self.group.addButton(button)
            column.addWidget(button)
            self.buttons[place.name] = button
        column.addStretch(1)
        self._is_low = False
        look.changed.connect(self._resize_buttons)
        self._resize_buttons()

    def mark(self, name: str) -> None:
        """Show which screen is on show; none where it has no button."""
        button = self.buttons.get(name)
        if button is not None:
            button.setChecked(True)
        else:
            self.group.setExclusive(False)
            for room_button in self.buttons.values():
                room_button.setChecked(False)
            self.group.setExclusive(True)

    def _resize_buttons(self) -> None:
        """Fit the rail to the text size in force; icons are alone where the window is too low for their names."""
        style = Qt.ToolButtonStyle
        width = 34 + 12 if self._is_low else look.px(RAIL_WIDTH)
        self.setFixedWidth(width)
        for button in self.buttons.values():
            button.setToolButtonStyle(style.ToolButtonIconOnly if self._is_low else style.ToolButtonTextUnderIcon)
            button.setFixedSize(width - 12, 34 if self._is_low else _button_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the names where there is no room for all."""
        super().resizeEvent(event)
        is_low = self.height() < len(self.buttons) * (_button_height() + 4) + 16
        if is_low != self._is_low:
            self._is_low = is_low
            self._resize_buttons()

    def minimumSizeHint(self) -> QSize:
        """Return the size of the icons alone."""
        return QSize(34 + 12, len(self.buttons) * (34 + 4) + 16)


def _next_module(place: Place) -> str | None:
    """Return the module to be loaded next for a screen: those beside it, then its own; None: no more."""
    package = place.module.rpartition(".")[0]
    folder = importlib.import_module(package).__path__
    names = sorted(f"{package}.{module.name}" for module in pkgutil.iter_modules(folder))
    return next((name for name in [*names, place.module] if name not in sys.modules), None)


def _button_height() -> int:
    return 34 + look.px(18)


class Navigation(QObject):
    """Shows one screen at a time, makes it at its first showing, and remembers the way.

    ``leaving()`` before another screen comes, ``arrived(name)`` when it is there but for the focus,
    ``selection_changed(value)`` when the details should show something else, ``history_changed()`` when Back or
    Forward lead elsewhere, ``room_changed()`` when a screen needs more room or less.
    """

    leaving = Signal()
    arrived = Signal(str)
    selection_changed = Signal(object)
    history_changed = Signal()
    room_changed = Signal()

    def __init__(self, session: CaseSession, navigator: Navigator, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._navigator = navigator
        self.places = {place.name: place for place in PLACES}
        self.screens: dict[str, Screen] = {}
        self.stack = ScreenStack()
        self.beside = ViewerBeside(self._make_viewer, self.current)
        self.current_name = ""
        self._stops: list[_Stop] = []
        self._index = -1
        self._is_step = False  # whether a step is being made
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._warm_up_step)

    # --- screens -----------------------------------------------------------------------------------------------------

    def screen_named(self, name: str) -> Screen:
        """Return the screen of that name, made if need be."""
        screen = self.screens.get(name)
        if screen is None:
            screen = self._make(self.places[name], self.stack)
            self.screens[name] = screen
            self.stack.addWidget(screen)
            look.dress_when_shown(screen)
        return screen

    def current(self) -> Screen | None:
        """Return the screen on show."""
        return self.screens.get(self.current_name)

    def warm_up(self) -> None:
        """Make the other screens one by one from soon on, while nothing else happens, so that going there is instant.

        First the code of a screen, a module at a time, then the screen, with the window's turn between them. Without a
        case, the code alone.
        """
        self._soon.start(WARM_UP_MS)

    def prepare(self, name: str) -> None:
        """Make a screen from the next moment on, in steps."""
        place = self.places[name]
        if name in self.screens:
            return
        if (module := _next_module(place)) is not None:
            importlib.import_module(module)
            QTimer.singleShot(0, self, lambda: self.prepare(name))
        else:
            self.screen_named(name)

    def _warm_up_step(self) -> None:
        has_case = self._session.workbench is not None
        missing = (
            place
            for place in PLACES
            if place.name not in self.screens and (has_case or place.module not in sys.modules)
        )
        place = next(missing, None)
        if place is None:
            return
        if (module := _next_module(place)) is not None:
            importlib.import_module(module)
        else:
            self.screen_named(place.name)
        self._soon.start(SOON_MS if module is not None else WARM_UP_MS)

    def _make(self, place: Place, parent: QWidget | None = None) -> Screen:
        screen = place.make(self._session, parent)
        screen.navigator = self._navigator
        screen.show_source.connect(self.open_source)
        screen.selected.connect(self._screen_selected)
        screen.go.connect(self.go)
        screen.go_to_part.connect(self.go)
        screen.back.connect(self._came_back)
        screen.search_wanted.connect(self.search_words)
        screen.hypothesis_wanted.connect(self.begin_hypothesis)
        screen.room_changed.connect(self.room_changed)
        screen.moved.connect(self._screen_moved)
        return screen

    def _make_viewer(self) -> ViewerScreen:
        return cast("ViewerScreen", self._make(self.places["Viewer"]))

    # --- going about -------------------------------------------------------------------------------------------------

    def go(self, name: str, part: str | None = None) -> None:
        """Show a screen, or a part of it; where the person was stays reachable by Alt+Left."""
        if name not in self.places or (self.places[name].needs_case and self._session.workbench is None):
            return
        self._leave()
        with self._one_step():
            self._show(name)
            if part is not None:
                self.screen_named(name).show_part(part)
        self._remember()

    def open_source(self, document: str, page: int, start: int, end: int) -> None:
        """Show a page with its quote: in the viewer beside the screen when it is open, else in the viewer screen."""
        if self.beside.is_open():
            self.beside.open_source(document, page, start, end)
            return
        self._leave()
        with self._one_step():
            self._show("Viewer")
            cast("ViewerScreen", self.screen_named("Viewer")).open_source(document, page, start, end)
        self._remember()

    def search_for(self, text: str) -> None:
        """Search for what a person typed."""
        self._search(lambda screen: screen.search_for(text))

    def search_words(self, text: str) -> None:
        """Search for words of a document, as they are there."""
        self._search(lambda screen: screen.search_words(text))

    def _search(self, begin: Callable[[SearchScreen], None]) -> None:
        """Go to the search and begin one there: one step, so that going back leads to where it was asked for."""
        self._leave()
        with self._one_step():
            self._show("Search")
            begin(cast("SearchScreen", self.screen_named("Search")))
        self._remember()

    def begin_hypothesis(self, text: str) -> None:
        """Put words into the field of a new hypothesis, to be worded and added there."""
        screen = self._go_to_hypotheses()
        screen.begin("")
        screen.field.setText(text)

    def edit_hypothesis(self, hypothesis: str) -> None:
        """Show a hypothesis where it can be reworded."""
        self._go_to_hypotheses().show_hypothesis(hypothesis)

    def _go_to_hypotheses(self) -> HypothesesScreen:
        self.go("Hypotheses", "hypotheses")
        return cast("HypothesesScreen", self.screen_named("Hypotheses"))

    def consider(self, paths: list[Path]) -> None:
        """Look at files before they are added; asks where there is something to say."""
        if self._session.workbench is not None and not self._session.read_only:
            self.go("Documents")
            cast("DocumentsScreen", self.screen_named("Documents")).consider(paths)

    def begin_case(self, paths: list[Path] | None = None) -> None:
        """Ask for the title of a new case; ``paths`` are added once it is there."""
        self.go("Start")
        self._start().begin_new_case(paths)

    def recover_case(self, case: Path, error: AppError) -> None:
        """Show what is wrong with a case that could not be opened, and the ways on."""
        cast("RecoveryScreen", self.screen_named("Recovery")).show_fault(case, error)
        self.go("Recovery")

    def case_on_start(self) -> Path | None:
        """Return the recent case that is selected on the start page, if that is on show."""
        return self._start().selected_case() if self.current_name == "Start" else None

    def tell_opening(self, name: str) -> None:
        """Show on the start page that a case is being opened."""
        self._start().tell_opening(name)

    def _start(self) -> StartScreen:
        return cast("StartScreen", self.screen_named("Start"))

    def point_at(self, evidence: str, hypothesis: str) -> None:
        """Have the matrix follow when another cell is asked for in the details; the focus stays where it is."""
        if self.current_name == "Matrix":
            self.screen_named("Matrix").restore((evidence, hypothesis))

    # --- the selection -----------------------------------------------------------------------------------------------

    def follow_selection(self) -> None:
        """Have the details show what is selected on the screen on show.

        So it is whenever another screen comes, or another part of it, and when what they showed is gone.
        """
        screen = self.current()
        in_case = screen is not None and self._session.workbench is not None
        self.selection_changed.emit(screen.current_item() if screen is not None and in_case else None)

    def _screen_selected(self, value: object) -> None:
        """Show what was selected on the screen on show, or in the viewer beside it while the person works there."""
        sender = self.sender()
        if self.beside.has_keys(sender) or sender is self.current():
            self.selection_changed.emit(value)

    # --- back and forward --------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Forget the way and the screen on show: another case was opened, or none is."""
        self._stops.clear()
        self._index = -1
        self.current_name = ""

    def can_go_back(self) -> bool:
        """Return whether there is a step before."""
        return self._index > 0

    def can_go_forward(self) -> bool:
        """Return whether there is a step after."""
        return self._index < len(self._stops) - 1

    def back(self) -> None:
        """Go to the step before."""
        self._travel(-1)

    def forward(self) -> None:
        """Go to the step after."""
        self._travel(1)

    def _came_back(self) -> None:
        """Go from a page to where it was opened from: the step before, or the screen beside a split viewer."""
        screen = self.current()
        if self.sender() is self.beside.viewer and screen is not None:
            screen.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.back()

    def _travel(self, step: int) -> None:
        index = self._index + step
        if not 0 <= index < len(self._stops):
            return
        self._leave()
        self._index = index
        stop = self._stops[index]
        with self._one_step():
            self._show(stop.name)
            if stop.state is not None:
                self.screen_named(stop.name).restore(stop.state)
        self.history_changed.emit()

    @contextmanager
    def _one_step(self) -> Iterator[None]:
        """Make one step: what screens report inside belongs to it and is no step of its own."""
        was_step, self._is_step = self._is_step, True
        try:
            yield
        finally:
            self._is_step = was_step
            if not was_step:
                self.follow_selection()

    def _leave(self) -> None:
        """Note what the screen shows now, so that coming back shows it again."""
        screen = self.current()
        stop = self._stops[self._index] if 0 <= self._index < len(self._stops) else None
        if screen is not None and stop is not None and stop.name == self.current_name:
            self._stops[self._index] = replace(stop, state=screen.state())

    def _remember(self) -> None:
        screen = self.current()
        if self._is_step or screen is None:
            return
        stop = _Stop(self.current_name, screen.state())
        if 0 <= self._index < len(self._stops) and self._stops[self._index] == stop:
            return
        del self._stops[self._index + 1 :]
        self._stops.append(stop)
        del self._stops[:-MAX_STOPS]
        self._index = len(self._stops) - 1
        self.history_changed.emit()

    def _screen_moved(self) -> None:
        """Remember a step that a screen took of its own and that is worth coming back from."""
        if self.sender() is self.current():
            self._remember()

    def _show(self, name: str) -> None:
        screen = self.screen_named(name)
        is_here = name == self.current_name
        if not is_here:
            self.leaving.emit()
        first_time = screen.focusWidget() is None  # later the stack brings the focus back to where it was
        self.current_name = name
        self.stack.setCurrentWidget(screen)
        screen.refresh_if_dirty()
        self.arrived.emit(name)
        bench = self._session.workbench
        if bench is not None and self.places[name].needs_case:
            window_state.keep_last_screen(bench.path, name)
        # The key of the screen on show leads to where one begins on it.
        if first_time or is_here or not screen.isAncestorOf(QApplication.focusWidget() or self.stack):
            screen.setFocus(Qt.FocusReason.OtherFocusReason)
            if screen.focusProxy() is None and screen.focusPolicy() == Qt.FocusPolicy.NoFocus:
                screen.focusNextChild()
