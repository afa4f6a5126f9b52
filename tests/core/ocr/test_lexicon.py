"""Words of a language out of a data file: built here as Tesseract lays it out."""

from __future__ import annotations

import struct

import pytest

from core import paths
from core.ocr.lexicon import Lexicon

LETTERS = ["NULL", "a", "b", "d", "n", "é"]


def data_of(words: list[str], letters: list[str] = LETTERS) -> bytes:
    """A data file with the graph of these words, every node on its own."""
    shift = len(letters).bit_length()
    nodes: list[dict[int, list[object]]] = [{}]
    for word in words:
        node = 0
        for index, letter in enumerate(word):
            code = letters.index(letter)
            edge = nodes[node].setdefault(code, [None, False])
            if index == len(word) - 1:
                edge[1] = True
            else:
                if edge[0] is None:
                    nodes.append({})
                    edge[0] = len(nodes) - 1
                node = edge[0]
    starts, count = [], 0
    for node in nodes:
        starts.append(count)
        count += max(1, len(node))
    edges = []
    for node in nodes:
        listed = sorted(node.items())
        for number, (code, (to, ends)) in enumerate(listed):
            flags = (1 if number == len(listed) - 1 else 0) | (4 if ends else 0)
            edges.append(code | flags << shift | (starts[to] if to is not None else 0) << shift + 3)
    graph = struct.pack("<hii", 42, len(letters), len(edges)) + struct.pack(f"<{len(edges)}Q", *edges)
    table = (str(len(letters)) + "\n" + "".join(f"{letter} 3 x\n" for letter in letters)).encode()
    head = 4 + 8 * 24
    offsets = [-1] * 24
    offsets[19], offsets[21] = head, head + len(graph)
    return struct.pack("<i24q", 24, *offsets) + graph + table


def test_words_are_found_and_what_only_begins_like_one_is_not():
    lexicon = Lexicon(data_of(["a", "ban", "band", "dé"]))
    assert [word for word in ("a", "ban", "band", "dé") if word in lexicon] == ["a", "ban", "band", "dé"]
    assert [word for word in ("", "b", "ba", "bandd", "nab", "x", "bxn", "ad") if word in lexicon] == []


@pytest.mark.parametrize("cut", [0, 3, 60, 200, 215, 230])
def test_bytes_that_are_no_data_are_refused(cut):
    whole = data_of(["ban", "band"])
    assert "ban" in Lexicon(whole)
    with pytest.raises(ValueError, match=r"."):
        Lexicon(whole[:cut])


def test_data_without_words_is_refused():
    whole = bytearray(data_of(["ban"]))
    struct.pack_into("<q", whole, 4 + 8 * 19, -1)
    with pytest.raises(ValueError, match="no language data"):
        Lexicon(bytes(whole))


def test_the_data_that_is_installed_knows_its_words():
    file = next((f for folder in paths.tessdata() if (f := folder / "eng.traineddata").is_file()), None)
    if file is None:
        pytest.skip("no data for English is installed")
    lexicon = Lexicon(file.read_bytes())
    assert all(word in lexicon for word in ("the", "register", "denied", "signed", "London"))
    assert not any(word in lexicon for word in ("heing", "tlight", "enthusiastie", "sigued"))
