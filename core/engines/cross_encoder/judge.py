"""The judge that comes with the program: an encoder reads a passage and rival hypotheses together.

It generates nothing and follows no instructions; three numbers are read at the mark before each hypothesis. Rivals
matter: a clue makes an explanation more likely than others. A passage that is longer than it can take at once is read
in stretches of whole sentences, each beside the hypothesis, and the stretch that says most decides.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

from core.domain import Probabilities
from core.engines.cross_encoder import mpnet
from core.engines.llm.llama import probabilities
from core.errors import BadInput
from core.model_files import gguf
from core.text import sentences

# Part of the fingerprint: verdicts given under another form of input or arithmetic are not these verdicts.
INPUT = "passage-marks-rivals 1"
MAX_HYPOTHESIS_TOKENS = 160  # some 700 characters of English. Beyond it judge() refuses, it never cuts.
MAX_PASSAGE_TOKENS = 2_048  # as above
STRETCH = 256  # tokens of a passage that are read at once, as in training
MOST_RIVALS = 6  # hypotheses that are read at once, as in training
_FRAME = 4  # tokens around the texts


class EncoderJudge:
    """A judge of passage against hypothesis. One thread of calls at a time."""

    def __init__(self, model: Path, *, sha256: str = "", plain: bool = False) -> None:
        """Check the model file in plain Python, then load it.

        ``sha256``: what the file must have, '' for anything. ``plain``: with one thread.

        Raises ModelMissing, ModelUnreadable, NotEnoughMemory.
        """
        self._path = model
        head = gguf.check(model)
        digest = gguf.sha256(model)
        if sha256 and digest != sha256:
            raise mpnet.unreadable(
                model, f"it is not the file that was added: its sha256 begins with {digest[:12]} and not {sha256[:12]}"
            )
        gguf.require_memory(head, STRETCH, 1)
        self._encoder = mpnet.load(model, head, threads=mpnet.threads(plain=plain))
        self._head = self._encoder.heads.get("verdict")
        if self._head is None or any(len(part) != 3 for part in self._head[2:]):
            raise mpnet.unreadable(model, "it has no head for verdicts")
        if self._encoder.capacity < STRETCH + MAX_HYPOTHESIS_TOKENS + _FRAME:
            raise mpnet.unreadable(
                model, f"it holds {self._encoder.capacity} tokens at once, which is too few for a passage"
            )
        temperature = head.values.get(f"{head.architecture}.temperature", 1.0)
        self._temperature = float(temperature) if isinstance(temperature, float | int) else 1.0
        if not 0.0 < self._temperature < math.inf:
            raise mpnet.unreadable(model, "its temperature is no positive number")
        name = head.values.get("general.name") or model.stem
        self._fingerprint = (
            f"{name} {head.quantisation} sha256:{digest[:16]} {self._encoder.library} input {INPUT} "
            f"temperature {self._temperature:g}"
        )
        self.judge("It is so.", ["It is so."])  # shows whether everything fits together

    @property
    def fingerprint(self) -> str:
        """Name of the model, its quantisation, SHA-256 of its weights, the library, form of input, temperature."""
        return self._fingerprint

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        """Return one result a hypothesis, in order. Those of one call are read together, as rivals.

        The same call gives the same results. Raises BadInput for an empty or too long text, ModelUnreadable when the
        model gives no numbers.
        """
        if not hypotheses:
            return []
        stretches = self._stretches(passage)
        texts = [self._tokens("hypothesis", text, MAX_HYPOTHESIS_TOKENS) for text in hypotheses]
        return [result for group in self._groups(texts) for result in self._weigh(stretches, group)]

    def speed(self) -> float:
        """Measure how many tokens are read a second, the best of three times ``STRETCH``."""
        tokens = self._ids("The night log shows that the pump stopped before the operator came. " * 64)[:STRETCH]
        best = float("inf")
        for _ in range(3):
            began = time.perf_counter()
            self._encoder.states(tokens)
            best = min(best, time.perf_counter() - began)
        return len(tokens) / best

    def _ids(self, text: str) -> list[int]:
        valid = text.encode("utf-8", "replace").decode("utf-8")  # half a character is none to the tokeniser
        return list(self._encoder.tokenizer.encode(valid, add_special_tokens=False).ids)

    def _tokens(self, what: str, text: str, limit: int) -> list[int]:
        tokens = self._ids(text)
        if not tokens:
            raise BadInput(reason=f"The {what} is empty.", remedy="Give it at least one word.")
        if len(tokens) > limit:
            raise BadInput(
                reason=f"A {what} of {len(text):,} characters ({len(tokens):,} tokens) is longer than the judging "
                f"model can read ({limit:,} tokens), so it was not judged.",
                remedy="Put it in one sentence." if what == "hypothesis" else "Split it into smaller passages.",
            )
        return tokens

    def _stretches(self, passage: str) -> list[list[int]]:
        """Return the tokens of a passage, whole or in stretches that end with sentences and begin with the last one.

        A sentence that is longer than a stretch is cut.
        """
        tokens = self._tokens("passage", passage, MAX_PASSAGE_TOKENS)
        if len(tokens) <= STRETCH:
            return [tokens]
        parts = [self._ids(passage[span.start : span.end]) for span in sentences(passage)]
        pieces = [part[start : start + STRETCH] for part in parts for start in range(0, len(part), STRETCH)]
        stretches: list[list[int]] = []
        last: list[int] = []
        current: list[int] = []
        for piece in pieces:
            if current and len(current) + len(piece) > STRETCH:
                stretches.append(current)
                current = list(last) if len(last) + len(piece) <= STRETCH else []
            current = current + piece
            last = piece
        return [*stretches, current]

    def _groups(self, hypotheses: Sequence[Sequence[int]]) -> list[list[Sequence[int]]]:
        """Return the hypotheses in groups that fit beside a stretch, of like size and at most ``MOST_RIVALS`` each."""
        count = -(-len(hypotheses) // MOST_RIVALS)
        size = -(-len(hypotheses) // count)
        room = self._encoder.capacity - STRETCH - _FRAME
        groups: list[list[Sequence[int]]] = []
        for hypothesis in hypotheses:
            length = sum(len(text) + 1 for text in groups[-1]) + len(hypothesis) + 1 if groups else 0
            if not groups or len(groups[-1]) >= size or length > room:
                groups.append([])
            groups[-1].append(hypothesis)
        return groups

    def _weigh(self, stretches: Sequence[Sequence[int]], hypotheses: Sequence[Sequence[int]]) -> list[Probabilities]:
        readings = [self._read(stretch, hypotheses) for stretch in stretches]
        return [min(results, key=lambda result: result.neutral) for results in zip(*readings, strict=True)]

    def _read(self, passage: Sequence[int], hypotheses: Sequence[Sequence[int]]) -> list[Probabilities]:
        import numpy

        encoder, head = self._encoder, self._head
        assert head is not None
        tokens = [encoder.begin, *passage, encoder.end]
        marks = []
        for hypothesis in hypotheses:
            marks.append(len(tokens))
            tokens += [encoder.end, *hypothesis]
        states = encoder.states([*tokens, encoder.end])[marks].astype(numpy.float64)
        results = []
        for state in states:
            logits = head[2] @ numpy.tanh(head[0] @ state + head[1]) + head[3]
            if not numpy.isfinite(logits).all():
                raise mpnet.unreadable(self._path, "it gave an answer that is no number")
            results.append(probabilities([float(value) for value in logits], self._temperature))
        return results
