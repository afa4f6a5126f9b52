"""Verdicts of models, kept so that none is asked twice; and what was known of each model when it gave them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.domain import Probabilities
from core.store.anchors import PageAnchors
from core.store.database import Database, clean
from core.store.models import ModelTable
from core.store.record_chain import RecordChain, digest_of

EXAM = "exam "  # before a fingerprint: what is known of that model


class VerdictCache:
    """The verdicts of models that a case keeps, by model and texts."""

    def __init__(self, db: Database, chain: RecordChain, anchors: PageAnchors, models: ModelTable) -> None:
        self._db = db
        self._chain = chain
        self._anchors = anchors
        self._models = models
        self._digests: dict[str, str] | None = None

    def _verdict_holds(self, key: str, values: Sequence[object]) -> bool:
        """Return whether a kept verdict is the one that was recorded.

        Of a chain that does not hold nothing is believed.
        """
        if self._digests is None:
            digests = {} if self._chain.breaks() else self._chain.last_digests("verdict")
            self._digests = {name: digest for name, digest in digests.items() if digest is not None}
        if not self._anchors.is_anchored():
            return True
        return self._digests.get(key) == digest_of(values)

    def get(self, model: str, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Probabilities]:
        """Return kept verdicts by (sha256 of the passage's text, of the hypothesis's text).

        Unknown pairs are left out.
        """
        verdicts = {}
        with self._db.reading() as db:
            number = self._models.number(model)
            if number is None:
                return {}
            for passage, hypothesis in pairs:
                row = db.execute(
                    "SELECT supports, contradicts, neutral FROM verdict "
                    "WHERE model = ? AND passage = ? AND hypothesis = ?",
                    (number, bytes.fromhex(passage), bytes.fromhex(hypothesis)),
                ).fetchone()
                if row is not None and self._verdict_holds(verdict_key(model, passage, hypothesis), row):
                    verdicts[passage, hypothesis] = Probabilities(*row)
        return verdicts

    def put(self, model: str, rows: Sequence[tuple[str, str, Probabilities]]) -> None:
        """Keep verdicts, so that the model is asked nothing twice."""
        if not rows:
            return
        shares = {
            verdict_key(model, passage, hypothesis): tuple(
                map(float, (verdict.supports, verdict.contradicts, verdict.neutral))
            )
            for passage, hypothesis, verdict in rows
        }
        with self._db.snapshot():
            with self._db.transaction() as db:
                number = self._models.keep(model, None)
                db.executemany(
                    "INSERT INTO verdict (model, passage, hypothesis, supports, contradicts, neutral) "
                    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (model, passage, hypothesis) DO UPDATE SET "
                    "supports = excluded.supports, contradicts = excluded.contradicts, neutral = excluded.neutral",
                    (
                        (
                            *(number, bytes.fromhex(passage), bytes.fromhex(hypothesis)),
                            *(verdict.supports, verdict.contradicts, verdict.neutral),
                        )
                        for passage, hypothesis, verdict in rows
                    ),
                )
                self._chain.record("verdict", shares)
            if self._digests is not None:
                self._digests |= {key: digest_of(values) for key, values in shares.items()}

    def exams(self) -> dict[str, str]:
        """Return what the case keeps of models that gave verdicts in it, by fingerprint, as each was at first."""
        with self._db.reading():
            rows = self._db.rows("SELECT key, value FROM meta WHERE key GLOB ? ORDER BY key", (f"{EXAM}*",))
        return {str(key).removeprefix(EXAM): str(value) for key, value in rows}

    def exam_of(self, model: str) -> str:
        """Return what the case keeps of one model; '' for nothing."""
        with self._db.reading() as db:
            return str(db.execute("SELECT value FROM meta WHERE key = ?", (EXAM + clean(model),)).get or "")

    def keep_exam(self, model: str, exam: str) -> None:
        """Keep what is known of a model that gives verdicts. What is kept already stays: undo does not touch it."""
        if exam and not self.exam_of(model):
            with self._db.transaction() as db:
                db.execute("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (EXAM + clean(model), exam))
                self._chain.record_where("meta", "key = ?", (EXAM + clean(model),))


def verdict_key(model: str, passage: str, hypothesis: str) -> str:
    """Return the key of a verdict among the records; both texts by their SHA-256 in hexadecimal."""
    return f"{model} {passage} {hypothesis}"
