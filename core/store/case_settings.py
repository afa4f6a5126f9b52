"""The title of the case and its settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core import report_settings
from core.domain import GRADE_WEIGHTS, CaseSettings, ShowMode
from core.errors import BadInput
from core.report_settings import ReportSettings
from core.store import decision_log, values
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.log import DecisionLog
from core.store.records import Records

# What the row 'strict' holds: programs that know only true and false take 'audit' for true, and show less.
_ROW_VALUES: dict[ShowMode, bool | str] = {"strict": True, "exploratory": False, "audit": "audit"}


class SettingTable:
    """Title and settings of a case."""

    def __init__(self, db: Database, log: DecisionLog, records: Records) -> None:
        self._db = db
        self._log = log
        self._records = records

    def title(self) -> str:
        """Return the title of the case."""
        with self._db.reading():
            row = self._records.row("about", "case")
            return str(row["title"]) if row else ""

    def set_title(self, title: str) -> None:
        """Set the title of the case."""
        with self._db.transaction():
            change = ChangeSet()
            self._records.put(change, "about", {"id": "case", "title": clean(title)})
            self._log.append_change("set title", change)

    def get(self) -> CaseSettings:
        """Return the settings, with what is usual for those that were never set."""
        with self._db.reading():
            return settings_of({str(row["id"]): row for row in self._records.rows("setting")})

    def change(
        self,
        *,
        blind: bool | None = None,
        show: ShowMode | None = None,
        grade_weights: Mapping[str, float] | None = None,
        ocr_languages: Sequence[str] | None = None,
        exclusive: Sequence[str] | None = None,
        report: ReportSettings | None = None,
    ) -> None:
        """Change what is given. Raises BadInput for a weight that is missing or not above 0, and for no language.

        A summary of the report that is new is signed by whoever decides it.
        """
        with self._db.transaction():
            change = ChangeSet()
            if blind is not None:
                self._records.put(change, "setting", {"id": "blind", "value": decision_log.canonical(bool(blind))})
            if show is not None:
                self._records.put(
                    change, "setting", {"id": "strict", "value": decision_log.canonical(_ROW_VALUES[show])}
                )
            if grade_weights is not None:
                weights = {grade: float(grade_weights.get(grade, 0)) for grade in GRADE_WEIGHTS}
                if not all(0 < weight <= 10 for weight in weights.values()):
                    raise BadInput(
                        reason="A weight of a grade must be a number above 0 and at most 10.",
                        remedy="Correct it, or take the table back to what it was.",
                    )
                self._records.put(change, "setting", {"id": "grade_weights", "value": decision_log.canonical(weights)})
            if ocr_languages is not None:
                if not all(re.fullmatch(r"[a-z]{3}(_[a-z]{2,8})*", language) for language in ocr_languages):
                    raise BadInput(
                        reason=f"{'+'.join(ocr_languages)} does not name languages.",
                        remedy="Give each by three letters, such as eng or deu.",
                    )
                self._records.put(
                    change, "setting", {"id": "ocr_languages", "value": decision_log.canonical(list(ocr_languages))}
                )
            if exclusive is not None:
                self._records.put(
                    change, "setting", {"id": "exclusive", "value": decision_log.canonical(list(exclusive))}
                )
            if report is not None:
                for key, choice in self._changed_of_report(report):
                    self._records.put(change, "setting", {"id": key, "value": decision_log.canonical(choice)})
            self._log.append_change("change settings", change)

    def _changed_of_report(self, report: ReportSettings) -> Iterator[tuple[str, object]]:
        """Yield the rows of what is new in ``report``. Raises BadInput."""
        now = self.get().report
        report = replace(
            report,
            summary=clean(report.summary).strip(),
            author=clean(report.author).strip(),
            marking=clean(report.marking).strip(),
        )
        report_settings.check(report)
        if report.summary != now.summary:
            yield "report_summary", [report.summary, self._log.who if report.summary else ""]
        for name, value, old in (
            ("report_author", report.author, now.author),
            ("report_marking", report.marking, now.marking),
            ("report_omissions", sorted({*report.omissions}), sorted(now.omissions)),
        ):
            if value != old:
                yield name, value

    def blind_times(self) -> list[tuple[str, bool]]:
        """List when verdicts were hidden from whoever rates, and when shown again, in order of time."""
        with self._db.reading():
            rows = self._db.rows("SELECT at, after FROM log WHERE verb = 'change settings' ORDER BY seq")
        times = []
        for moment, after in rows:
            try:
                settings = values.from_json(after).get("setting", {})
                if "blind" in settings:
                    times.append(
                        (
                            str(moment),
                            bool(values.from_json(settings["blind"]["value"])) if settings["blind"] else False,
                        )
                    )
            except (ValueError, AttributeError, TypeError, KeyError) as error:
                raise values.wrong("log", f"of {str(moment)[:30]}", "after") from error
        return times


def settings_of(rows: Mapping[str, Row]) -> CaseSettings:
    """Return the settings as their rows say them, with what is usual for those that have none."""
    settings = CaseSettings()
    if "blind" in rows:
        settings = replace(settings, blind=bool(values.from_json(rows["blind"]["value"])))
    if "strict" in rows:
        settings = replace(settings, show=_show_of(values.from_json(rows["strict"]["value"])))
    if "ocr_languages" in rows:
        settings = replace(settings, ocr_languages=tuple(map(str, values.from_json(rows["ocr_languages"]["value"]))))
    if "exclusive" in rows:
        settings = replace(settings, exclusive=tuple(values.from_json(rows["exclusive"]["value"])))
    if "grade_weights" in rows:
        weights = values.from_json(rows["grade_weights"]["value"])
        settings = replace(
            settings, grade_weights={grade: float(weights.get(grade, usual)) for grade, usual in GRADE_WEIGHTS.items()}
        )
    return replace(settings, report=_report_of(rows))


def _show_of(value: object) -> ShowMode:
    return "audit" if value == _ROW_VALUES["audit"] else "strict" if value else "exploratory"


def _report_of(rows: Mapping[str, Row]) -> ReportSettings:
    report = ReportSettings()
    if "report_summary" in rows:
        summary, writer = values.from_json(rows["report_summary"]["value"])
        report = replace(report, summary=summary, summary_by=writer)
    if "report_author" in rows:
        report = replace(report, author=values.from_json(rows["report_author"]["value"]))
    if "report_marking" in rows:
        report = replace(report, marking=values.from_json(rows["report_marking"]["value"]))
    if "report_omissions" in rows:
        report = replace(report, omissions=tuple(values.from_json(rows["report_omissions"]["value"])))
    return report
