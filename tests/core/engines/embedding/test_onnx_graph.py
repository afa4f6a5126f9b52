"""Graphs written for onnxruntime: it reads them, and computes what they say."""

from __future__ import annotations

import math

import numpy
import onnxruntime
import pytest

from core.engines.embedding.onnx_graph import Graph

SQUARE = numpy.array([[1.0, -2.0], [-3.0, 4.0]], dtype=numpy.float32)


def computed(graph: Graph, output: str, values: numpy.ndarray) -> numpy.ndarray:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    model = graph.serialise(output, ["rows", 2])
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    (result,) = session.run(None, {"x": values})
    return result


def test_nodes_and_constants_compute_together():
    graph = Graph()
    x = graph.input("x", "float32", ["rows", 2])
    matrix = graph.constant("matrix", SQUARE)
    shift = graph.constant("shift", numpy.array([0.5, 1.5], dtype=numpy.float32))
    total = graph.node("Add", [graph.node("MatMul", [x, matrix], "product"), shift], "total")
    rows = numpy.array([[1.0, 0.0], [2.0, 1.0], [0.0, 0.0]], dtype=numpy.float32)
    assert computed(graph, total, rows).tolist() == (rows @ SQUARE + [0.5, 1.5]).tolist()


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        ("LeakyRelu", {"alpha": 0.25}, numpy.where(SQUARE < 0, 0.25 * SQUARE, SQUARE)),
        ("Transpose", {"perm": (1, 0)}, SQUARE.T),
        ("Softmax", {"axis": -1}, numpy.exp(SQUARE) / numpy.exp(SQUARE).sum(axis=-1, keepdims=True)),
        ("Gelu", {}, SQUARE * numpy.vectorize(lambda v: 0.5 * (1 + math.erf(v / math.sqrt(2))))(SQUARE)),
    ],
)
def test_settings_of_every_kind_reach_the_operator(kind, settings, expected):
    graph = Graph()
    output = graph.node(kind, [graph.input("x", "float32", ["rows", 2])], "y", **settings)
    assert computed(graph, output, SQUARE) == pytest.approx(expected, abs=1e-6)


def test_whole_numbers_choose_rows_of_a_large_constant():
    graph = Graph()
    table = numpy.arange(2_000, dtype=numpy.float32).reshape(-1, 2)
    chosen = graph.node("Gather", [graph.constant("table", table), graph.input("x", "int64", ["rows"])], "chosen")
    assert computed(graph, chosen, numpy.array([999, 0, 500])).tolist() == table[[999, 0, 500]].tolist()


def test_the_same_graph_gives_the_same_bytes():
    def run() -> bytes:
        graph = Graph()
        return graph.serialise(graph.node("Neg", [graph.input("x", "float32", ["rows", 2])], "y"), ["rows", 2])

    assert run() == run()
