"""The adapter as one file: a length, a JSON header, then bytes. README.md describes it for other readers."""
from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import torch

from whisper import GAIN, Whisper

FORMAT = "siann-adapter-1"
ROW_NAME = "decoder.embed_tokens.row"


def write_adapter(path: Path, model: Whisper, size: str, notes: dict, kind: str = "int8", strength: float = 1.0) -> int:
    """Gives the file's size. `strength` is folded into the scale."""
    entries, blobs, offset = [], [], 0

    def add(name: str, values: np.ndarray) -> None:
        nonlocal offset
        for blob, description in _stored(values, kind):
            entries[-1].setdefault(name, {}).update({description: offset})
            blobs.append(blob)
            offset += len(blob)

    for linear in model.linears():
        # Both factors as [rank, n]: one scale a row follows the components, which differ in size.
        down, up = linear.down.detach().float().cpu().numpy(), linear.up.detach().float().cpu().numpy().T
        entries.append({"name": linear.name, "rank": down.shape[0], "inputs": down.shape[1], "outputs": up.shape[1]})
        add("a", down)
        add("b", np.ascontiguousarray(up))
    row = model.row.detach().float().cpu().numpy().astype("<f2").tobytes()
    blobs.append(row)
    header = {
        "format": FORMAT,
        "model": size,
        "kind": kind,
        "scale": GAIN * strength,
        "tensors": entries,
        "row": {"name": ROW_NAME, "token": model.language_token, "width": len(row) // 2, "offset": offset},
        "notes": notes,
    }
    encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    encoded += b" " * (-(len(encoded) + 4) % 8)
    content = struct.pack("<I", len(encoded)) + encoded + b"".join(blobs)
    scratch = path.with_suffix(".part")
    scratch.write_bytes(content)
    scratch.replace(path)
    return len(content)


def _stored(values: np.ndarray, kind: str):
    """Values, and for int8 one single-precision scale a row. Every blob is a multiple of 8 bytes, so that all are aligned."""
    if kind == "float16":
        yield _padded(values.astype("<f2").tobytes()), "values"
        return
    scales = np.maximum(np.abs(values).max(1), 1e-12) / 127
    yield _padded(scales.astype("<f4").tobytes()), "scales"
    yield _padded(np.clip(np.rint(values / scales[:, None]), -127, 127).astype("i1").tobytes()), "values"


def _padded(blob: bytes) -> bytes:
    return blob + b"\0" * (-len(blob) % 8)


def read_adapter(path: Path) -> tuple[dict, dict[str, tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Header; (A [rank, inputs], B [rank, outputs]) by tensor name; the row. W[inputs, outputs] += scale · Aᵀ · B."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<I", content)
    header = json.loads(content[4 : 4 + length])
    if header["format"] != FORMAT:
        raise ValueError(f"{path} is not an adapter of the format {FORMAT}")
    body = 4 + length

    def take(where: dict, rows: int, columns: int) -> np.ndarray:
        if header["kind"] == "float16":
            values = np.frombuffer(content, "<f2", rows * columns, body + where["values"])
            return values.astype(np.float32).reshape(rows, columns)
        scales = np.frombuffer(content, "<f4", rows, body + where["scales"])
        values = np.frombuffer(content, "i1", rows * columns, body + where["values"]).reshape(rows, columns)
        return values.astype(np.float32) * scales[:, None]

    tensors = {
        entry["name"]: (take(entry["a"], entry["rank"], entry["inputs"]), take(entry["b"], entry["rank"], entry["outputs"]))
        for entry in header["tensors"]
    }
    row = np.frombuffer(content, "<f2", header["row"]["width"], body + header["row"]["offset"]).astype(np.float32)
    return header, tensors, row


def load_adapter(path: Path, model: Whisper) -> dict:
    """Puts the deltas of a file into the model, at the strength that they were written with."""
    header, tensors, row = read_adapter(path)
    with torch.no_grad():
        for linear in model.linears():
            down, up = tensors[linear.name]
            linear.down.copy_(torch.from_numpy(down))
            linear.up.copy_(torch.from_numpy(np.ascontiguousarray(up.T)))
        model.row.copy_(torch.from_numpy(row))
    model.adapter.strength = header["scale"] / GAIN
    return header
