"""The whole way in under a minute on one core: pack, decode, label, three steps, evaluate, export, read back. One short recording
stands for all speech, so that nothing is learnt; what is shown is that every stage takes what the one before it gives."""
from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import tempfile
import wave
from pathlib import Path

import numpy as np
import torch

import features

features.FULL_FRAMES = 400  # 4 s in place of 30; before the other modules take the number over

import export as export_module  # noqa: E402
import labelling  # noqa: E402
from adapter_file import load_adapter, read_adapter, write_adapter  # noqa: E402
from decode import decode_sets, join_samples  # noqa: E402
from pack import ROOT, stage_script_table, stage_tokens, stage_weights  # noqa: E402
from parts import unpack_parts, write_parts  # noqa: E402
from sounds import ROOM_SAMPLES  # noqa: E402
from stages import stage  # noqa: E402
from tables import write_manifest  # noqa: E402
from tokens import Tokens  # noqa: E402
from train import arguments, run  # noqa: E402
from webm_packets import webm_to_ogg  # noqa: E402
from whisper import Whisper  # noqa: E402

RECORDING = ROOT / "test" / "fixtures" / "audio" / "speech-opus.webm"
PIECES = ((0.0, 3.6), (0.0, 2.0), (1.6, 3.6))
SETS = {
    "train-taiwanese": ("nan", 3),
    "train-mandarin": ("zh", 2),
    "train-english": ("en", 1),
    "train-speakers": ("en", 3),
    "train-aloud": ("en", 1),
    "train-phrases": ("en", 2),
    "train-headwords": ("nan", 2),
    "train-mandarin-machine": ("zh", 1),
    "train-mandarin-words": ("zh", 2),
    "train-noises": ("none", 2),
    "dev-taiwanese": ("nan", 2),
    "dev-mandarin": ("zh", 1),
    "dev-english": ("en", 2),
    "dev-phone~english": ("en", 2),
}
#: Sets with a table of pieces beside their sentences.
PIECES_OF = ("train-mandarin", "train-speakers", "train-mandarin-words")
#: At 4 s of context the untouched model loops, which would leave nothing to be learnt softly. Here, so that it also holds in the processes
#: that label, which run this file once more.
labelling.WORST_ERROR_RATE = labelling.WORST_PHRASE_ERROR_RATE = labelling.WORST_REFERENCE_ERROR_RATE = 100
labelling.WORST_LOG_PROBABILITY = -100
labelling.loops = lambda *_: False
torch.set_num_threads(1)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        staging, parts, out = (Path(folder) / name for name in ("staging", "parts", "out"))
        with stage("pack"):
            pack_recording(staging)
            unpack_parts(write_parts(staging, Path(folder) / "packed", part_bytes=40_000_000), parts)
        with stage("decode"):
            decode_recording(parts)
        with stage("training and evaluation"):
            run(training_options(parts, out))
        with stage("export"):
            check_export(parts, out)
    print("smoke run passed")


def pack_recording(staging: Path) -> None:
    """One recording in many parts: as English with its own text, and as languages that it is not."""
    stage_weights(ROOT, "tiny", staging)
    stage_tokens(ROOT, "tiny", staging)
    stage_script_table(ROOT, staging)
    np.save(staging / "rooms.npy", np.eye(2, ROOM_SAMPLES, dtype=np.float16)[:1])
    (staging / "texts").mkdir()
    (staging / "texts" / "en.txt").write_text("Nobody says this.\n")
    (staging / "texts" / "zh.txt").write_text("沒有人說這句話。\n", encoding="utf-8")
    texts = {"nan": "𪜶講伊毋知。", "zh": "茶店子", "en": json.loads(RECORDING.with_name("speech.json").read_text())["text"], "none": ""}
    for name, (language, count) in SETS.items():
        folder = staging / "speech" / name
        folder.mkdir(parents=True)
        (folder / "000.opus").write_bytes(webm_to_ogg(RECORDING.read_bytes()))
        rows = [("000.opus", str(start), str(end), language, texts[language], str(row)) for row, (start, end) in enumerate(PIECES[:count])]
        write_manifest(folder, rows)
        if name in PIECES_OF:
            write_manifest(folder, rows[-1:], "pieces.tsv")


def decode_recording(parts: Path) -> None:
    """By the decoder as it is built here, and then the same as the recording from before it was coded."""
    if can_decode():
        decode_sets(parts, files_only=True)
        decode_sets(parts)
    else:
        print("LEFT OUT: decoding Opus, since gcc or libopus.so.0 is missing here; the sound goes on as it was before", flush=True)
        for folder in sorted((parts / "speech").iterdir()):
            scratch = parts / "pcm" / folder.name
            scratch.mkdir(parents=True)
            original().tofile(scratch / "000.s16")
            join_samples(folder, scratch, parts / "pcm")
    decoded = np.fromfile(parts / "pcm" / "dev-english.s16", dtype="<i2").astype(np.float64)
    before = original().astype(np.float64)
    length = min(len(decoded), len(before))
    likeness = np.corrcoef(decoded[:length], before[:length])[0, 1]
    assert likeness > 0.9, f"decoded sound is {likeness:.2f} like the recording"


def original() -> np.ndarray:
    with wave.open(str(RECORDING.with_name("speech-16k.wav"))) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")


def can_decode() -> bool:
    if shutil.which("gcc") is None:
        return False
    try:
        ctypes.CDLL("libopus.so.0")
    except OSError:
        return False
    return True


def training_options(parts: Path, out: Path) -> argparse.Namespace:
    required = ["--size", "tiny", "--parts", str(parts), "--out", str(out), "--minutes", "8", "--steps", "3", "--batch", "4"]
    small = ["--buckets", "2", "--rank", "4", "--soundscapes", "2", "--skip", "middle,strengths", "--longest", "24", "--pitches", "0.7,1.4", "--labellers", "2", "--drafters", "1"]
    return arguments([*required, *small])


def check_export(parts: Path, out: Path) -> None:
    """The file gives back the deltas that were trained; int8 and half precision differ by under one percent of their size."""
    path = out / "adapter-tiny.bin"
    header, tensors, row = read_adapter(path)
    assert header["model"] == "tiny" and header["scale"] == 2.0 and len(row) == 384
    tokens = Tokens(parts / "tokens")
    model = Whisper(parts / "weights" / "tiny", tokens.languages["nan"], tokens.languages["zh"], 4, torch.float32)
    assert {linear.name for linear in model.linears()} == set(tensors)
    load_adapter(path, model)
    worst = 0.0
    for linear in model.linears():
        torch.nn.init.normal_(linear.up)
    sizes = {kind: write_adapter(out / f"{kind}.bin", model, "tiny", {}, kind) for kind in ("int8", "float16")}
    exact = {linear.name: (linear.up @ linear.down).detach().numpy() for linear in model.linears()}
    for kind in sizes:
        _, tensors, _ = read_adapter(out / f"{kind}.bin")
        errors = [np.linalg.norm((b.T @ a) - exact[name]) / np.linalg.norm(exact[name]) for name, (a, b) in tensors.items()]
        print(f"{kind}: {sizes[kind] / 1e6:.2f} MB, deltas off by {100 * max(errors):.3f} % at most", flush=True)
        worst = max(worst, max(errors))
    assert worst < 0.02, worst
    check_scale(model, out)
    check_growth(path, parts, tokens)
    export_module.describe(path)


def check_scale(model: Whisper, out: Path) -> None:
    """Training that goes on from a file of another scale, and writes again, begins with the deltas of that file."""
    write_adapter(out / "weak.bin", model, "tiny", {}, "float16", strength=0.5)
    load_adapter(out / "weak.bin", model)
    write_adapter(out / "again.bin", model, "tiny", {}, "float16")
    (weak, before, _), (again, after, _) = read_adapter(out / "weak.bin"), read_adapter(out / "again.bin")
    for name, (a, b) in before.items():
        expected = weak["scale"] * (b.T @ a)
        assert np.allclose(again["scale"] * (after[name][1].T @ after[name][0]), expected, atol=2e-3 * np.abs(expected).max()), name


def check_growth(path: Path, parts: Path, tokens: Tokens) -> None:
    """A model of a higher rank begins with the same deltas."""
    header, tensors, _ = read_adapter(path)
    model = Whisper(parts / "weights" / "tiny", tokens.languages["nan"], tokens.languages["zh"], 6, torch.float32)
    load_adapter(path, model)
    for linear in model.linears():
        a, b = tensors[linear.name]
        expected = header["scale"] * (b.T @ a)
        assert np.allclose(2.0 * (linear.up @ linear.down).detach().numpy(), expected, atol=1e-6 + 1e-4 * np.abs(expected).max()), linear.name


if __name__ == "__main__":
    main()
