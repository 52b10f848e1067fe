"""English sentences or phrases read by the voices of flite, as a speech set: no recording of ours has so many words. Needs
flite and ffmpeg (on Debian: packages of the same names)."""
from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import tempfile
import wave
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from prose import lines_of

SAMPLE_RATE = 16_000
VOICES = ("awb", "rms", "slt")
PAUSE = b"\0" * (SAMPLE_RATE // 2)  # a quarter of a second
SENTENCES_A_FILE = 200


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=Path, nargs="+", required=True, help="one sentence a line, as quotations.py and phrases.py print them")
    options.add_argument("--sentences", type=int, default=5000)
    options.add_argument("--letters", type=int, nargs=2, default=(35, 149), help="lines from and up to so many letters")
    options.add_argument("--bits", default="20k", help="of Opus, a second")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--target", type=Path, required=True)
    given = options.parse_args()
    for program in ("flite", "ffmpeg"):
        if shutil.which(program) is None:
            raise SystemExit(f"{program} is missing: apt-get install {program}")
    shortest, longest = given.letters
    lines = [line for line in lines_of(given.texts) if shortest <= len(line) <= longest]
    if not lines:
        raise SystemExit(f"no line of {shortest} to {longest} letters in {', '.join(map(str, given.texts))}")
    chosen = random.Random(given.seed).sample(lines, min(given.sentences, len(lines)))
    given.target.mkdir(parents=True, exist_ok=True)
    rows = ["\t".join(("file", "start", "end", "text"))]
    with ThreadPoolExecutor(2) as pool, tempfile.TemporaryDirectory() as folder:
        for first in range(0, len(chosen), SENTENCES_A_FILE):
            texts = chosen[first : first + SENTENCES_A_FILE]
            sounds = list(pool.map(lambda item: read(item[1], VOICES[item[0] % len(VOICES)], Path(folder) / f"{item[0]}.wav"), enumerate(texts)))
            name = f"{first // SENTENCES_A_FILE:03}.opus"
            encode(PAUSE.join(sounds), given.target / name, given.bits)
            place = 0
            for text, sound in zip(texts, sounds):
                end = place + len(sound) // 2
                rows.append(f"{name}\t{place / SAMPLE_RATE:.3f}\t{end / SAMPLE_RATE:.3f}\t{text}")
                place = end + len(PAUSE) // 2
            print(f"{first + len(texts)} of {len(chosen)} sentences", flush=True)
    (given.target / "manifest.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def read(text: str, voice: str, path: Path) -> bytes:
    subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
    with wave.open(str(path)) as file:
        if file.getframerate() != SAMPLE_RATE:
            raise ValueError(f"{voice} speaks at {file.getframerate()} samples a second")
        return file.readframes(file.getnframes())


def encode(samples: bytes, path: Path, bits: str) -> None:
    source = ["-f", "s16le", "-ar", str(SAMPLE_RATE), "-ac", "1", "-i", "pipe:0"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *source, "-c:a", "libopus", "-b:a", bits, str(path)], input=samples, check=True)


if __name__ == "__main__":
    main()
