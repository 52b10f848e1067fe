"""Builds the Opus decoder and decodes every speech set: one file of 16-bit samples a set, and where its sentences lie in it. While further
parts are on their way, `--files-only` decodes what is there. A set that was finished before is left as it is."""
from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from stages import stage
from tables import read_table

SAMPLE_RATE = 16_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--parts", type=Path, required=True, help="folder in which the parts were unpacked")
    options.add_argument("--files-only", action="store_true", help="leave the sets unfinished: some of their files are still to come")
    given = options.parse_args()
    with (given.parts / "decoding").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        decode_sets(given.parts, given.files_only)


def decode_sets(parts: Path, files_only: bool = False) -> None:
    with stage("build of the Opus decoder"):
        decoder = parts / "build" / "opus_decode"
        decoder = decoder if decoder.exists() else build_decoder(parts / "opus", parts / "build")
    folders = [folder for folder in sorted((parts / "speech").iterdir()) if not (parts / "pcm" / f"{folder.name}.json").exists()]
    whole = [folder for folder in folders if is_complete(folder)]  # before decoding: files that come meanwhile are not decoded
    with stage(f"decoding of {len(folders)} sets"):
        decode_files(decoder, folders, parts / "pcm")
    for folder in [] if files_only else folders:
        if folder not in whole:
            print(f"  {folder.name} LACKS FILES and is left for later", flush=True)
            continue
        join_samples(folder, parts / "pcm" / f"{folder.name}-files", parts / "pcm")
        shutil.rmtree(parts / "pcm" / f"{folder.name}-files")


def is_complete(folder: Path) -> bool:
    table = folder / "manifest.tsv"
    return table.exists() and all((folder / row["file"]).exists() for row in read_table(table))


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


def decode_files(decoder: Path, folders: list[Path], target: Path) -> None:
    """Those that were not decoded before."""
    files: list[Path] = []
    for folder in folders:
        scratch = target / f"{folder.name}-files"
        scratch.mkdir(parents=True, exist_ok=True)
        files += [file for file in folder.glob("*.opus") if not (scratch / f"{file.stem}.s16").exists()]
    workers = os.cpu_count() or 1
    # Largest first and interleaved, so that no process is left with all the long files.
    files.sort(key=lambda file: -file.stat().st_size)

    def decode_some(some: list[Path]) -> None:
        for name in sorted({file.parent.name for file in some}):
            of_set = [str(file) for file in some if file.parent.name == name]
            subprocess.run([str(decoder), str(target / f"{name}-files"), *of_set], check=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(decode_some, [files[index::workers] for index in range(workers)]))


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
    for row in read_table(table):
        first, length = starts[Path(row["file"]).stem]
        start, end = (min(length, round(float(row[name]) * SAMPLE_RATE)) for name in ("start", "end"))
        sentence = {"start": first + start, "end": first + end, "language": row["language"], "text": row["text"] or ""}
        sentences.append(sentence | ({"row": int(row["row"])} if row.get("row") else {}))
    return sentences


if __name__ == "__main__":
    main()
