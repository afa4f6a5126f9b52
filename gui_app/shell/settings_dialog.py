"""Ctrl+comma: how the program looks and works for the person at it, and what belongs to the open case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QGridLayout, QLineEdit, QPushButton, QSpinBox, QWidget

from core import paths, settings
from core.domain import Changes
from gui_app import window_state
from gui_app.session import CaseSession
from gui_app.shared import theme as look
from gui_app.shared.fields import NameChoice, bare, presses_with_enter
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.language_choice import LanguageChoice
from gui_app.shared.layout import hbox, scrolled, vbox

if TYPE_CHECKING:
    from gui_app.shell.commands import Commands

SMALLEST, LARGEST = 10, 22  # pixels: the text sizes to choose from


class SettingsDialog(QDialog):
    """Settings of the program, kept as soon as they are chosen, and those of the open case, which undo takes back."""

    def __init__(self, session: CaseSession, commands: Commands, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._commands = commands
        self.setWindowTitle("Settings")
        column = vbox(self, margins=(24, 20, 24, 16), spacing=16)
        column.addWidget(plain("Settings", "title"))
        inside = QWidget()
        self._body = vbox(inside, margins=(0, 0, 16, 0), spacing=12)
        self._add_look()
        self._add_work()
        self._add_case()
        self._add_models()
        self._body.addStretch(1)
        scroll = scrolled(inside, "Settings")
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.addWidget(scroll, 1)
        foot = hbox()
        foot.addWidget(plain("Every change is saved at once.", "muted"), 1)
        close = QPushButton("Close")
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        foot.addWidget(close)
        column.addLayout(foot)
        self.resize(look.px(620), min(look.px(760), parent.window().height() - 16))
        session.opened.connect(self.reject)
        self.colours.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the button that has the focus with Enter; in a field it keeps what was typed."""
        if not presses_with_enter(self, event):
            super().keyPressEvent(event)

    # --- sections ----------------------------------------------------------------------------------------------------

    def _section(self, title: str) -> QGridLayout:
        """Begin a section: names at the left, fields at the right."""
        if self._body.count():
            self._body.addWidget(line())
        self._body.addWidget(plain(title, "heading"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnMinimumWidth(0, look.px(170))
        grid.setColumnStretch(1, 1)
        self._body.addLayout(grid)
        return grid

    def _add_look(self) -> None:
        grid = self._section("Appearance")
        preferences = settings.load()
        self.colours = _choice("Colours", [(words, theme) for theme, words in look.THEMES.items()], look.theme())
        self.colours.activated.connect(lambda _at: self._commands.set_theme(self.colours.currentData()))
        _add(grid, "Colours", self.colours)
        sizes = [(f"{size} px{' (default)' * (size == look.BODY)}", size) for size in range(SMALLEST, LARGEST + 1)]
        self.text_size = _choice("Text size", sizes, preferences.text_size)
        self.text_size.activated.connect(lambda _at: self._commands.set_text_size(self.text_size.currentData()))
        _add(grid, "Text size", self.text_size)
        self.density = _choice("Density", [(words, name) for name, words in look.DENSITIES.items()], look.density())
        self.density.setToolTip(
            "How close the rows of tables and lists are; in the matrix, compact gives each one line"
        )
        self.density.activated.connect(lambda _at: self._set_density())
        _add(grid, "Density", self.density)

    def _add_work(self) -> None:
        grid = self._section("Work")
        preferences = settings.load()
        self.name = QLineEdit(preferences.analyst)
        self.name.setAccessibleName("Your name")
        self.name.setPlaceholderText("Analyst")
        self.name.setToolTip("Signs your decisions, in the case and in its reports")
        self.name.editingFinished.connect(self._set_name)
        _add(grid, "Your name", self.name)
        self.scan_language = LanguageChoice("Language of scans in new cases")
        self.scan_language.show_languages([code for code in preferences.ocr_language.split("+") if code])
        self.scan_language.chosen.connect(lambda languages: self._keep(ocr_language="+".join(languages)))
        _add(grid, "Scans in new cases", self.scan_language)
        self.advance = _check("After a rating, go to the next unrated cell", preferences.advance)
        self.advance.toggled.connect(lambda on: self._keep_for_matrix(advance=on))
        grid.addWidget(self.advance, grid.rowCount(), 1)
        self.copies = _check("Fold copies into one row of the matrix", window_state.pane("fold-copies") != "-")
        self.copies.toggled.connect(self._fold_copies)
        grid.addWidget(self.copies, grid.rowCount(), 1)
        self.backups = _check("Back up cases automatically", preferences.backups)
        self.backups.toggled.connect(lambda on: self._keep(backups=on))
        grid.addWidget(self.backups, grid.rowCount(), 1)
        self.backup_space = QSpinBox()
        self.backup_space.setRange(0, 1_000_000)
        self.backup_space.setSuffix(" MB")
        self.backup_space.setSpecialValueText("no limit")
        self.backup_space.setValue(preferences.backup_space)
        bare(self.backup_space, "Space for the backups of a case, in MB; 0: no limit", letters=9)
        self.backup_space.editingFinished.connect(lambda: self._keep(backup_space=self.backup_space.value()))
        _add(grid, "Backups of one case", self.backup_space)

    def _add_models(self) -> None:
        grid = self._section("Models")
        current, commands = settings.load(), self._commands
        bench = self._session.workbench
        card = bench.verdicts.judge_card() if bench is not None else None
        judge = card.name if card is not None else Path(current.judge or paths.READER).name
        self._model(grid, "Judge", judge, [("Models...", self._go_to_models)])
        search = Path(current.embedder).name if current.embedder else f"{paths.EMBEDDER} (the program's own)"
        buttons: list[tuple[str, Callable[[], object]]] = [("Choose...", commands.model.trigger)]
        if current.embedder:
            buttons.append(("Default", commands.own_model.trigger))
        self._model(grid, "Search", search, buttons)
        for words, path, choose, leave in (
            ("Reranking", current.reranker, commands.ranking_model, commands.no_ranking_model),
            ("Names", current.names_model, commands.names_model, commands.no_names_model),
        ):
            buttons = [("Choose...", choose.trigger)]
            if path:
                buttons.append(("None", leave.trigger))
            self._model(grid, words, Path(path).name if path else "none", buttons)

    def _model(
        self, grid: QGridLayout, words: str, name: str, buttons: Sequence[tuple[str, Callable[[], object]]]
    ) -> None:
        """Add a line with a model and what can be done about it; doing it closes the dialog."""
        row = hbox(spacing=8)
        row.addWidget(ElidedLabel(name), 1)
        for text, run in buttons:
            button = QPushButton(text)
            button.setAutoDefault(False)
            button.setAccessibleName(f"{words}: {text.rstrip('.')}")
            button.clicked.connect(self.accept)
            button.clicked.connect(lambda _on=False, run=run: run())
            row.addWidget(button)
        grid_row = grid.rowCount()
        grid.addWidget(plain(words, "muted"), grid_row, 0)
        grid.addLayout(row, grid_row, 1)

    def _add_case(self) -> None:
        bench = self._session.workbench
        if bench is None:
            return
        grid = self._section("This case")
        may_change = not bench.case.read_only
        self.case_title = QLineEdit(bench.case.title())
        self.case_title.setAccessibleName("Title of the case")
        self.case_title.setEnabled(may_change)
        self.case_title.editingFinished.connect(self._rename)
        _add(grid, "Title", self.case_title)
        self.case_language = LanguageChoice("Language of the scans of this case")
        self.case_language.show_languages(bench.case.settings().ocr_languages)
        self.case_language.setEnabled(may_change)
        self.case_language.chosen.connect(self._set_case_language)
        _add(grid, "Scans", self.case_language)
        more = QPushButton("Blind rating, grades of sources...")
        more.setAutoDefault(False)
        more.clicked.connect(self.accept)
        more.clicked.connect(lambda: self._commands.case_settings.trigger())
        row = hbox()
        row.addWidget(more)
        row.addStretch(1)
        grid.addLayout(row, grid.rowCount(), 1)

    # --- what is chosen ----------------------------------------------------------------------------------------------

    def _keep(self, **values: Any) -> None:
        settings.save(replace(settings.load(), **values))

    def _keep_for_matrix(self, **values: Any) -> None:
        self._keep(**values)
        self._session.changed.emit(Changes(matrix=True), self)

    def _set_density(self) -> None:
        self._keep(density=self.density.currentData())
        look.set_density(self.density.currentData())

    def _fold_copies(self, on: bool) -> None:
        window_state.keep_pane("fold-copies", "" if on else "-")
        self._session.changed.emit(Changes(matrix=True), self)

    def _set_name(self) -> None:
        if self.name.text().strip() != settings.load().analyst:
            self._keep(analyst=self.name.text().strip())
            self._session.sign_as(settings.load().who)

    def _rename(self) -> None:
        bench, title = self._session.workbench, self.case_title.text().strip()
        if bench is None or not title:
            self.case_title.setText(bench.case.title() if bench is not None else "")
        elif title != bench.case.title():
            self._session.do(lambda bench: bench.case.rename(title), initiator=self)

    def _set_case_language(self, languages: Sequence[str]) -> None:
        self._session.do(lambda bench: bench.case.change_settings(ocr_languages=languages), initiator=self)

    def _go_to_models(self) -> None:
        self._commands.screens["Models"].trigger()


def _add(grid: QGridLayout, words: str, field: QWidget) -> None:
    row = grid.rowCount()
    name = plain(words, "muted")
    name.setBuddy(field)
    grid.addWidget(name, row, 0)
    grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignLeft if isinstance(field, QSpinBox) else Qt.AlignmentFlag(0))


def _choice(name: str, entries: Sequence[tuple[str, Any]], value: object) -> QComboBox:
    choice = NameChoice()
    choice.setAccessibleName(name)
    for words, data in entries:
        choice.addItem(words, data)
    places = [index for index, (_, data) in enumerate(entries) if data == value]
    choice.setCurrentIndex(places[0] if places else 0)
    return choice


def _check(words: str, on: bool) -> QCheckBox:
    box = QCheckBox(words)
    box.setAccessibleName(words)
    box.setChecked(on)
    return box
