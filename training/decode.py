"""Builds the Opus decoder and decodes every speech set: one file of 16-bit samples a set, and where its sentences lie in it."""
from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from stages import stage

SAMPLE_RATE = 16_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--parts", type=Path, required=True, help="folder in which the parts were unpacked")
    given = options.parse_args()
    decode_sets(given.parts)


def decode_sets(parts: Path) -> None:
    with stage("build of the Opus decoder"):
        decoder = build_decoder(parts / "opus", parts / "build")
    for folder in sorted((parts / "speech").iterdir()):
        with stage(f"decoding of {folder.name}"):
            decode_set(decoder, folder, parts / "pcm")


def build_decoder(source: Path, build: Path) -> Path:
    """From source where it was packed: a plain floating-point build needs no configuration. Else with an installed library."""
    build.mkdir(parents=True, exist_ok=True)
    program = build / "opus_decode"
    reader = Path(__file__).with_name("opus_decode.c")
    if not source.exists():
        subprocess.run(["gcc", "-O2", str(reader), "-l:libopus.so.0", "-o", str(program)], check=True)
        return program
    flags = "-O3 -w -ffunction-sections -DOPUS_BUILD -DVAR_ARRAYS -DHAVE_LRINT -DHAVE_LRINTF".split()
    flags += [f"-I{source / folder}" for folder in ("include", "celt", "silk", "silk/float", "src")]
    files = [*sorted(source.rglob("*.c")), reader]

    def compile_file(file: Path) -> str:
        target = build / f"{file.parent.name}-{file.stem}.o"
        subprocess.run(["gcc", *flags, "-c", str(file), "-o", str(target)], check=True)
        return str(target)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_file, files))
    subprocess.run(["gcc", *objects, "-Wl,--gc-sections", "-lm", "-o", str(program)], check=True)
    return program


def decode_set(decoder: Path, folder: Path, target: Path) -> None:
    files = sorted(folder.glob("*.opus"))
    scratch = target / f"{folder.name}-files"
    scratch.mkdir(parents=True, exist_ok=True)
    workers = os.cpu_count() or 1
    # Largest first and interleaved, so that no process is left with all the long files.
    files.sort(key=lambda file: -file.stat().st_size)
    groups = [group for group in (files[index::workers] for index in range(workers)) if group]
    with ThreadPoolExecutor(workers) as pool:
        runs = [pool.submit(subprocess.run, [str(decoder), str(scratch), *map(str, group)], check=True) for group in groups]
        for run in runs:
            run.result()
    join_samples(folder, scratch, target)
    shutil.rmtree(scratch)


def join_samples(folder: Path, scratch: Path, target: Path) -> None:
    starts, samples = {}, 0
    with (target / f"{folder.name}.s16").open("wb") as joined:
        for file in sorted(scratch.glob("*.s16")):
            content = file.read_bytes()
            starts[file.stem] = (samples, len(content) // 2)
            joined.write(content)
            samples += len(content) // 2
    for table in sorted(folder.glob("*.tsv")):
        sentences = place_sentences(table, starts)
        name = folder.name if table.stem == "manifest" else f"{folder.name}.{table.stem}"
        (target / f"{name}.json").write_text(json.dumps(sentences, ensure_ascii=False), encoding="utf-8")
        spoken = sum(sentence["end"] - sentence["start"] for sentence in sentences) / SAMPLE_RATE / 3600
        short = sum(sentence["end"] - sentence["start"] < SAMPLE_RATE // 2 for sentence in sentences)
        print(f"  {name}: {len(sentences)} sentences, {spoken:.2f} h; {short} under half a second", flush=True)
    if not np.any(np.fromfile(target / f"{folder.name}.s16", dtype="<i2", count=SAMPLE_RATE * 60)):
        raise ValueError(f"{folder.name} decoded to silence")


def place_sentences(table: Path, starts: dict[str, tuple[int, int]]) -> list[dict]:
    """Of every row, where its sound lies in the joined samples; `starts` has the first sample and the length of each file."""
    sentences = []
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            first, length = starts[Path(row["file"]).stem]
            start, end = (min(length, round(float(row[name]) * SAMPLE_RATE)) for name in ("start", "end"))
            sentences.append({"start": first + start, "end": first + end, "language": row["language"], "text": row["text"]})
    return sentences


if __name__ == "__main__":
    main()
