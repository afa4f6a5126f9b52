"""The judge: a small language model asked for one word. Imported in a child process only.

No text is generated. The passage is read once, then each hypothesis on its own on top of it, and of all the model could
say next only three words are weighed. The model file is checked in plain Python before the native loader sees it.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core import paths
from core.domain import Probabilities
from core.engines import gguf_file
from core.engines.merge import sha256
from core.errors import BadInput, ModelUnreadable, NotEnoughMemory

# Part of the fingerprint: verdicts given under another wording or arithmetic are not these verdicts.
PROMPT = "passage-hypothesis-verdict 1"
_BEFORE_PASSAGE = "Passage: "
_BEFORE_HYPOTHESIS = "\nHypothesis:"
_AFTER_HYPOTHESIS = "\nVerdict:"
_ANSWERS = (" supports", " contradicts", " neutral")

WINDOW = 2_048  # tokens the model holds at once; its keys and values take 23 KB each
LONGEST_PASSAGE = 1_536  # tokens; some 6,000 characters of English. Beyond it judge() refuses, it never cuts.
LONGEST_HYPOTHESIS = 480  # tokens; some 2,000 characters of English

_BATCH = 512  # tokens a native call

_silent: Any = None  # the log callback must outlive the library's use of it


class LlamaJudge:
    """A GGUF model, with an adapter or merged, as a judge of passage against hypothesis. One thread at a time."""

    def __init__(self, model: Path, adapter: Path | None = None) -> None:
        """Raises ModelMissing, ModelUnreadable, NotEnoughMemory."""
        self._context: Any = None
        self._weights: Any = None
        self._adapter: Any = None
        head = gguf_file.check(model)
        if adapter is not None:
            gguf_file.check(adapter)
        _check_memory(model)
        # Before the library is loaded: by default its threads spin while they wait for each other, and where anything
        # else wants the processor every wait then costs a time slice (measured: six times slower on two busy cores).
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")
        import llama_cpp

        self._path = model
        self._llama = llama_cpp
        _silence(llama_cpp)
        self._load(model, adapter)
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._weights)
        self._words = int(llama_cpp.llama_vocab_n_tokens(self._vocabulary))
        self._answers = [self._answer(word) for word in _ANSWERS]
        self._control, self._control_text = self._control_words()
        self._temperature = temperature(model, adapter)
        name = head.values.get("general.name") or model.stem
        self._fingerprint = (
            f"{name} {head.quantisation} sha256:{sha256(model)[:16]}"
            + (f" with {adapter.stem} sha256:{sha256(adapter)[:16]}" if adapter is not None else "")
            + f" llama-cpp-python {llama_cpp.__version__} prompt {PROMPT} temperature {self._temperature:g}"
        )

    def _load(self, model: Path, adapter: Path | None) -> None:
        llama = self._llama
        llama.llama_backend_init()
        settings = llama.llama_model_default_params()
        settings.n_gpu_layers = 0
        # Read into memory: a mapped file that shrinks would end the process.
        settings.load_mode = llama.LLAMA_LOAD_MODE_NONE
        self._weights = llama.llama_model_load_from_file(os.fsencode(model), settings)
        if not self._weights:
            raise self._unreadable("the loader refused it")
        window = llama.llama_context_default_params()
        window.n_ctx = WINDOW
        window.n_batch = window.n_ubatch = _BATCH
        window.n_seq_max = 1
        window.n_threads = window.n_threads_batch = threads()
        window.flash_attn_type = llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        window.no_perf = True
        self._context = llama.llama_init_from_model(self._weights, window)
        if not self._context:
            raise self._unreadable("it asks for more memory than there is")
        self._memory = llama.llama_get_memory(self._context)
        if adapter is not None:
            self._adapter = llama.llama_adapter_lora_init(self._weights, os.fsencode(adapter))
            if not self._adapter:
                raise ModelUnreadable(path=adapter, reason="it belongs to another model", effect=gguf_file.EFFECT)
            adapters = (llama.llama_adapter_lora_p_ctypes * 1)(self._adapter)
            if llama.llama_set_adapters_lora(self._context, adapters, 1, (ctypes.c_float * 1)(1.0)) != 0:
                raise ModelUnreadable(path=adapter, reason="it cannot be applied", effect=gguf_file.EFFECT)

    def close(self) -> None:
        """Give the memory back. The judge cannot be used afterwards."""
        if self._context:
            self._llama.llama_free(self._context)
            self._context = None
        if self._weights:
            self._llama.llama_model_free(self._weights)  # frees its adapters too
            self._weights = self._adapter = None

    def __del__(self) -> None:
        self.close()

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        """One result a hypothesis, in order; each depends on the passage and that hypothesis alone.

        Raises BadInput for an empty or too long text, ModelUnreadable when the model gives no numbers.
        """
        if not hypotheses:
            return []
        passage = self._plain(passage)
        before = self._tokens(_BEFORE_PASSAGE + passage + _BEFORE_HYPOTHESIS)
        self._refuse_long("passage", passage, len(before), LONGEST_PASSAGE)
        asked = []
        for hypothesis in hypotheses:
            text = self._plain(hypothesis)
            after = self._tokens(" " + text + _AFTER_HYPOTHESIS)
            self._refuse_long("hypothesis", text, len(after), LONGEST_HYPOTHESIS)
            asked.append(self._tokens(_BEFORE_PASSAGE + passage + _BEFORE_HYPOTHESIS + " " + text + _AFTER_HYPOTHESIS))
        # One after the other and not as parallel sequences of one batch: that was 1.1 to 1.3 times faster and gave
        # one pair in six other digits alone than in company, also with every sequence begun at a multiple of 32 cells.
        results = []
        shared = False  # whether the cache holds exactly the passage
        for tokens in asked:
            if tokens[: len(before)] != before:
                # The words at the seam read differently together: the whole is what the model was trained on.
                self._forget()
                self._decode(tokens, 0)
                shared = False
            else:
                if not shared:
                    self._forget()
                    self._decode(before, 0, answer=False)
                    shared = True
                self._decode(tokens[len(before) :], len(before))
            results.append(self._weigh())
            if shared:
                # Removing the tail leaves the cache as it was after the passage, cell by cell: the next hypothesis
                # is computed on the same numbers in the same places as if it were the only one.
                self._llama.llama_memory_seq_rm(self._memory, 0, len(before), -1)
        self._forget()
        return results

    # --- text to tokens ----------------------------------------------------------------------------------------------

    def _plain(self, text: str) -> str:
        """Text that cannot turn into control words, and that the native tokeniser can read."""
        text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip()
        if self._control_text is not None:
            text = self._control_text.sub(lambda match: match[0][0] + " " + match[0][1:], text)
        return text

    def _tokens(self, text: str) -> list[int]:
        data = text.encode("utf-8")
        room = (self._llama.llama_token * (len(data) + 8))()
        count = self._llama.llama_tokenize(self._vocabulary, data, len(data), room, len(room), False, False)
        if count < 0:
            raise self._unreadable("its vocabulary does not cover the text")
        tokens = room[:count]
        if not self._control.isdisjoint(tokens):
            raise self._unreadable("it reads control words out of plain text")
        return list(tokens)

    def _refuse_long(self, what: str, text: str, tokens: int, most: int) -> None:
        if not text:
            raise BadInput(reason=f"The {what} is empty.", remedy="Give it at least one word.")
        if tokens > most:
            raise BadInput(
                reason=f"A {what} of {len(text):,} characters ({tokens:,} tokens) is longer than the judging model "
                f"reads at once ({most:,} tokens), so it was not judged.",
                remedy="Put it in one sentence." if what == "hypothesis" else "Give it in smaller passages.",
            )

    def _control_words(self) -> tuple[frozenset[int], re.Pattern[str] | None]:
        llama = self._llama
        marks = llama.LLAMA_TOKEN_ATTR_CONTROL | llama.LLAMA_TOKEN_ATTR_UNKNOWN | llama.LLAMA_TOKEN_ATTR_USER_DEFINED
        ids = [at for at in range(self._words) if llama.llama_vocab_get_attr(self._vocabulary, at) & marks]
        texts = [llama.llama_vocab_get_text(self._vocabulary, at).decode("utf-8", "replace") for at in ids]
        texts = sorted({text for text in texts if len(text) > 1}, key=lambda text: (-len(text), text))
        return frozenset(ids), re.compile("|".join(map(re.escape, texts))) if texts else None

    def _answer(self, word: str) -> int:
        data = word.encode()
        room = (self._llama.llama_token * 16)()
        count = self._llama.llama_tokenize(self._vocabulary, data, len(data), room, 16, False, False)
        if count != 1:
            raise self._unreadable(f"'{word.strip()}' is not one word to it")
        return int(room[0])

    # --- the model ---------------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._llama.llama_memory_clear(self._memory, True)

    def _decode(self, tokens: list[int], position: int, *, answer: bool = True) -> None:
        """Read ``tokens`` from ``position`` on; the last one is answered when ``answer``."""
        llama = self._llama
        for start in range(0, len(tokens), _BATCH):
            part = tokens[start : start + _BATCH]
            batch = llama.llama_batch_init(len(part), 0, 1)
            try:
                batch.n_tokens = len(part)
                for at, token in enumerate(part):
                    batch.token[at] = token
                    batch.pos[at] = position + start + at
                    batch.n_seq_id[at] = 1
                    batch.seq_id[at][0] = 0
                    batch.logits[at] = answer and start + at == len(tokens) - 1
                code = llama.llama_decode(self._context, batch)
            finally:
                llama.llama_batch_free(batch)
            if code != 0:
                raise self._unreadable(f"reading the text failed with code {code}")

    def _weigh(self) -> Probabilities:
        logits = self._llama.llama_get_logits_ith(self._context, -1)
        if not logits:
            raise self._unreadable("it gave no answer")
        values = [float(logits[answer]) for answer in self._answers]
        if not all(map(math.isfinite, values)):
            raise self._unreadable("it gave an answer that is not a number")
        return probabilities(values, self._temperature)

    def _unreadable(self, reason: str) -> ModelUnreadable:
        return ModelUnreadable(path=self._path, reason=reason, effect=gguf_file.EFFECT)


def probabilities(logits: Sequence[float], temperature: float = 1.0) -> Probabilities:
    """Softmax over (supports, contradicts, neutral), in millionths that sum to 1.

    Dividing by a ``temperature`` above 1 makes an over-confident model less so and changes no order (Guo et al. 2017,
    On Calibration of Modern Neural Networks).
    """
    top = max(logits)
    weights = [math.exp((value - top) / temperature) for value in logits]
    total = math.fsum(weights)
    millionths = [round(weight / total * 1_000_000) for weight in weights]
    millionths[millionths.index(max(millionths))] += 1_000_000 - sum(millionths)
    return Probabilities(*(value / 1_000_000 for value in millionths))


def temperature(model: Path, adapter: Path | None) -> float:
    """The temperature fitted for the judge that comes with the program; 1 for any other, which nobody measured."""
    if model.name != paths.MERGED_JUDGE and (adapter is None or adapter.name != paths.ADAPTER):
        return 1.0
    card = (paths.RESOURCES / "models" / paths.ADAPTER).with_suffix(".json")
    return float(json.loads(card.read_text("utf-8"))["temperature"])


def threads() -> int:
    """Half of the physical cores, at least 2 where there are 2: the window and the reader need the rest."""
    siblings = set()
    for path in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list"):
        try:
            siblings.add(path.read_text("ascii").strip())
        except OSError:
            continue
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    physical = len(siblings) or usable
    return max(1, min(usable, max(2, physical // 2)))


def _check_memory(model: Path) -> None:
    """Raise NotEnoughMemory when the model cannot fit, where the system tells. A cause before, not a death after."""
    needed = model.stat().st_size * 2 + WINDOW * 64_000  # weights, their rearranged copy, keys and values, workspace
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return
    if free < needed:
        raise NotEnoughMemory(
            role="judging", needed=f"{needed / 1e6:,.0f}", free=f"{free / 1e6:,.0f}", effect=gguf_file.EFFECT
        )


def _silence(llama: Any) -> None:
    """The library writes its log to standard error, which is not ours to fill."""
    global _silent
    if _silent is None:
        _silent = llama.llama_log_callback(lambda _level, _text, _data: None)
        llama.llama_log_set(_silent, ctypes.c_void_p(0))
