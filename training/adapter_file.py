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


Tensors = dict[str, tuple[np.ndarray, np.ndarray]]


def write_adapter(path: Path, model: Whisper, size: str, notes: dict, kind: str = "int8", strength: float = 1.0) -> int:
    """Gives the file's size. `strength` is folded into the scale."""
    # Both factors as [rank, n]: one scale a row follows the components, which differ in size.
    tensors = {
        linear.name: (linear.down.detach().float().cpu().numpy(), np.ascontiguousarray(linear.up.detach().float().cpu().numpy().T))
        for linear in model.linears()
    }
    row = model.row.detach().float().cpu().numpy()
    header = {"model": size, "kind": kind, "scale": GAIN * strength, "row": {"token": model.language_token}, "notes": notes}
    return write_tensors(path, header, tensors, row)


def write_tensors(path: Path, given: dict, tensors: Tensors, row: np.ndarray) -> int:
    """`given`: the header's model, kind, scale, notes and the row's token. Gives the file's size."""
    entries, blobs, offset = [], [], 0
    for name, factors in tensors.items():
        down, up = factors
        entry: dict = {"name": name, "rank": down.shape[0], "inputs": down.shape[1], "outputs": up.shape[1]}
        for factor, values in zip("ab", factors):
            for blob, description in _stored(values, given["kind"]):
                entry.setdefault(factor, {})[description] = offset
                blobs.append(blob)
                offset += len(blob)
        entries.append(entry)
    blobs.append(row.astype("<f2").tobytes())
    header = {
        "format": FORMAT,
        **{key: given[key] for key in ("model", "kind", "scale")},
        "tensors": entries,
        "row": {"name": ROW_NAME, "token": given["row"]["token"], "width": len(row), "offset": offset},
        "notes": given["notes"],
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


def read_adapter(path: Path) -> tuple[dict, Tensors, np.ndarray]:
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


def load_adapter(path: Path, model: Whisper, strength: float = 1.0) -> dict:
    """Puts the deltas of a file into the model, or a part of them. The file's scale goes into the factors: training on and writing begin at 1.
    Where the model has more ranks than the file, the others begin with nothing learnt."""
    header, tensors, row = read_adapter(path)
    share = strength * header["scale"] / GAIN
    with torch.no_grad():
        for linear in model.linears():
            down, up = tensors[linear.name]
            rank = len(down)
            if rank > len(linear.down):
                raise ValueError(f"{path} has rank {rank}, the model {len(linear.down)}")
            linear.reset_delta()
            linear.down[:rank].copy_(torch.from_numpy(down * share))
            linear.up[:, :rank].copy_(torch.from_numpy(np.ascontiguousarray(up.T)))
        model.row.copy_(torch.from_numpy(row))
    model.adapter.strength = 1.0
    return header
