"""Names: who and what the case is about, what the documents suggest, and where each name occurs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QListView, QSplitter, QVBoxLayout, QWidget

from core.domain import Changes, Chunk, Entity
from gui_app.search.name_detail import NameDetail
from gui_app.search.name_lists import NameLists
from gui_app.search.names_model import KINDS, case_kind, fitting, of_candidates, of_entities, of_spellings
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.case_view import CaseView
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import counted
from gui_app.shared.row_in_hand import take_row

if TYPE_CHECKING:
    from core.entities.names import Candidate, CoOccurrence
    from core.entities.service import NameCount, Suggestions
    from core.entities.spellings import Spelling
    from core.errors import AppError
    from core.progress import Progress
    from core.workbench import Workbench
    from gui_app.tasks import Task


class NamesPage(CaseView):
    """Two lists at the left, names of the case and suggested names; at the right the places of the selected one."""

    concerns = Changes(documents=True)
    selected = Signal(object)  # the passage (Chunk) in hand

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setAccessibleName("Names")
        self._entities: list[Entity] = []
        self._counts: dict[str, NameCount] = {}
        self._together: list[CoOccurrence] = []
        self._candidates: list[Candidate] | None = None
        self._spellings: list[Spelling] = []
        self._alias_of: dict[str, Entity] = {}  # of the spellings that are suggested, the name of the case
        self._looked_at: tuple[str, ...] = ()  # the documents that the suggestions were made from
        self._looked_by = ""  # and the model
        self._looked_for: set[str] = set()  # the names whose other spellings were looked for
        self._problem: AppError | None = None  # why the model could not be asked
        self._task: Task | None = None
        self._pending_id = ""  # the id of a name to be selected when it is on the list
        self._make_commands()
        self._build()
        self._name_actions()

    # --- layout ------------------------------------------------------------------------------------------------------

    def _make_commands(self) -> None:
        keys = ", ".join(f"{key} {kind}" for key, kind in KINDS.items())
        self.confirm_action = self.command(
            "Confirm the name", None, self._confirm, shown_keys="Enter", tip="It is a name of the case"
        )
        self.reject_action = self.command(
            "Not a name", None, self._reject, shown_keys="Del", tip="Do not suggest it again"
        )
        self.merge_action = self.command(
            "Another name of the selected one, or several as one name", None, self._merge, shown_keys="M",
            tip="Add the suggestion as an alias of the name selected above; make several suggestions one name",
        )  # fmt: skip
        self.kind_action = self.command(
            "Set the kind of a name", None, self._to_kind, shown_keys=keys, tip=f"Its kind: {keys}"
        )
        self.add_action = self.command("Add a name", "Ctrl+Shift+A", self._add)
        self.remove_action = self.command("Remove the name", None, self._remove, shown_keys="Del")
        self.suggest_action = self.command(
            "Look for names", "Ctrl+Shift+L", self._suggest, tip="Go through all documents in scope"
        )
        self.open_action = self.command(
            "Show the passage on its page", None, lambda: self.detail.open(), shown_keys="Enter in the passages"
        )

    def _build(self) -> None:
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.lists = NameLists(
            self.session,
            self,
            add=self.add_action,
            suggest=self.suggest_action,
            decisions=(self.confirm_action, self.reject_action, self.merge_action),
        )
        self.lists.row_changed.connect(self._row_changed)
        self.lists.narrowed.connect(self._show_lists)
        self.lists.codes_button.toggled.connect(lambda _on: take_row(self.lists.suggestion_list, 0))
        self.lists.suggestion_list.selectionModel().selectionChanged.connect(lambda *_: self._name_actions())
        self.lists.cancel_button.clicked.connect(self._cancel)
        self.detail = NameDetail(self.suggest_action.trigger)
        self.detail.edited.connect(self._save_field)
        self._draft = FieldDraft(self.session, self.detail.note_field)
        self.detail.name_chosen.connect(self.select)
        self.detail.passage_chosen.connect(self.selected)
        self.detail.show_source.connect(self.show_source)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.lists)
        splitter.addWidget(self.detail)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([theme.px(300), 700])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
        self.setFocusProxy(self.lists.name_list)

    # --- showing -----------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the names of the case, and in the background how often each occurs."""
        bench = self.session.workbench
        if bench is None:
            return
        self._dirty = False
        self._entities = bench.entities.all()
        self.lists.by.refresh()
        self._show_lists()
        if self._in_hand is None and self.lists.names.rows:
            take_row(self.lists.name_list, 0)

        def read(bench: Workbench) -> tuple[dict[str, NameCount], list[CoOccurrence]]:
            return bench.entities.counts(), bench.entities.co_occurrences()

        self.read(read, self._take_counts, key="names")

    def forget(self) -> None:
        """Show nothing of the case before."""
        self._entities, self._counts, self._together, self._candidates = [], {}, [], None
        self._looked_at, self._looked_by, self._problem, self._pending_id = (), "", None, ""
        self._spellings, self._looked_for = [], set()
        self.detail.entity = None
        self.lists.filter.clear()
        self.lists.codes_button.setChecked(False)
        self._show_lists()

    def select(self, entity: str) -> None:
        """Show a name of the case."""
        self._pending_id = entity
        self.lists.rejected_button.setChecked(False)
        if self.lists.filter.text():
            self.lists.filter.clear()
        else:
            self._show_lists()

    def _take_counts(self, result: tuple[dict[str, NameCount], list[CoOccurrence]]) -> None:
        self._counts, self._together = result
        self._show_lists()
        self._show_bars()

    def _show_lists(self) -> None:
        rejections = [entity for entity in self._entities if entity.status == "rejected"]
        names = [entity for entity in self._entities if entity.status == "confirmed"]
        words, on_rejections = self.lists.filter.text(), self.lists.rejected_button.isChecked()
        rows = of_entities(rejections if on_rejections else names, self._counts)
        self.lists.show_names(fitting(rows, words), names=len(names), rejections=len(rejections))
        case_names = {name.casefold() for entity in self._entities for name in (entity.name, *entity.aliases)}
        by_id = {entity.id: entity for entity in names}
        spellings = [s for s in self._spellings if s.entity in by_id and s.text.casefold() not in case_names]
        spellings = list({spelling.text: spelling for spelling in spellings}.values())
        self._alias_of = {spelling.text: by_id[spelling.entity] for spelling in spellings}
        listed = case_names | {text.casefold() for row in spellings for text in (row.text, *row.others)}
        left = [candidate for candidate in self._candidates or [] if candidate.name.casefold() not in listed]
        codes = [candidate for candidate in left if candidate.is_code]
        left = [candidate for candidate in left if not candidate.is_code]
        if self.lists.codes_button.isChecked():
            rows = of_candidates(codes)
        else:
            rows = [*of_spellings(spellings, by_id), *of_candidates(left)]
        self.lists.show_suggestions(fitting(rows, words), case_names, codes=len(codes))
        self._tell_suggestions(len(rows))
        if self._pending_id and self.lists.select_name(self._pending_id):
            self._pending_id = ""
        self._show_detail()
        self._name_actions()

    def _tell_suggestions(self, left: int) -> None:
        looking = self._task is not None and not self._task.is_over()
        self.lists.tell_suggestions(
            self._message(left, looking=looking),
            title=f"Suggested {left:,}" if self._candidates is not None else "Suggested",
            suggest="Refresh" if self._candidates is not None else "Look for names",
            looking=looking,
        )

    def _message(self, left: int, *, looking: bool) -> str:
        """Return the state of the suggestions in words; ``left`` are not decided on."""
        if looking and self._task is not None:
            return self._task.what or "Looking for names"
        if self._candidates is None:
            return "Names that the documents suggest: confirm those that matter, reject the others."
        if self._looked_by != self.lists.by.model:
            return "The model has changed since."
        if self._looked_at != self._documents():
            return "The documents have changed since."
        if any(entity.status == "confirmed" and entity.id not in self._looked_for for entity in self._entities):
            return "Refresh looks for other spellings of names that were added since."
        if self._problem is not None:
            return "By form alone: the model cannot be used."
        return "" if left else "Nothing is left to decide."

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the charts of the selected name in a narrow page."""
        super().resizeEvent(event)
        self.detail.stack_bars(narrow=self.width() < theme.px(880))

    def _documents(self) -> tuple[str, ...]:
        bench = self.session.workbench
        return () if bench is None else tuple(d.id for d in bench.documents.all() if d.included and d.pages)

    # --- the current name --------------------------------------------------------------------------------------------

    def _row_changed(self, view: QListView | None) -> None:
        if view is not None:
            self._in_hand = view
            self._show_detail()
        self._name_actions()

    _in_hand: QListView | None = None

    def chosen(self) -> Entity | None:
        """Return the name of the case that is selected."""
        row = self.lists.name_list.currentIndex().row()
        return self.lists.names.rows[row].of if 0 <= row < len(self.lists.names.rows) else None

    def suggestion(self) -> Candidate | None:
        """Return the suggestion that is selected."""
        row = self.lists.suggestion_list.currentIndex().row()
        return self.lists.suggestions.rows[row].of if 0 <= row < len(self.lists.suggestions.rows) else None

    def suggestions(self) -> list[Candidate]:
        """Return the suggestions that are selected, from top to bottom."""
        rows = self.lists.suggestions.rows
        places = sorted(index.row() for index in self.lists.suggestion_list.selectionModel().selectedIndexes())
        selection = [rows[row].of for row in places if row < len(rows)]
        suggestion = self.suggestion()
        return selection if len(selection) > 1 else [suggestion] if suggestion is not None else []

    def in_hand(self) -> Chunk | None:
        """Return the passage that is selected."""
        return self.detail.in_hand()

    def _show_detail(self) -> None:
        entity, suggestion = self.chosen(), self.suggestion()
        if self._in_hand is self.lists.suggestion_list and suggestion is not None:
            self.detail.show_suggestion(suggestion)
            self._read_places(suggestion.name, suggestion.spellings)
        elif entity is not None:
            self.detail.show_name(entity, writable=not self.session.read_only)
            self._draft.begin(f"Note on the name {entity.name}")
            self._show_bars()
            self._read_places(entity.name, entity.aliases)
        else:
            self.detail.show_nothing(
                "Select a name to see where it occurs, and with whom."
                if self._entities or self._candidates
                else "Names let you search for a person or a place by every name it goes by.",
                is_new=not self._entities and self._candidates is None and self._task is None,
            )

    def _read_places(self, name: str, spellings: Sequence[str]) -> None:
        self.read(
            lambda bench: bench.entities.occurrences(name, spellings), self.detail.show_places, key="names-places"
        )

    def _show_bars(self) -> None:
        bench, entity = self.session.workbench, self.detail.entity
        if entity is not None:
            names = {} if bench is None else {document.id: document.name for document in bench.documents.all()}
            self.detail.show_counts(self._entities, self._counts.get(entity.id), self._together, names)

    # --- decisions ---------------------------------------------------------------------------------------------------

    def _name_actions(self) -> None:
        free = not self.session.read_only and self.session.workbench is not None
        entity, suggestion = self.chosen(), self.suggestion()
        is_rejected = entity is not None and entity.status == "rejected"
        self.confirm_action.setEnabled(free and (suggestion is not None or is_rejected))
        self.reject_action.setEnabled(free and suggestion is not None)
        count = len(self.suggestions())
        has_name = entity is not None and not is_rejected
        self.merge_action.setEnabled(free and suggestion is not None and (has_name or count > 1))
        self.lists.show_choice(count, entity.name if entity is not None else "")
        self.kind_action.setEnabled(free and (suggestion is not None or entity is not None))
        self.remove_action.setEnabled(free and entity is not None)
        self.add_action.setEnabled(free)
        self.suggest_action.setEnabled(self.session.workbench is not None)
        self.open_action.setEnabled(self.detail.has_places())

    def _do(self, verb: Callable[[Workbench], object], message: str) -> bool:
        """Run a decision on names, and say that it can be undone."""

        def decision(bench: Workbench) -> Changes:
            verb(bench)
            return Changes(documents=True)

        result = self.session.do(decision, initiator=self)
        if result is None:
            self._show_lists()
            return False
        self.session.tell(message, undo=True)
        return True

    def _confirm(self, kind: str | None = None) -> None:
        suggestion, several = self.suggestion(), self.suggestions()
        entity = self.chosen()
        if len(several) > 1 and self._in_hand is not self.lists.name_list:
            names = [self._decision(candidate, kind) for candidate in several]
            self._do(lambda bench: bench.entities.add_all(names), f"{len(names):,} suggestions confirmed")
        elif self._in_hand is self.lists.name_list and entity is not None and entity.status == "rejected":
            self._do(
                lambda bench: bench.entities.edit(entity.id, status="confirmed"), f"“{entity.name}” is a name again"
            )
        elif suggestion is not None:
            name, new_kind, aliases = self._decision(suggestion, kind)
            is_alias = name != suggestion.name
            self._do(
                lambda bench: bench.entities.add(name, kind=new_kind, aliases=aliases),
                f"“{suggestion.name}” is {f'another name of {name}' if is_alias else 'a name of the case'}",
            )

    def _decision(self, suggestion: Candidate, kind: str | None) -> tuple[str, str, Sequence[str]]:
        """Return the name, the kind and the aliases that a confirmed suggestion adds to the case.

        Another spelling is an alias of its name, unless its own ``kind`` is given: then it is a name of its own.
        """
        entity = self._alias_of.get(suggestion.name) if kind is None else None
        if entity is not None:
            return entity.name, "", (suggestion.name, *suggestion.spellings)
        return suggestion.name, case_kind(suggestion.kind) if kind is None else kind, suggestion.spellings

    def _reject(self) -> None:
        suggestion, several = self.suggestion(), self.suggestions()
        if len(several) > 1:
            names = [(candidate.name, "", candidate.spellings) for candidate in several]
            self._do(
                lambda bench: bench.entities.add_all(names, status="rejected"),
                f"{len(names):,} names won’t be suggested again",
            )
        elif suggestion is not None:
            self._do(
                lambda bench: bench.entities.add(suggestion.name, status="rejected", aliases=suggestion.spellings),
                f"“{suggestion.name}” won’t be suggested again",
            )

    def _merge(self) -> None:
        suggestion, entity, several = self.suggestion(), self.chosen(), self.suggestions()
        if len(several) > 1:
            self._make_one(several)
            return
        if suggestion is None or entity is None or entity.status != "confirmed":
            self.session.status.emit("Select the name above that this is another name of.")
            return
        aliases = [*entity.aliases, suggestion.name, *suggestion.spellings]
        self._do(
            lambda bench: bench.entities.edit(entity.id, aliases=aliases),
            f"“{suggestion.name}” is another name of {entity.name}",
        )

    def _make_one(self, several: Sequence[Candidate]) -> None:
        """Make suggestions one name of the case: the longest, of several as long the first; the others are aliases."""
        head = max(several, key=lambda candidate: (len(candidate.name.split()), len(candidate.name)))
        spellings = (spelling for candidate in several for spelling in (candidate.name, *candidate.spellings))
        aliases = list(dict.fromkeys(spelling for spelling in spellings if spelling != head.name))
        kind = case_kind(next((candidate.kind for candidate in (head, *several) if candidate.kind), ""))
        self._do(
            lambda bench: bench.entities.add(head.name, kind=kind, aliases=aliases),
            f"“{head.name}” is a name of the case, with {counted(len(several) - 1, 'alias', 'aliases')}",
        )

    def _say_kind(self, view: QListView, kind: str) -> None:
        """Set the kind of the selected name by its key, which confirms a suggestion."""
        entity = self.chosen()
        if view is self.lists.suggestion_list:
            self._confirm(kind)
        elif entity is not None and entity.kind != kind:
            self._do(lambda bench: bench.entities.edit(entity.id, kind=kind), f"{entity.name}: {kind}")

    def _to_kind(self) -> None:
        if self.detail.entity is not None:
            self.detail.kind_field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _remove(self) -> None:
        entity = self.chosen()
        if entity is not None:
            self._do(lambda bench: bench.entities.remove(entity.id), f"“{entity.name}” removed")

    def _add(self) -> None:
        """Make a name of what is written in the filter; with nothing there, ask for one in it."""
        name = " ".join(self.lists.filter.text().split())
        if not name:
            self.lists.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.session.status.emit("Write the name, then add it.")
            return
        entities: list[Entity] = []
        self.lists.filter.clear()
        if self._do(lambda bench: entities.append(bench.entities.add(name)), f"“{name}” is a name of the case"):
            self.select(entities[0].id)

    def _save_field(self, field: str, value: str | list[str]) -> None:
        entity = self.detail.entity
        if entity is None:
            return
        now = list(entity.aliases) if field == "aliases" else getattr(entity, field)
        if isinstance(value, list):
            value = [part for part in value if part]
        if value != now:
            self._do(lambda bench: bench.entities.edit(entity.id, **{field: value}), f"{entity.name} saved")

    # --- suggestions -------------------------------------------------------------------------------------------------

    def _suggest(self) -> None:
        looked_at, looked_by = self._documents(), self.session.names_model
        looked_for = {entity.id for entity in self._entities}

        def look(bench: Workbench, progress: Progress) -> tuple[Suggestions, list[Spelling]]:
            return bench.entities.suggested(progress), bench.entities.spellings(progress)

        def found(result: tuple[Suggestions, list[Spelling]]) -> None:
            (candidates, self._problem), self._spellings = result
            self._looked_for = looked_for
            is_first = not self.lists.suggestions.rows
            self._candidates, self._looked_at, self._looked_by = list(candidates), looked_at, looked_by
            if self._problem is not None:
                self.session.failed.emit(self._problem)
            self._show_lists()
            if is_first and self.lists.suggestions.rows:
                take_row(self.lists.suggestion_list, 0)
            codes = sum(candidate.is_code for candidate in candidates)
            parts = [f"{counted(len(candidates) - codes, 'name')} suggested"]
            parts += [counted(codes, "code")] * bool(codes)
            parts += [counted(len(self._spellings), "other spelling")] * bool(self._spellings)
            self.session.status.emit(", ".join(parts))

        task = self.session.run("Looking for names", look, done=self.while_here(found), again=self._suggest)
        if task is None:
            return
        self._task = task
        task.progressed.connect(self._looking)
        task.ended.connect(self._finish)
        self._looking()

    def _looking(self) -> None:
        self._tell_suggestions(len(self.lists.suggestions.rows))

    def _finish(self) -> None:
        self._task = None
        self._tell_suggestions(len(self.lists.suggestions.rows))
        self._name_actions()

    def _cancel(self) -> None:
        if self._task is not None:
            self.session.tasks.cancel(self._task)

    # --- keys --------------------------------------------------------------------------------------------------------

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Decide on the selected name with Enter, Delete, M and the keys of the kinds; leave the filter with Down."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if target is not self.lists.filter and _decides(event):
                event.accept()  # a command of the screen around it may have the same letter
            return False
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        key = event.key()
        bare = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if target is self.lists.filter:
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
                self.lists.leave_filter()
                return True
            return False
        if not bare or target not in (self.lists.name_list, self.lists.suggestion_list) or self.session.read_only:
            return False
        view = self.lists.suggestion_list if target is self.lists.suggestion_list else self.lists.name_list
        self._in_hand = view
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if view is self.lists.suggestion_list or self.lists.rejected_button.isChecked():
                self._confirm()
            else:
                self.detail.passages.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        if key == Qt.Key.Key_Delete:
            self._reject() if view is self.lists.suggestion_list else self._remove()
            return True
        if key == Qt.Key.Key_M and view is self.lists.suggestion_list:
            self._merge()
            return True
        letter = event.text().upper()
        if letter in KINDS and view.currentIndex().isValid():
            self._say_kind(view, KINDS[letter])
            return True
        return False


def _decides(event: QKeyEvent) -> bool:
    """Return whether a key decides on the selected name."""
    bare = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Delete, Qt.Key.Key_M)
    return bare and (event.key() in keys or event.text().upper() in KINDS)
