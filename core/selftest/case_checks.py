"""Checks of the work on a case: documents, search, quotes, matrix, every form of the report, the proof of it all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from core.domain import DEFAULT_RULE
from core.errors import PassphraseWrong
from core.passphrase import Passphrase
from core.report.service import FORMS
from core.selftest import small_files
from core.selftest.engine_checks import QUESTION
from core.selftest.parts import PartFailed
from core.selftest.small_files import SENTENCE
from core.selftest.trial import Trial
from core.workbench import Workbench, encryption

Check = Callable[[Trial], str]

TITLE = "Self-test"
OTHER_TEXTS = {
    "market.txt": "Apples are sold by the kilogram on the market square. Pears are sold by the piece.\n",
    "weather.txt": "Rain fell from the morning on, and the wind came from the west. Nobody went out.\n",
}
ALTERED = SENTENCE.replace("02:14", "02:41")
# One row at double weight speaks against H2 doubly, one at single weight against H1.
SCORES = {"H1": 1.0, "H2": 4.0}
_CASE = "selftest.disconfirm"
_MATRIX_FORMS = (".json", ".achz")


def checks(_trial: Trial) -> Iterator[tuple[str, Check]]:
    """List the checks of the work on a case, in their order: each builds on those before it."""
    yield "Case: documents", add_documents
    yield "Case: search", search
    yield "Case: true quote", find_quote
    yield "Case: altered quote", refuse_quote
    yield "Case: matrix", score_matrix
    for form, kind in FORMS.items():
        yield f"Export: {kind} ({form[1:]})", partial(export, form=form)
    yield "Case: proof", verify
    yield "Case: encryption", encrypt


def add_documents(trial: Trial) -> str:
    """Make a case and add four small documents to it."""
    trial.bench = bench = Workbench.create(trial.folder / _CASE, trial.engines, title=TITLE, who=TITLE)
    sources = trial.folder / "documents"
    sources.mkdir()
    for name in ("note.pdf", "letter.eml"):
        (sources / name).write_bytes(small_files.load(name))
    for name, text in OTHER_TEXTS.items():
        (sources / name).write_text(text, "utf-8")
    report = bench.documents.add([sources], trial.progress)
    for problem in report.problems:
        raise PartFailed(f"{problem.where}: {problem.what}", problem.hint)
    return f"{len(bench.documents.all())} documents, {bench.case.counts()['chunks']} passages"


def _bench(trial: Trial) -> Workbench:
    if trial.bench is None:
        raise PartFailed("It was not tried, because the case could not be made.", "Fix the part “Case: documents”.")
    return trial.bench


def search(trial: Trial) -> str:
    """Ask a question, and expect the sentence that answers it first."""
    result = _bench(trial).search.passages_for(QUESTION, k=4)
    if not result.passages or SENTENCE not in result.passages[0].text:
        raise PartFailed(f"The passage that answers “{QUESTION}” is not found first.")
    first = result.passages[0]
    ways = [way for way, rank in (("words", first.lexical_rank), ("meaning", first.vector_rank)) if rank is not None]
    if trial.engines.embedder is not None and "meaning" not in ways:
        raise PartFailed("The passage is found by its words alone, not by its meaning.")
    return f"found first by {' and '.join(ways)}"


def find_quote(trial: Trial) -> str:
    """Check a quote that is true, and make it evidence."""
    bench = _bench(trial)
    document = next((row.id for row in bench.documents.all() if row.name == "note.pdf"), None)
    if document is None:
        raise PartFailed("The document it comes from is not in the case.")
    answer = bench.evidence.check(SENTENCE, document)
    if answer.status != "verified" or not answer.matches:
        raise PartFailed(f"A true quote is called “{answer.status.replace('_', ' ')}”.")
    match = answer.matches[0]
    evidence = bench.evidence.add_quote(match.document, match.page, match.start, match.end).id
    bench.evidence.grade(evidence, credibility="H", relevance="H")
    return f"verified on page {match.page} of note.pdf"


def refuse_quote(trial: Trial) -> str:
    """Check a quote with two digits exchanged, and expect that to be seen."""
    answer = _bench(trial).evidence.check(ALTERED)
    if answer.status == "verified":
        raise PartFailed("A quote with two digits exchanged is taken for true.")
    if answer.status == "near" and not answer.altered:
        raise PartFailed("A quote with two digits exchanged is taken for a misprint.")
    return f"refused: {answer.status.replace('_', ' ')}"


def score_matrix(trial: Trial) -> str:
    """Rate two rows against two hypotheses, and compare the scores with those worked out by hand."""
    bench = _bench(trial)
    bench.hypotheses.add("The pump failed during the night.")
    bench.hypotheses.add("The pump never stopped.")
    rows = [row.id for row in bench.evidence.all()]
    if len(rows) != 1:
        raise PartFailed("The quote it needs is not in the case.", "Fix the part “Case: true quote”.")
    rows.append(bench.evidence.add("The guard heard it run until noon.").id)
    bench.evidence.rate_many([(rows[0], "H1", "C"), (rows[0], "H2", "II"), (rows[1], "H1", "I"), (rows[1], "H2", "CC")])
    matrix = bench.matrix.compute()
    scores = matrix.scores[DEFAULT_RULE]
    if {name: round(score, 6) for name, score in scores.items()} != SCORES:
        raise PartFailed(f"The scores are {scores}, and should be {SCORES}.")
    if matrix.leaders[DEFAULT_RULE] != ("H1",):
        raise PartFailed("The wrong hypothesis leads.")
    return "H1 1.00, H2 4.00, as worked out by hand"


def export(trial: Trial, form: str) -> str:
    """Write the report in one form, and read it again with the program's own readers."""
    file = trial.folder / f"report{form}"
    report = _bench(trial).reports.write(file, progress=trial.progress)
    data = file.read_bytes()
    if form in _MATRIX_FORMS:
        matrix = trial.engines.reader.read_matrix(data, file.name)
        if len(matrix.hypotheses) != 2 or len(matrix.rows) != 2:
            raise PartFailed("It was written, but read again it does not have two hypotheses and two rows.")
        return f"{report.bytes:,} bytes; read again as a matrix"
    _, text = small_files.text_of(trial.engines.reader.read(data, file.name))
    if SENTENCE not in text:
        raise PartFailed("It was written, but the quote is missing when it is read back.")
    return f"{report.bytes:,} bytes; the quote is in it"


def verify(trial: Trial) -> str:
    """Close the case, open it again and have it proven."""
    path = _bench(trial).path
    trial.close()
    trial.bench = bench = Workbench.open(path, trial.engines, who=TITLE)
    check = bench.case.verify(trial.progress)
    for problem in check.problems:
        raise PartFailed(f"{problem.where}: {problem.what}", problem.hint)
    if not check.ok:
        raise PartFailed("The case does not verify.")
    count = check.counts
    return f"closed, opened again and proven: {count['originals']} originals, {count['log entries']} entries of the log"


def encrypt(trial: Trial) -> str:
    """Make a case with a passphrase; it must open with that one, with no other, and hold no word of it in the clear."""
    path = trial.folder / "encrypted.disconfirm"
    with Workbench.create(path, trial.engines, title=SENTENCE, key=encryption.make_key(Passphrase("right"))):
        pass
    if SENTENCE.encode() in path.read_bytes():
        raise PartFailed("What is in the case can be read in its file.")
    try:
        encryption.unlock(path, Passphrase("wrong"))
    except PassphraseWrong:
        pass
    else:
        raise PartFailed("It opens with a wrong passphrase.")
    with Workbench.open(path, trial.engines, key=encryption.unlock(path, Passphrase("right"))) as bench:
        if bench.case.title() != SENTENCE:
            raise PartFailed("It opens, but does not contain what was written.")
    return "opens with its passphrase and with no other"
