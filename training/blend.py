"""Adds up the deltas of several runs, each with a share: between two runs lies what is better than either (Wortsman et al. 2022)."""
from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from adapter_file import read_adapter, write_tensors
from export import describe


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--add", nargs=3, action="append", required=True, metavar=("FILE", "ENCODER", "DECODER"))
    options.add_argument("--rank", type=int, default=32, help="of the sum; what is beyond it is cut off")
    options.add_argument("--target", type=Path, required=True)
    given = options.parse_args()
    blend([(Path(file), float(encoder), float(decoder)) for file, encoder, decoder in given.add], given.rank, given.target)
    describe(given.target)


def blend(runs: list[tuple[Path, float, float]], rank: int, target: Path) -> None:
    """Each run with its share in the encoder and in the decoder."""
    read = [(*read_adapter(path), {"encoder": encoder, "decoder": decoder}) for path, encoder, decoder in runs]
    first = read[0][0]
    if any(header["model"] != first["model"] for header, *_ in read):
        raise ValueError("the files are for models of different sizes")
    tensors = {}
    for name in read[0][1]:
        side = name.split(".")[0]
        downs = [tensors_of[name][0] * (header["scale"] * shares[side]) for header, tensors_of, _, shares in read]
        ups = [tensors_of[name][1] for _, tensors_of, _, _ in read]
        tensors[name] = shortened(np.concatenate(downs), np.concatenate(ups), rank)
    row = sum(row * shares["decoder"] for *_, row, shares in read) / sum(shares["decoder"] for *_, shares in read)
    notes = {"blended": [{**header["notes"], "share": shares} for header, *_, shares in read]}
    header = {"model": first["model"], "kind": "int8", "scale": 1.0, "row": first["row"], "notes": notes}
    write_tensors(target, header, tensors, row)


def shortened(down: np.ndarray, up: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest product of a lower rank, by singular values of the small core between two orthonormal factors."""
    (q_down, r_down), (q_up, r_up) = np.linalg.qr(down.T), np.linalg.qr(up.T)
    left, values, right = np.linalg.svd(r_down @ r_up.T)
    root = np.sqrt(values[:rank])
    return (q_down @ left[:, :rank] * root).T.copy(), (q_up @ right[:rank].T * root).T.copy()


if __name__ == "__main__":
    main()
