"""The language models of this computer: what each is, what it is used for, how fast it is, what it reached in the exam.

A model that did not pass may not judge; without any model everything else works.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QAction, QColor, QDragEnterEvent, QDropEvent, QFontMetrics, QGuiApplication, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QLabel,
    QListView,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from core import errors
from core.domain import Changes
from core.model_files import registry
from core.model_files.registry import Added
from core.progress import Progress
from core.runtime import roles as models
from core.runtime.roles import ModelStatus, Role
from gui_app import window_state
from gui_app.models.exam_view import ExamView
from gui_app.models.models_model import Index, ModelList, exam_word, used_for
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs, theme
from gui_app.shared.announce import announce
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.fold import Fold
from gui_app.shared.formatting import counted, file_size
from gui_app.shared.header import Header, button
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.row_painting import LEFT, RIGHT, draw_ground, draw_line_below
from gui_app.shared.screen import Screen
from gui_app.tasks import Task, raise_on_window

# What a model does for the person, by its role.
_DOES: dict[Role, str] = {
    "judge": (
        "Reads each passage of your documents and says whether it speaks for or against each hypothesis. Nothing "
        "counts until you decide."
    ),
    "second_reader": "Reads the close verdicts, and those that the ranking depends on, a second time.",
    "text_model": "Drafts searches and hypotheses, for you to change. It gives no verdicts.",
}


class _Delegate(QStyledItemDelegate):
    """Name and use above, size and exam below."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, theme.px(56) + 2 * theme.air())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t, row = theme.tokens(), index.data(Qt.ItemDataRole.UserRole)
        rect: QRect = option.rect
        painter.save()
        draw_ground(painter, option)
        draw_line_below(painter, rect)
        inner = rect.adjusted(24, theme.px(9) + theme.air(), -16, -theme.px(9) - theme.air())
        line_height = inner.height() // 2
        top = QRect(inner.left(), inner.top(), inner.width(), line_height)
        low = QRect(inner.left(), inner.top() + line_height, inner.width(), line_height)
        for box, font, colour, text, aside, ink in (
            (top, theme.sans(bold=True), t.text, row.model.name, file_size(row.model.bytes), t.muted),
            (
                low,
                theme.sans(theme.SMALL),
                t.accent if row.roles else t.muted,
                used_for(row).capitalize(),
                exam_word(row, short=True),
                t.contradicts if row.problem or (row.result and not row.result.passed) else t.muted,
            ),
        ):
            painter.setFont(theme.sans(theme.SMALL))
            painter.setPen(QColor(ink))
            painter.drawText(box, RIGHT, aside)
            room = box.width() - painter.fontMetrics().horizontalAdvance(aside) - 12
            painter.setFont(font)
            painter.setPen(QColor(colour))
            painter.drawText(box, LEFT, QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room))
        painter.restore()


class ModelsScreen(Screen):
    """The list at the left, the chosen model with its exam at the right."""

    name = "Models"
    icon = "model"
    concerns = Changes()
    needs_case = False

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setAcceptDrops(True)
        self._busy: Task | None = None
        self._test_id = ""  # the id of the model that is or was last under test
        self._text = ""  # what is said of the chosen model, to be copied
        self._next_id = ""  # the id of the model to be chosen after the next refresh
        self._make_commands()
        column = vbox(self, spacing=0)
        self.header = Header("Models")
        self.copy_box = QCheckBox("Keep a copy")
        self.copy_box.setChecked(True)
        self.copy_box.setToolTip(
            "Copy the file into your models folder; otherwise it is used in place and must stay there"
        )
        self.header.row.addWidget(self.copy_box)
        self.header.add(self.folder_action)
        self.header.add(self.add_action, kind="primary")
        column.addWidget(self.header)
        column.addWidget(line())
        self.problems = plain("", "", wrap=True, selectable=True)
        self._problem_bar = QFrame()
        self._problem_bar.setProperty("kind", "notice")
        inside = hbox(self._problem_bar, margins=(24, 8, 8, 8))
        inside.addWidget(self.problems, 1)
        self.dismiss = QToolButton()
        theme.set_icon(self.dismiss, "cross")
        self.dismiss.setAccessibleName("Dismiss this message")
        self.dismiss.setToolTip("Dismiss")
        self.dismiss.clicked.connect(lambda _on=False: self._problem_bar.hide())
        inside.addWidget(self.dismiss, 0, Qt.AlignmentFlag.AlignTop)
        self._problem_bar.hide()
        column.addWidget(self._problem_bar)
        self.model = ModelList(self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(_Delegate(self.view))
        self.view.setAccessibleName("Language models")
        theme.changed.connect(self.view.scheduleDelayedItemsLayout)
        self.view.setMouseTracking(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setMinimumWidth(264)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._show())
        self.empty = EmptyState(
            "model",
            (
                "No language model is on this computer. Everything except judging passages works without one. "
                + errors.remedy(
                    "Restore the program's own from the checkout, or add a GGUF file.",
                    "Add a GGUF file, or install Disconfirm again, which brings its own.",
                )
            ),
            "Add model files",
            self.add_action.trigger,
        )
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.view)
        self.split.addWidget(self._detail())
        self.split.setStretchFactor(0, 0)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([320, 700])
        self.stack = QStackedWidget()
        self.stack.addWidget(self.split)
        self.stack.addWidget(self.empty)
        column.addWidget(self.stack, 1)

    def _make_commands(self) -> None:
        self.add_action = self.command(
            "Add model files", "Ctrl+Shift+A", self._ask_files, tip="Add GGUF files, or drop them here"
        )
        self.folder_action = self.command("Add a folder", None, self._ask_folder, tip="Add every GGUF file of a folder")
        self.exam_action = self.command(
            "Test: speed and exam",
            "T",
            self._test,
            tip="Measure how fast it reads, and run its exam; this can be cancelled",
        )
        self.remove_action = self.command(
            "Remove", "Delete", self._remove, tip="Remove this model; a copy of it is deleted"
        )
        self.copy_action = self.command("Copy the details", "Ctrl+Shift+C", self._copy)
        self.role_actions: dict[Role, QAction] = {
            "judge": self._role("judge", "Judges passages", "Every passage for every hypothesis"),
            "second_reader": self._role(
                "second_reader", "Second reader", "Only cells that are close, or that the ranking depends on"
            ),
            "text_model": self._role(
                "text_model", "Writes drafts", "Drafts searches and hypotheses; never gives verdicts"
            ),
        }

    def _role(self, role: Role, text: str, tip: str) -> QAction:
        action = self.command(text, None, lambda: self._give(role), tip=tip)
        action.setCheckable(True)
        return action

    def _detail(self) -> QWidget:
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        inside = QWidget()
        column = vbox(inside, margins=(24, 16, 24, 24), spacing=12)
        self.title = ElidedLabel("", "title")
        column.addWidget(self.title)
        self.does = plain("", wrap=True)
        column.addWidget(self.does)
        self.verdict = plain("", "", wrap=True)
        self._verdict_bar = QFrame()
        bar = hbox(self._verdict_bar, margins=(12, 8, 12, 8))
        bar.addWidget(self.verdict)
        column.addWidget(self._verdict_bar)
        self._no_exam_text = (
            "It has not taken the exam yet. It takes it before its first verdict is shown, or when you test it."
        )
        self._exam_text = "It is taking the exam: the line at the bottom shows its progress and can stop it."
        self.no_exam = plain(self._no_exam_text, "muted", wrap=True)
        column.addWidget(self.no_exam)
        self.trust_head = plain("What its verdicts can be trusted with", "section")
        self.trust = plain("", wrap=True, selectable=True)
        column.addWidget(self.trust_head)
        column.addWidget(self.trust)
        column.addWidget(line())
        column.addWidget(plain("What it is used for", "section"))
        roles = hbox(spacing=0)
        self.role_buttons: dict[str, QPushButton] = {}
        for role, action in self.role_actions.items():
            segment = button(action, kind="segment")
            segment.setCheckable(True)
            action.toggled.connect(segment.setChecked)
            self.role_buttons[role] = segment
            roles.addWidget(segment)
        roles.addStretch(1)
        column.addLayout(roles)
        acts = hbox(spacing=8)
        self.exam_button = button(self.exam_action)
        acts.addWidget(self.exam_button)
        acts.addWidget(button(self.copy_action, kind="quiet"))
        acts.addWidget(button(self.remove_action, kind="quiet"))
        acts.addStretch(1)
        column.addLayout(acts)
        column.addWidget(line())
        facts = QWidget()
        self._facts = QGridLayout(facts)
        self._facts.setContentsMargins(8, 0, 0, 0)
        self._facts.setHorizontalSpacing(16)
        self._facts.setVerticalSpacing(6)
        self._facts.setColumnStretch(1, 1)
        self._fact_labels: list[tuple[QLabel, QLabel]] = []
        self.exam = ExamView()
        self.measured = Fold("Measured", self.exam)
        self.file = Fold("File", facts)
        column.addWidget(self.measured)
        column.addWidget(self.file)
        column.addStretch(1)
        scroll.setWidget(inside)
        inside.hide()  # until there is a model to tell of
        self._inside = inside
        scroll.setAccessibleName("The chosen model")
        return scroll

    # --- what is shown -----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the models again; beside the work where a file must be read to its end."""
        if models.must_read():
            # To the end, to tell whether it is still the same.
            self.header.count.setText("reading a model file")
            self.session.tasks.read(
                models.list_models, self.while_here(self._show_rows), raise_on_window, key=self.name
            )
        else:
            self._show_rows(models.list_models())

    def _show_rows(self, rows: list[ModelStatus]) -> None:
        current = self.chosen()
        model_id = self._next_id or (current.model.id if current else "")
        self._next_id = ""
        self.model.show(rows)
        self.header.count.setText(counted(len(rows), "model") if rows else "")
        self.stack.setCurrentWidget(self.split if rows else self.empty)
        if rows:
            index = next((index for index, row in enumerate(rows) if row.model.id == model_id), 0)
            self.view.setCurrentIndex(self.model.index(index))
        self._show()

    def chosen(self) -> ModelStatus | None:
        """Return the model that is selected."""
        row = self.view.currentIndex().data(Qt.ItemDataRole.UserRole)
        return row if isinstance(row, ModelStatus) else None

    def _show(self) -> None:
        row = self.chosen()
        self._inside.setVisible(row is not None)
        free = self._busy is None
        self.exam_action.setEnabled(row is not None and free)
        self.remove_action.setEnabled(row is not None and not row.own and free)
        for role, action in self.role_actions.items():
            has_role = row is not None and role in row.roles
            action.setChecked(has_role)
            judges = role != "text_model"
            is_barred = row is None or bool(row.problem) or not row.fits(role)
            # The program's own judge gives the grid up to another only; with a role of its own a model can give it up.
            action.setEnabled(
                free and (has_role or not is_barred) and not (has_role and row is not None and row.own and judges)
            )
        if row is None:
            return
        model = row.model
        self.title.setText(model.name)
        self.does.setText(" ".join(_DOES[role] for role in row.roles) or "Not in use: give it a role below.")
        verdict, kind = self._standing(row)
        self.verdict.setText(verdict)
        self._verdict_bar.setVisible(bool(verdict))
        if self._verdict_bar.property("kind") != kind:
            self._verdict_bar.setProperty("kind", kind)
            self._verdict_bar.style().unpolish(self._verdict_bar)
            self._verdict_bar.style().polish(self._verdict_bar)
        facts = [
            ("Licence", model.licence),
            ("Size", f"{file_size(model.bytes)}, {model.weights / 1e6:,.0f} million weights"),
            ("Quantisation", model.quantisation),
            ("Kind", f"{model.architecture}, chat template {model.frame}"),
            ("Memory in use", f"about {file_size(model.memory)}"),
            ("Speed", f"{model.speed:,.0f} tokens read per second" if model.speed is not None else "not measured yet"),
            ("sha256", model.sha256),
            ("File", str(model.path)),
        ]
        self._put_facts(facts)
        self._show_trust(row)
        self._text = "\n".join(
            [model.name, verdict, self.trust.text(), *(f"{name}: {value}" for name, value in facts)]
        ).replace("\n\n", "\n")
        self.measured.setVisible(row.result is not None)
        under_test = row.model.id == self._test_id and not free
        self.no_exam.setVisible(row.result is None or under_test)
        self.no_exam.setText(self._exam_text if under_test else self._no_exam_text)
        if row.result is not None:
            self.exam.show_result(row.result)

    def _show_trust(self, row: ModelStatus) -> None:
        """Show in plain words how far a model that may judge can be relied on."""
        may_be_trusted = row.result is not None and row.result.passed and not row.problem
        for part in (self.trust_head, self.trust):
            part.setVisible(may_be_trusted)
        if row.result is not None:
            from core.verdicts import exam_words

            self.trust.setText("\n".join(f"• {sentence}" for sentence in exam_words.trust(row.result)))

    def _standing(self, row: ModelStatus) -> tuple[str, str]:
        """Return what a person must know of it first, and how loudly."""
        if row.problem:
            return f"It cannot be used: {row.problem}. {row.remedy}", "notice"
        if row.result is not None and not row.result.passed:
            from core.verdicts import exam_results

            return f"It may not judge: {exam_results.why_not(row.result)}. It may write drafts.", "notice"
        return f"{'' if row.result is None else 'Ready. '}{row.note}".strip(), "note"

    def _put_facts(self, facts: list[tuple[str, str]]) -> None:
        while len(self._fact_labels) < len(facts):
            row = len(self._fact_labels)
            pair = (plain("", "muted"), ElidedLabel(mode=Qt.TextElideMode.ElideMiddle))
            for side, label in enumerate(pair):
                self._facts.addWidget(label, row, side, Qt.AlignmentFlag.AlignTop)
            self._fact_labels.append(pair)
        for (name, value), labels in zip(facts, self._fact_labels, strict=True):
            labels[0].setText(name)
            labels[1].setText(value)
            labels[1].setAccessibleName(f"{name}: {value}")

    # --- what is done ------------------------------------------------------------------------------------------------

    def _ask_files(self) -> None:
        self.add(file_dialogs.ask_models(self, window_state.folder("models")))

    def _ask_folder(self) -> None:
        folder = file_dialogs.ask_folder(self, "Add every model of a folder", window_state.folder("models"))
        self.add([folder] if folder is not None else [])

    def add(self, files: list[Path]) -> None:
        """Add these files and folders beside the work."""
        if not files:
            return
        window_state.keep_folder("models", files[0].parent)
        copy = self.copy_box.isChecked()

        def work(progress: Progress) -> Added:
            return registry.add(files, copy=copy, progress=progress)

        def over(task: Task) -> None:
            self._busy = None
            if task.state != "done":
                self._show()
                return
            addition: Added = task.result
            self._tell_problems(addition)
            if addition.models:
                self._next_id = addition.models[-1].id
                names = ", ".join(model.name for model in addition.models)
                self.session.tell(f"Added: {names}. Test it before it judges.")
            self.refresh()

        self._busy = self.session.beside("Adding models", work, over)
        self._show()

    def _tell_problems(self, addition: Added) -> None:
        """Show what was not added and why, each once, and below it what can be done, once for all of them."""
        lines = [
            problem.what if str(problem.where) in problem.what else f"{problem.where}: {problem.what}"
            for problem in addition.problems
        ]
        lines += dict.fromkeys(problem.hint for problem in addition.problems)
        self.problems.setText("\n".join(lines))
        self._problem_bar.setVisible(bool(lines))
        if lines:
            announce(self, "\n".join(lines))

    def _test(self) -> None:
        row = self.chosen()
        if row is None or self._busy is not None:
            return
        self._next_id = self._test_id = row.model.id

        def over(task: Task) -> None:
            self._busy = None
            self._next_id = row.model.id
            self.refresh()
            if task.state == "done":
                self.session.changed.emit(Changes(proposals=True), self)
            elif task.state == "cancelled":
                message = "Testing {0}: cancelled; its exam was not saved."
                self.session.status.emit(message.format(row.model.name))

        if self.exam_button.hasFocus():  # it is barred now, and Qt would give the next button its keys
            self.view.setFocus()
        self._busy = self.session.try_model(f"Testing {row.model.name}", row.model.id, over)
        self._show()

    def _give(self, role: Role) -> None:
        row = self.chosen()
        if row is None:
            return
        has_role = role in row.roles
        self.session.use_model(role, None if has_role else row.model.id)
        self.refresh()

    def _remove(self) -> None:
        row = self.chosen()
        if row is not None and not row.own:
            self.session.remove_model(row.model.id)
            self.refresh()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self.session.tell("Copied")

    # --- drops -------------------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._dropped(event):
            event.acceptProposedAction()
            self.session.status.emit("Drop to add this model.")

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.session.status.emit("")
        self.add(self._dropped(event))

    @staticmethod
    def _dropped(event: QDropEvent) -> list[Path]:
        """Model files and folders alone: anything else is a document, which the window takes."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        return [path for path in paths if path.suffix.lower() == ".gguf" or path.is_dir()]
