"""How well the language of a text is recognised: precision, and recall by length.

    python -m tests.eval.identification [FOLDER]

The texts beside this file are ours: four of four sentences in each of thirteen languages, and lists, logs, tables and
pages of names that have no language (or are English, where that is said). FOLDER holds XQuAD, whose paragraphs and
questions are in four languages.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from core.engines.readers import language_id
from tests.eval import wordless
from tests.eval.retrieval import load

TEXTS = Path(__file__).parent / "language_texts"
LISTS = "lists"


def lists() -> dict[str, str]:
    """Return the texts without sentences, by what they are."""
    blocks = (TEXTS / f"{LISTS}.txt").read_text("utf-8").strip().split("\n\n")
    return {head.removeprefix("# "): text for head, _, text in (block.partition("\n") for block in blocks)}


def texts() -> Iterator[tuple[str, str, str]]:
    """Yield language, length (sentence, paragraph or page) and text."""
    for file in sorted(TEXTS.glob("??.txt")):
        paragraphs = file.read_text("utf-8").strip().split("\n\n")
        for paragraph in paragraphs:
            yield from ((file.stem, "sentence", sentence) for sentence in paragraph.splitlines())
            yield file.stem, "paragraph", paragraph
        yield file.stem, "page", "\n\n".join(paragraphs)


def xquad(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield language, length and text of the paragraphs and questions of XQuAD."""
    for language in ("ar", "de", "en", "ru"):
        corpus, questions, _ = load(folder, f"xquad_{language}")[:3]
        yield from ((language, "XQuAD paragraph", row["text"]) for row in corpus.values())
        yield from ((language, "XQuAD question", text) for text in questions.values())


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/retrieval")
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for language, length, text in (*texts(), *(xquad(folder) if folder.exists() else ())):
        answer = language_id.of(text)
        total[length] += 1
        right[length] += answer == language
        wrong[length] += answer not in ("", language)
        if answer not in ("", language):
            print(f"{language} taken for {answer}: {text[:80]}")
    for length, count in total.items():
        answered = right[length] + wrong[length]
        print(f"{length}: {count} texts, recall {right[length] / count:.3f}, precision {right[length] / answered:.4f}")
    answers = {kind: language_id.of(text) for kind, text in lists().items()}
    print(f"lists: {len(answers)}, with a language: { {kind: code for kind, code in answers.items() if code} }")
    for name, kinds in (("for choosing", wordless.TUNING), ("for checking", wordless.CHECKING)):
        rows = [(kind, ("", "en") if is_english else ("",), text) for kind, is_english, text in wordless.texts(kinds)]
        faults = Counter(kind for kind, languages, text in rows if language_id.of(text) not in languages)
        print(f"lists made at random, {name}: {len(rows)}, with a wrong language: {faults.total()} {dict(faults)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
