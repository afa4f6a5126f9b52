"""The reader of sentences against their sources: what a reading depends on, what is refused, what it sees."""

from __future__ import annotations

import shutil

import numpy
import pytest
from gguf import GGUFReader

from core import paths
from core.engines.cross_encoder.statements import StatementReader
from core.errors import BadInput, ModelMissing, ModelUnreadable
from tests.contracts import StatementReaderContract
from tests.core.engines import tiny_gguf

SOURCE = (
    "Harbour log, 4 May 2021: The ferry left the pier at 21:14 with 47 passengers. The second officer saw the lamp go "
    "out and told the master, who did not answer."
)


@pytest.fixture(scope="module")
def real_reader():
    return StatementReader(paths.reader(), paths.statement_heads())


class TestStatementReader(StatementReaderContract):
    @pytest.fixture
    def reader(self, real_reader):
        return real_reader


def test_a_sentence_in_other_words_is_borne_out_and_its_opposite_is_not(real_reader):
    right = real_reader.bearing(SOURCE, "The master said nothing when the officer spoke to him of the lamp.")
    wrong = real_reader.bearing(SOURCE, "The master gave an answer when the second officer told him of the lamp.")
    assert right.supported > 0.5 > wrong.supported


def test_another_figure_differs_and_is_marked(real_reader):
    sentence = "The ferry left the pier at 21:14 with 63 passengers."
    reading = real_reader.bearing(SOURCE, sentence)
    assert reading.differs > reading.supported
    assert any("63" in sentence[start:end] for start, end in reading.faults)


def test_what_the_source_does_not_speak_of_is_absent(real_reader):
    reading = real_reader.bearing(SOURCE, "The bakery on Mill Street sold its ovens in the autumn.")
    assert reading.absent > 0.5


def test_heads_that_were_made_for_another_encoder_are_refused(tmp_path):
    encoder = tiny_gguf.encoder(tmp_path / "other.gguf")
    with pytest.raises(ModelUnreadable, match="another judge"):
        StatementReader(encoder, paths.statement_heads())


def test_missing_heads_are_named(tmp_path):
    with pytest.raises(ModelMissing):
        StatementReader(paths.reader(), tmp_path / "gone.gguf")


def test_heads_with_values_that_are_no_numbers_are_refused(tmp_path):
    copy = tmp_path / "heads.gguf"
    shutil.copyfile(paths.statement_heads(), copy)
    (tensor,) = (entry for entry in GGUFReader(copy).tensors if entry.name == "bearing.classes.bias")
    with copy.open("r+b") as stream:
        stream.seek(int(tensor.data_offset))
        stream.write(numpy.array([numpy.nan], numpy.float32).tobytes())
    with pytest.raises(ModelUnreadable, match="no numbers"):
        StatementReader(paths.reader(), copy)


@pytest.mark.parametrize(("passage", "sentence"), [("word " * 400, "A word."), ("A word.", "word " * 200), ("", "A.")])
def test_what_is_empty_or_too_long_is_refused(real_reader, passage, sentence):
    with pytest.raises(BadInput):
        real_reader.bearing(passage, sentence)
