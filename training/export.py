"""Joins what came back from the machine that trained, writes the adapter at the strength that was chosen, and says what int8 costs."""
from __future__ import annotations

import argparse
import json
import struct
from pathlib import Path

import numpy as np

from adapter_file import read_adapter


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--adapter", type=Path, required=True, help="adapter-SIZE.bin, or the first of its pieces (.00)")
    options.add_argument("--target", type=Path, required=True)
    options.add_argument("--strength", type=float, default=1.0, help="of the deltas, as the evaluation chose it")
    options.add_argument("--piece-bytes", type=int, default=0, help="write pieces of at most so many bytes instead")
    given = options.parse_args()
    content = join_pieces(given.adapter)
    if given.piece_bytes:
        for index in range(0, len(content), given.piece_bytes):
            piece = given.target.with_name(f"{given.target.name}.{index // given.piece_bytes:02}")
            piece.write_bytes(content[index : index + given.piece_bytes])
        return
    given.target.write_bytes(at_strength(content, given.strength))
    describe(given.target)


def join_pieces(path: Path) -> bytes:
    if path.suffix != ".00":
        return path.read_bytes()
    return b"".join(piece.read_bytes() for piece in sorted(path.parent.glob(path.stem + ".[0-9][0-9]")))


def at_strength(content: bytes, strength: float) -> bytes:
    """Only the scale in the header changes; the header stays a multiple of 8 bytes long."""
    (length,) = struct.unpack_from("<I", content)
    header = json.loads(content[4 : 4 + length])
    header["scale"] *= strength
    header["notes"]["strength"] = strength
    encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    encoded += b" " * (-(len(encoded) + 4) % 8)
    return struct.pack("<I", len(encoded)) + encoded + content[4 + length :]


def describe(path: Path) -> None:
    header, tensors, row = read_adapter(path)
    norms = {name: header["scale"] * np.linalg.norm(down.T @ up) for name, (down, up) in tensors.items()}
    largest = max(norms, key=norms.get)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB, {len(tensors)} tensors of {header['model']}, scale {header['scale']}")
    print(f"largest delta: {largest} ({norms[largest]:.3f}); row {np.linalg.norm(row):.3f}; notes {header['notes']}")


if __name__ == "__main__":
    main()
