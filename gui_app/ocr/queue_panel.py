"""The words left to check, at the left of the screen: how many there are, and the list of them."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QPushButton

from core.ocr.suspect_words import matters
from gui_app.ocr.state import MAX_WORDS
from gui_app.ocr.suspect_list import SuspectList
from gui_app.ocr.suspects_model import SuspectsModel
from gui_app.shared.formatting import counted
from gui_app.shared.labels import ElidedLabel
from gui_app.shared.layout import hbox, vbox


class QueuePanel(QFrame):
    """The count of words above the list of them."""

    def __init__(self, queue: SuspectsModel) -> None:
        super().__init__()
        self._queue = queue
        self.count = ElidedLabel("", "strong")
        self.count.setAccessibleName("Words left to check")
        self.left = ElidedLabel("", "muted")
        self.left.setAccessibleName("Of these in quotes, and further words")
        self.list = SuspectList()
        self.list.setModel(queue)
        self.setProperty("kind", "surface")
        self.setMinimumWidth(200)
        column = vbox(self, spacing=0)
        head = vbox(margins=(16, 16, 16, 8), spacing=2)
        head.addWidget(self.count)
        head.addWidget(self.left)
        self.charts = QPushButton()
        self.charts.setProperty("kind", "chip")
        self.charts.setAccessibleName("Words in charts")
        self.charts.setCheckable(True)
        self.charts.setToolTip("Words in charts are set aside unless a quote contains them (H)")
        self.charts.hide()
        chip = hbox(margins=(0, 4, 0, 0))
        chip.addWidget(self.charts)
        chip.addStretch(1)
        head.addLayout(chip)
        column.addLayout(head)
        column.addWidget(self.list, 1)

    def show_charts(self, count: int, *, with_charts: bool) -> None:
        """Show how many words are in charts, and whether they are on the list."""
        self.charts.setText(f"{counted(count, 'word')} in charts{'' if with_charts else ' set aside'}")
        self.charts.setAccessibleName(self.charts.text())
        self.charts.setChecked(with_charts)
        self.charts.setVisible(count > 0)

    def show_counts(self, decision_count: int) -> None:
        """Show how many words are decided, how many are left, and how many of these are in quotes."""
        rows = self._queue.rows
        self.left.setVisible(bool(rows))
        if not rows:
            self.count.setText("Doubtful words")
            return
        open_words = sum(map(matters, rows))
        self.count.setText(f"{decision_count:,} of {decision_count + open_words:,} important words checked")
        in_quotes = sum(1 for doubt in rows if doubt.cited)
        less = len(rows) - open_words
        more = "{count} or more" if len(rows) >= MAX_WORDS else "{count}"
        parts = [f"{in_quotes:,} in quotes"] if in_quotes else []
        if less:
            parts.append("{count} less doubtful".format(count=more.format(count=f"{less:,}")))
        self.left.setText(" · ".join(parts) or "none of them in a quote")
