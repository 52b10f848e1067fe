"""The whole way in seconds on one core: a few made-up speakers, three steps, evaluation, export. Nothing is learnt; what is shown is
that every stage takes what the one before it gives. The written graph, and what it must answer, are left in the folder."""
from __future__ import annotations

import argparse
import json
import sys
import wave
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402
import torch  # noqa: E402

from export import write_network  # noqa: E402
from network import create_network  # noqa: E402
from train import arguments, run  # noqa: E402

RECORDING = Path(__file__).resolve().parents[2] / "test" / "fixtures" / "audio" / "speech-16k.wav"
SPEAKERS = {"ls1": 1.0, "ls2": 0.85, "ls3": 1.2, "so1": 0.92, "so2": 1.1, "so3": 1.3}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, required=True)
    out = options.parse_args().out
    torch.set_num_threads(1)
    write_speech(out)
    for kind in ("tdnn", "resnet"):
        figures = run(training_options(out, kind))
        assert set(figures) >= {"1.5 s all", "full all", "1.5 s ls"}, figures
        weights = dict(np.load(out / f"speakers-{kind}.npz"))
        write_network(kind, weights, out / f"{kind}.onnx")
        write_expected(out, kind, weights)
    print("smoke run passed")


def write_speech(out: Path) -> None:
    """One recording at several speeds stands for several speakers, two sentences each."""
    with wave.open(str(RECORDING)) as file:
        sound = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.float32)
    samples, sentences, rows = [], [], ["file\tstart\tend\tspeaker\ttext"]
    for name, speed in SPEAKERS.items():
        voice = np.interp(np.arange(0, len(sound) - 1, speed), np.arange(len(sound)), sound).astype("<i2")
        for _ in range(2):
            start = sum(map(len, samples))
            samples.append(voice)
            sentences.append({"start": start, "end": start + len(voice), "language": "en", "text": name})
            rows.append(f"{name}.opus\t0\t1\t{name}\t{name}")
    (out / "pcm").mkdir(parents=True)
    np.concatenate(samples).tofile(out / "pcm" / "train-speakers.s16")
    (out / "pcm" / "train-speakers.json").write_text(json.dumps(sentences))
    (out / "manifest.tsv").write_text("\n".join(rows) + "\n")


def training_options(out: Path, kind: str) -> argparse.Namespace:
    paths = ["--parts", str(out), "--manifest", str(out / "manifest.tsv"), "--out", str(out)]
    return arguments([*paths, "--network", kind, "--steps", "3", "--batch", "4", "--hold-out", "0.6"])


def write_expected(out: Path, kind: str, weights: dict[str, np.ndarray]) -> None:
    network = create_network(kind, out, torch.device("cpu"), torch.float32)
    network.trunk.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()}, strict=False)
    network.eval()
    features = torch.randn(2, 80, 120, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        directions = torch.nn.functional.normalize(network.trunk(features - features.mean(2, keepdim=True)))
    features.numpy().astype("<f4").tofile(out / f"{kind}-features.f32")
    directions.numpy().astype("<f4").tofile(out / f"{kind}-directions.f32")


if __name__ == "__main__":
    main()
