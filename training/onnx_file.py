"""Tensors and nodes of an ONNX file, read without the package of that name: a machine with a GPU need not have it."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

#: Fields of onnx.proto, by message.
MODEL_GRAPH = 7
GRAPH_NODE, GRAPH_INITIALIZER = 1, 5
NODE_INPUT, NODE_NAME, NODE_KIND, NODE_ATTRIBUTE = 1, 3, 4, 5
ATTRIBUTE_GRAPH = 6
TENSOR_DIMENSION, TENSOR_TYPE, TENSOR_FLOATS, TENSOR_INTEGERS, TENSOR_NAME, TENSOR_RAW = 1, 2, 4, 5, 8, 9
#: Those of weights: float32 and bytes.
TYPES = {1: "<f4", 2: "u1", 3: "i1"}


@dataclass
class Node:
    name: str = ""
    kind: str = ""
    inputs: list[str] = field(default_factory=list)


def read_graph(path: Path) -> tuple[dict[str, np.ndarray], list[Node]]:
    """Those of the graph and of the graphs inside it; of several tensors with the same name, the first."""
    tensors: dict[str, np.ndarray] = {}
    nodes: list[Node] = []
    for number, value in _fields(memoryview(path.read_bytes())):
        if number == MODEL_GRAPH:
            _walk(value, tensors, nodes)
    return tensors, nodes


def _walk(graph: memoryview, tensors: dict[str, np.ndarray], nodes: list[Node]) -> None:
    inner = []
    for number, value in _fields(graph):
        if number == GRAPH_INITIALIZER:
            name, tensor = _tensor(value)
            if tensor is not None:
                tensors.setdefault(name, tensor)
        elif number == GRAPH_NODE:
            node = Node()
            for part, content in _fields(value):
                if part == NODE_INPUT:
                    node.inputs.append(_text(content))
                elif part == NODE_NAME:
                    node.name = _text(content)
                elif part == NODE_KIND:
                    node.kind = _text(content)
                elif part == NODE_ATTRIBUTE:
                    inner += [graph for which, graph in _fields(content) if which == ATTRIBUTE_GRAPH]
            nodes.append(node)
    for each in inner:
        _walk(each, tensors, nodes)


def _tensor(content: memoryview) -> tuple[str, np.ndarray | None]:
    """None for a type that no weights have."""
    name, kind, shape, raw, listed = "", 0, [], b"", []
    for number, value in _fields(content):
        if number == TENSOR_DIMENSION:
            shape += [value] if isinstance(value, int) else list(_varints(value))
        elif number == TENSOR_TYPE:
            kind = value
        elif number == TENSOR_NAME:
            name = _text(value)
        elif number == TENSOR_RAW:
            raw = value
        elif number == TENSOR_FLOATS:
            listed += np.frombuffer(value, "<f4").tolist()
        elif number == TENSOR_INTEGERS:
            listed += [value] if isinstance(value, int) else list(_varints(value))
    if kind not in TYPES:
        return name, None
    values = np.frombuffer(raw, TYPES[kind]) if len(raw) or not listed else np.array(listed).astype(TYPES[kind])
    return name, values.reshape(shape)


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and content of every field: https://protobuf.dev/programming-guides/encoding/."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        kind = key & 7
        if kind == 0:
            value, place = _varint(message, place)
        else:
            length, place = _varint(message, place) if kind == 2 else ({1: 8, 5: 4}[kind], place)
            value, place = message[place : place + length], place + length
        yield key >> 3, value


def _varints(packed: memoryview) -> Iterator[int]:
    place = 0
    while place < len(packed):
        value, place = _varint(packed, place)
        yield value


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place


def _text(content: memoryview) -> str:
    return str(content, "utf-8")
