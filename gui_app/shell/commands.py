"""The commands of the whole window: actions with their keys, the menu, what Ctrl+K finds, and what each does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from core import files, paths, settings
from core.case.decision_words import verb_in_words
from core.errors import AppError
from gui_app import case_check, recent_cases, window_state
from gui_app.search import names_model_bar
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs
from gui_app.shared import theme as look
from gui_app.shared.command import Command
from gui_app.shell.command_palette import Entry
from gui_app.shell.navigation import PLACES
from gui_app.shell.palette_words import TO_SCREEN

if TYPE_CHECKING:
    from core.progress import Progress
    from core.store import CaseKey
    from core.workbench import Workbench
    from gui_app.handbook.window import HandbookWindow
    from gui_app.shell.steps_card import StepsCard
    from gui_app.shell.window import MainWindow
    from gui_app.tasks import Task

_TEXTS = {
    "Accuracy": "Accuracy: how far each part can be trusted",
    "Offline": "Offline: every path used",
    "Models": "Models: language models, their roles and exams",
    "Recovery": "Recovery: a damaged case",
}  # where the name alone says too little


class Commands:
    """The actions of the window, in the order of the palette, and what they do."""

    def __init__(self, session: CaseSession, window: MainWindow) -> None:
        self._session = session
        self._window = window
        self._navigation = window.navigation
        self._panels = window.panels
        self._intake = window.intake
        self.sample: Path | None = None  # one that was built in another folder
        self._make_actions()

    # --- actions -----------------------------------------------------------------------------------------------------

    def _command(self, text: str, keys: list[str] | str, slot: Callable[[], object], icon: str = "") -> QAction:
        action = Command(text, self._window)
        sequences = [keys] if isinstance(keys, str) else keys
        action.setShortcuts([QKeySequence(key) for key in sequences if key])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _on=False: slot())
        if icon:
            look.set_icon(action, icon)
        self._window.addAction(action)
        return action

    def _make_actions(self) -> None:
        command, session, navigation, panels = self._command, self._session, self._navigation, self._panels
        self.new_case = command("New case", "Ctrl+N", lambda: navigation.begin_case(), "add")
        self.open_case = command("Open case", "Ctrl+O", self._open_case, "case")
        self.open_sample = command("Open sample case", "", lambda: self.build_sample(), "sample")
        self.build_sample_anew = command("Rebuild the sample case", "", lambda: self.build_sample(anew=True))
        self.close_case = command("Close case", "Ctrl+W", self._close_case, "cross")
        self.save_copy = command("Save a copy of the case...", "", self._save_copy, "save")
        self.restore_backup = command("Restore from a backup...", "", self.show_backups, "undo")
        self.passphrase = command("Passphrase of the case...", "", self.show_passphrase, "lock")
        self.back_up = command("Make a backup now", "", session.backups.make)
        self.print = command("Print", "Ctrl+P", self._print)
        self.check_case = command("Verify case", "", lambda: case_check.begin(session))
        self.check_originals = command(
            "Verify case against its originals", "", lambda: case_check.begin(session, with_originals=True)
        )
        self.merge = command("Merge another copy of the case...", "", lambda: navigation.go("Matrix", "merge"))
        self.rebuild_index = command("Rebuild the search index", "", session.rebuild_index)
        self.add_files = command("Add files", "Ctrl+I", self._add_files, "documents")
        self.add_folder = command("Add a folder", "Ctrl+Shift+I", self._add_folder, "folder")
        self.import_matrix = command("Import a matrix...", "", self._import_matrix, "matrix")
        self.export_glossary = command("Export the glossary...", "", self._export_glossary)
        self.undo = command("Undo", "Ctrl+Z", session.undo, "undo")
        self.redo = command("Redo", ["Ctrl+Shift+Z", "Ctrl+Y"], session.redo, "redo")
        self.palette = command("Search or command", "Ctrl+K", self.open_palette, "search")
        self.menu = command("Menu", "F10", self._open_menu)
        self.handbook = command("Help for this screen", "F1", self.show_handbook, "handbook")
        self.shortcuts = command("Shortcuts", "Ctrl+/", self.show_shortcuts, "keyboard")
        self.back = command("Back", "Alt+Left", navigation.back, "back")
        self.forward = command("Forward", "Alt+Right", navigation.forward, "forward")
        self.split = command("Split view", "F6", panels.toggle_viewer, "split")
        self.fold = command("Collapse ranking", "F7", panels.toggle_ranking)
        self.detail = command("Show or hide the details", "F8", panels.toggle_detail)
        self.guide = command("Guide", "F9", panels.toggle_guide)
        self.messages = command("Messages", "F12", self._show_messages, "bell")
        self.jobs = command("Jobs", "Ctrl+Shift+F12", lambda: self._window.job_list.corner.turn())
        self.settings = command("Settings", "Ctrl+,", self.show_settings, "settings")
        self.case_settings = command(
            "Case settings: blind rating, grades of sources", "Ctrl+Shift+,", self.show_case_settings
        )
        self.rename = command("Rename the case...", "", self._rename)
        self.selftest = command("Self-test: try every part of the program", "", self.show_selftest)
        self.about = command("About Disconfirm", "", self.show_about, "info")
        self.screens: dict[str, QAction] = {}
        number = 0
        for place in PLACES:
            keys = place.keys
            if place.in_rail and not keys:
                number += 1
                keys = f"Ctrl+{number}"
            text = f"{TO_SCREEN}{_TEXTS.get(place.name, place.name)}"
            self.screens[place.name] = command(text, keys, partial(navigation.go, place.name), place.icon)
        self._make_choices()

    def _make_choices(self) -> None:
        """Make the actions that choose a name, a model, colours or a text size."""
        command, session = self._command, self._session
        self.name = command("Your name", "", self._ask_name)
        self.model = command(
            "Choose the search model",
            "",
            lambda: self._choose_model("The folder of a search model", session.choose_search_model),
        )
        self.own_model = command("Use the program's own search model", "", lambda: session.choose_search_model(None))
        self.ranking_model = command(
            "Choose a reranking model",
            "",
            lambda: self._choose_model("The folder of a late-interaction model", session.choose_ranking_model),
        )
        self.no_ranking_model = command("Search without reranking", "", lambda: session.choose_ranking_model(None))
        self.names_model = command(
            "Choose a model for names", "", lambda: names_model_bar.choose(session, self._window)
        )
        self.no_names_model = command("Suggest names without a model", "", lambda: session.choose_names_model(None))
        self.cancel = command("Cancel what is running", "Ctrl+.", session.cancel)
        self.quit = command("Quit", "Ctrl+Q", self._window.close)
        group = QActionGroup(self._window)
        self.themes: dict[str, QAction] = {}
        for theme, words in look.THEMES.items():
            action = command(f"Colours: {words}", "", partial(self.set_theme, theme))
            action.setCheckable(True)
            action.setChecked(look.theme() == theme)
            group.addAction(action)
            self.themes[theme] = action
        self.larger = command("Larger text", ["Ctrl++", "Ctrl+="], lambda: self.resize_text(1))
        self.smaller = command("Smaller text", "Ctrl+-", lambda: self.resize_text(-1))
        self.usual_text = command("Default text size", "Ctrl+0", lambda: self.set_text_size(look.BODY))

    def make_menus(self, parent: QWidget) -> list[QMenu]:
        """Make the menus of the window: the commands of the palette, under the usual names."""
        separator = None
        screens = [self.screens[place.name] for place in PLACES if place.name != "Start"]
        table: dict[str, list[QAction | None]] = {
            "&File": [
                *(self.new_case, self.open_case, self.open_sample, self.close_case, separator),
                *(self.add_files, self.add_folder, self.import_matrix, self.export_glossary, separator),
                *(self.save_copy, self.back_up, self.restore_backup, separator, self.print, separator, self.quit),
            ],
            "&Edit": [self.undo, self.redo, separator, self.palette, separator, self.name, self.settings],
            "&View": [
                *(self.back, self.forward, separator, *screens, separator),
                *(self.split, self.fold, self.detail, self.guide, self.messages, self.jobs, separator),
                *(self.larger, self.smaller, self.usual_text, separator, *self.themes.values()),
            ],
            "&Case": [
                *(self.rename, self.case_settings, self.passphrase, separator),
                *(self.check_case, self.check_originals, separator, self.merge),
            ],
            "&Tools": [
                *(self.rebuild_index, self.cancel, separator),
                *(self.model, self.own_model, self.ranking_model, self.no_ranking_model, separator),
                *(self.names_model, self.no_names_model),
            ],
            "&Help": [
                *(self.handbook, self.shortcuts, separator),
                *(self.build_sample_anew, self.selftest, separator, self.about),
            ],
        }
        menus = []
        for title, actions in table.items():
            menu = QMenu(title, parent)
            for action in actions:
                if action is None:
                    menu.addSeparator()
                else:
                    menu.addAction(action)
            menu.aboutToShow.connect(self.name_undo)
            menus.append(menu)
        return menus

    def _open_menu(self) -> None:
        bar = self._window.menuBar()
        bar.setActiveAction(bar.actions()[0])

    def enable(self) -> None:
        """Enable what can be done now."""
        self.back.setEnabled(self._navigation.can_go_back())
        self.forward.setEnabled(self._navigation.can_go_forward())
        has_case = self._session.workbench is not None
        writable = has_case and not self._session.read_only
        for action in (
            self.close_case,
            self.check_case,
            self.check_originals,
            self.save_copy,
            self.export_glossary,
            self.split,
            self.fold,
            self.detail,
            self.guide,
            self.case_settings,
        ):
            action.setEnabled(has_case)
        changing = (
            self.add_files,
            self.add_folder,
            self.import_matrix,
            self.back_up,
            self.rebuild_index,
            self.merge,
            self.rename,
            self.passphrase,
        )
        for action in changing:
            action.setEnabled(writable)
        self.name_undo()

    def name_undo(self) -> None:
        """Show what Undo and Redo are about."""
        bench = self._session.workbench
        writable = bench is not None and not bench.case.read_only
        for action, verb, word in (
            (self.undo, bench.case.undo_text() if bench is not None else "", "Undo"),
            (self.redo, bench.case.redo_text() if bench is not None else "", "Redo"),
        ):
            action.setText(f"{word}: {verb_in_words(verb)}" if verb else word)
            action.setEnabled(writable and bool(verb))
        if bench is not None and writable and bench.case.undo_stopped_by_erasure():
            # Its keys stay on: what does nothing and says nothing looks broken.
            self.undo.setText("Undo: not possible after an erasure")
            self.undo.setEnabled(True)

    # --- the palette -------------------------------------------------------------------------------------------------

    def open_palette(self, text: str = "") -> None:
        """Ctrl+K; ``text`` is in the field then."""
        if self._session.workbench is not None:
            for place in PLACES:  # the palette holds the commands of every screen
                self._navigation.screen_named(place.name)
        search = self._navigation.search_for if self._session.workbench is not None else None
        self._window.palette_popup.ask(self.entries(), search, text)

    def entries(self) -> list[Entry]:
        """List everything that Ctrl+K can find now: this screen's commands first."""
        entries: list[Entry] = []
        navigation = self._navigation
        screen = navigation.current()
        # A screen's own key for what the window does too is no second command.
        twice = {self.undo.text().partition(":")[0]}
        own_actions = (
            [action for action in screen.actions() if action.text() not in twice] if screen is not None else []
        )
        for action in [*own_actions, *self._window.actions()]:
            if action is self.palette or not action.text():
                continue
            kind = navigation.current_name if action in own_actions else "command"
            keys = ", ".join(key.toString() for key in action.shortcuts()[:1])
            entries.append(Entry(action.text(), kind, action.trigger, keys, action.isEnabled()))
        for elsewhere in navigation.screens.values():
            if elsewhere is screen or (elsewhere.needs_case and self._session.workbench is None):
                continue
            for action in elsewhere.actions():
                if action.isEnabled() and action.text() and action.text() not in twice:
                    run = self._go_and_trigger(elsewhere.name, action)
                    entries.append(Entry(action.text(), elsewhere.name, run, "", True))
        for name, path in recent_cases.names():
            entries.append(Entry(f"Open {name}", "recent case", partial(self._session.open, path)))
        bench = self._session.workbench
        if bench is not None:
            for hypothesis in bench.hypotheses.all():
                title = f"{hypothesis.id} {hypothesis.text}"
                entries.append(Entry(title, "hypothesis", partial(self._panels.select, hypothesis)))
            for document in bench.documents.all():
                show = partial(navigation.open_source, document.id, 1, 0, 0)
                entries.append(Entry(document.name, "document", show))
        return entries

    def _go_and_trigger(self, name: str, action: QAction) -> Callable[[], None]:
        def run() -> None:
            self._navigation.go(name)
            action.trigger()

        return run

    # --- sheets ------------------------------------------------------------------------------------------------------

    @cached_property
    def handbook_window(self) -> HandbookWindow:
        """The handbook. It is nobody's child, so that no dialog of this window keeps it from being read."""
        from gui_app.handbook.window import HandbookWindow

        window = HandbookWindow()
        window.text_resized.connect(lambda step: self.resize_text(step) if step else self.usual_text.trigger())
        return window

    def show_handbook(self, page: str = "", anchor: str = "") -> None:
        """F1: the page of the screen on show, or the one that is asked for."""
        screen = self._navigation.current()
        if not page and screen is not None:
            page, anchor = screen.name.lower(), screen.handbook_section()
        window = self.handbook_window
        window.show()  # first, since a heading is scrolled to where the text has its width
        window.open(page, anchor)
        window.raise_()
        window.activateWindow()

    def close_handbook(self) -> None:
        """Close the handbook with the window."""
        if "handbook_window" in self.__dict__:
            self.handbook_window.close()
            self.handbook_window.deleteLater()
            del self.handbook_window

    def _open_dialog(self, dialog: QDialog, page: str, anchor: str = "") -> None:
        """Open a dialog in which F1 shows its page of the handbook, and that goes when it is closed."""
        help_key = Command("Handbook", dialog)
        help_key.setShortcut(QKeySequence("F1"))
        help_key.triggered.connect(lambda _on=False: self.show_handbook(page, anchor))
        dialog.addAction(help_key)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def show_shortcuts(self) -> None:
        """Show the keys of this screen and of the window."""
        from gui_app.shell.shortcut_sheet import ShortcutSheet

        screen, name = self._navigation.current(), self._navigation.current_name
        sheet = ShortcutSheet(name, screen.actions() if screen else [], self._window.actions(), self._window)
        self._open_dialog(sheet, "keys")

    def show_settings(self) -> None:
        """Ctrl+comma: colours, sizes, the person's name, models, and what belongs to the open case."""
        from gui_app.shell.settings_dialog import SettingsDialog

        self._open_dialog(SettingsDialog(self._session, self, self._window), "settings")

    def show_about(self) -> None:
        """Show version, licences, and what the program never does."""
        from gui_app.shell.about import AboutDialog

        self._open_dialog(AboutDialog(self.selftest, self._window), "README")

    def show_selftest(self) -> None:
        """Try every part of the program, in a table that fills meanwhile."""
        from gui_app.shell.selftest_dialog import SelfTestDialog

        self._open_dialog(SelfTestDialog(self._session, self._window), "troubles", "testing-the-program-itself")

    def _show_messages(self) -> None:
        """Show what was said, or put it away; what a toast says is in the list as well."""
        self._window.toast.hide()
        self._window.message_list.corner.turn()

    def _rename(self) -> None:
        bench = self._session.workbench
        title = file_dialogs.ask_title(self._window, bench.case.title()) if bench is not None else ""
        if title:
            self._session.do(lambda bench: bench.case.rename(title))

    def show_case_settings(self) -> None:
        """Show what belongs to the case and is decided like everything else in it."""
        if self._session.workbench is None:
            return
        from gui_app.matrix.case_settings import CaseSettingsPage

        self._open_dialog(CaseSettingsPage(self._session, self._window), "settings", "settings-of-the-case")

    def show_backups(self, case: Path | None = None) -> None:
        """Show the backups of a case: the open one, else the one selected on the first page, or asked for."""
        if case is None:
            bench = self._session.workbench
            case = bench.path if bench is not None else self._navigation.case_on_start()
            if case is None:
                case = file_dialogs.ask_case(self._window, window_state.folder("cases"), "Restore which case?")
            if case is None:
                return
        from gui_app.shell.backups_dialog import BackupsDialog

        self._open_dialog(BackupsDialog(self._session, case, self._window), "cases", "backups")

    def show_passphrase(self) -> None:
        """Show what gives the open case a passphrase, another one, or none."""
        bench = self._session.workbench
        if bench is None or self._session.read_only:
            return
        from gui_app.shell.passphrase_dialog import PassphraseDialog

        self._open_dialog(PassphraseDialog(self._session, bench.path, self._window), "cases", "encryption")

    def ask_passphrase(self, case: Path, then: Callable[[CaseKey], object], is_backup: bool = False) -> None:
        """Ask for the passphrase of a case, or of a backup of one, and go on with its key."""
        from gui_app.shell.unlock_dialog import UnlockDialog

        self._open_dialog(
            UnlockDialog(self._session, case, then, self._window, None if is_backup else self.show_backups),
            "cases",
            "encryption",
        )

    # --- cases and files ---------------------------------------------------------------------------------------------

    def _open_case(self) -> None:
        path = file_dialogs.ask_case(self._window, window_state.folder("cases"))
        if path is not None:
            window_state.keep_folder("cases", path.parent)
            self._session.open(path)

    def show_updating(self, task: Task) -> None:
        """Show the steps of a case of an older format that is opened."""
        self.opening_card.follow(
            task,
            ("Keeping a copy of the case as it was", "Making the word index again"),
            lambda: 1 if task.total else 0,
            "An older version of Disconfirm made this case. This is done once; Cancel leaves the case as it was.",
            self._session.tasks.cancel,
        )
        task.ended.connect(lambda: self._navigation.tell_opening(""))

    def _save_copy(self) -> None:
        bench = self._session.workbench
        if bench is None:
            return
        target = file_dialogs.ask_copy(self._window, bench.path)
        if target is not None:
            self._session.backups.save_copy(target)

    def _print(self) -> None:
        screen = self._navigation.current()
        if screen is not None:
            screen.print_page()

    def _export_glossary(self) -> None:
        """Ask for a file and write the terms that the documents explain, in the form that its ending names."""
        bench = self._session.workbench
        if bench is None:
            return
        from core.glossary import forms  # loaded with the case

        kinds = ";;".join(f"{words[:1].upper()}{words[1:]} (*{ending})" for ending, words in forms.FORMS.items())
        target = file_dialogs.ask_target(
            self._window,
            "Export the glossary",
            window_state.folder("glossaries") / f"{bench.path.stem} glossary.md",
            kinds,
            lambda path: path if path.suffix.lower() in forms.FORMS else path.with_name(f"{path.name}.md"),
        )
        if target is None:
            return
        window_state.keep_folder("glossaries", target.parent)

        def work(bench: Workbench, progress: Progress) -> tuple[int, int]:
            entries = bench.glossary.entries(progress)
            cards = bench.glossary.cards(entries)
            files.write(
                target, forms.render(target.suffix.lower(), bench.case.title(), entries, cards), never=bench.path
            )
            return len(entries), len(cards)

        def tell(counts: tuple[int, int]) -> None:
            entries = f"{counts[0]:,} {'term' if counts[0] == 1 else 'terms'}"
            cards = f"{counts[1]:,} {'card' if counts[1] == 1 else 'cards'}"
            self._session.tell(f"{target.name}: {entries}, {cards}.{self._session.in_clear}")

        self._session.run("Writing the glossary", work, done=tell)

    def _add_files(self) -> None:
        files = file_dialogs.ask_documents(self._window, window_state.folder("documents"))
        if files:
            window_state.keep_folder("documents", files[0].parent)
            self._intake.add_paths(files)

    def _add_folder(self) -> None:
        start = window_state.folder("documents")
        folder = file_dialogs.ask_folder(self._window, "Add a folder with everything in it", start)
        if folder is not None:
            window_state.keep_folder("documents", folder)
            self._navigation.consider([folder])

    def _import_matrix(self) -> None:
        path = file_dialogs.ask_matrix(self._window, window_state.folder("matrices"))
        if path is not None:
            window_state.keep_folder("matrices", path.parent)
            self._intake.import_matrix(path)

    @cached_property
    def steps_card(self) -> StepsCard:
        """Return the card of the building of the sample case."""
        return self._make_card()

    @cached_property
    def opening_card(self) -> StepsCard:
        """Return the card of the opening of a case of an older format."""
        return self._make_card()

    @cached_property
    def closing_card(self) -> StepsCard:
        """Return the card of the closing of a large case."""
        return self._make_card()

    def _make_card(self) -> StepsCard:
        from gui_app.shell.steps_card import StepsCard

        return StepsCard(self._window.centralWidget() or self._window)

    def visible_card(self) -> StepsCard | None:
        """Return the card on show in the middle of the window, if there is one."""
        for name in ("closing_card", "opening_card", "steps_card"):
            card = cast("StepsCard | None", self.__dict__.get(name))  # made when it is first needed
            if card is not None and card.isVisible():
                return card
        return None

    def _close_case(self) -> None:
        """Close the case; the steps of that are shown where its backup takes its time."""
        if "closing_card" in self.__dict__ and self.closing_card.isVisible():
            return
        task = self._session.backups.close_case()
        if task is not None:
            self.closing_card.follow(
                task,
                ("Stopping what is running", "Making a backup, in MB", "Closing"),
                lambda: 0 if task.state == "waiting" else 1,
                "All your work is saved. If you close without a backup, only the backup is missing.",
                self._session.tasks.cancel,
                stop="Keep it open",
                instead=("Close without a backup", lambda: self._session.close_case(backup=False)),
            )

    def build_sample(self, folder: Path | None = None, *, anew: bool = False) -> None:
        """Open the sample case; make it first when it is not there, with its steps in the middle of the window.

        The packaged program has one ready. ``again``: build it in any case; the one that is there keeps its work
        under another name.
        """
        from core.sample_case import CASE, STEPS, build_sample, default_folder, finished_sample, packaged_sample

        if not anew:
            try:
                ready = finished_sample(folder)
                if ready is None and (ready := packaged_sample(folder)) is not None:
                    window_state.keep_last_screen(ready, "Matrix")
            except AppError as error:
                self._session.report(error)
                return
            if ready is not None:
                self._session.open(ready)
                return
        bench = self._session.workbench
        if anew and bench is not None and bench.path == (folder or default_folder()) / CASE:
            self._session.close_case()  # it gets another name
        if self.steps_card.isVisible():
            return
        engines = self._session.engines
        step = [0]

        def build(progress: Progress) -> Path:
            def begin(number: int) -> None:
                step[0] = number
                progress.step(0, 0, STEPS[number])

            case = build_sample(engines, folder, progress, on_step=begin).case
            window_state.keep_last_screen(case, "Matrix")
            self.sample = case
            return case

        task = self._session.build("Building the sample case", build)
        self.steps_card.follow(
            task,
            STEPS,
            lambda: step[0],
            "A minute or two, once. It opens on its matrix when it is ready; until then you can use the window.",
            self._session.tasks.cancel,
        )

    # --- what is set for the program ---------------------------------------------------------------------------------

    def set_theme(self, theme: str) -> None:
        """Change the colours and remember it."""
        choice = replace(settings.load(), theme=theme)
        settings.save(choice)
        for name, action in self.themes.items():
            action.setChecked(name == theme)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            look.apply(app, theme, text_size=choice.text_size)  # type: ignore[arg-type]

    def _ask_name(self) -> None:
        current = settings.load()
        name = file_dialogs.ask_name(self._window, current.analyst)
        if name is not None:
            settings.save(replace(current, analyst=name))
            self._session.sign_as(settings.load().who)

    def _choose_model(self, title: str, choose: Callable[[Path], object]) -> None:
        folder = file_dialogs.ask_folder(self._window, title, paths.models())
        if folder is not None:
            choose(folder)

    def resize_text(self, step: int) -> None:
        """Make the text larger or smaller, by so many pixels."""
        self.set_text_size(settings.load().text_size + step)

    def set_text_size(self, size: int) -> None:
        """Change the text size, in pixels, and remember it."""
        choice = settings.load()
        size = max(10, min(22, size))
        if choice.text_size == size:
            return
        choice = replace(choice, text_size=size)
        settings.save(choice)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            look.apply(app, look.theme(), text_size=choice.text_size)
