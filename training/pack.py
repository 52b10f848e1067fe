"""Collects everything that training needs, from the npm weights and the speech sets, into parts that can be copied to a machine
with a GPU and without a network. See README.md."""
from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import numpy as np

from gather import SAMPLE_RATE, decoded, encode, quiet_cuts
from parts import PART_BYTES, write_parts
from prose import english_sentences
from published_weights import write_pieces
from sounds import ROOM_SAMPLES
from tables import read_table, write_manifest
from webm_packets import webm_to_ogg

ROOT = Path(__file__).resolve().parent.parent
TRAINING_SETS = {
    "taiwanese": ("nan", "hanji"),
    "mandarin": ("zh", "text"),
    "mandarin-machine": ("zh", "text"),
    "english": ("en", "text"),
    "speakers": ("en", "text"),
}
#: What gather.py and read_aloud.py wrote, by folder.
GATHERED_SETS = {
    "place-names": "nan",
    "headwords": "nan",
    "mandarin-more": "zh",
    "mandarin-words": "zh",
    "robocalls-mandarin": "zh",
    "aloud": "en",
    "phrases": "en",
    "sredh": "en",
    "harper-valley": "en",
    "robocalls-english": "en",
    "spoken-commands": "en",
    "wake-words": "en",
    "digits": "en",
    "noises": "none",
}
DEVELOPMENT_SETS = {
    "taiwanese": ("nan", "hanji"),
    "mandarin": ("zh", "text"),
    "mandarin-english": ("zh", "text"),
    "mandarin-taiwan": ("zh", "text"),
    "english": ("en", "text"),
    "english-conversation": ("en", "text"),
    "everyday-taiwanese": ("nan", "hanji"),
    "everyday-mandarin": ("zh", "text"),
    "everyday-english": ("en", "text"),
    "calls": ("en", "text"),
}
#: Recordings longer than a window are cut where nobody speaks.
CALL_SECONDS = (12, 26)
#: These are needed last: what the untouched model hears in the others is asked first.
LATE = ("dev-", "train-taiwanese", "train-headwords", "train-place-names")
#: Responses of the Web Audio samples that are of rooms.
ROOMS = "ambisonic binaural cardiod diffusor3 echo-chamber kitchen omni spatialized spreader50 super-ceiling tim-warehouse matrix-reverb".split()
#: Of a set; labelling takes about as long for each as for a whole sentence.
MOST_PIECES = 2500
# What an Opus decoder needs of libopus 1.3; the encoder stays at home.
CELT = "bands celt celt_decoder celt_lpc cwrs entcode entdec entenc kiss_fft laplace mathops mdct modes pitch quant_bands rate vq"
OPUS = "opus opus_decoder"
SILK_ENCODER = "enc NSQ VAD VQ_WMat control_ HP_variable LP_variable process_NLSFs stereo_LR stereo_find stereo_quant quant_LTP del_dec_quant debug".split()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--speech", type=Path, required=True, help="folder with train/ and dev/")
    options.add_argument("--opus", type=Path, required=True, help="source archive of libopus 1.3 (opus_1.3.1.orig.tar.gz)")
    options.add_argument("--english", type=Path, nargs="+", required=True, help="files of English prose, to be read beside speech")
    options.add_argument("--mandarin", type=Path, nargs="*", default=[], help="files of Mandarin sentences, to be read beside speech")
    options.add_argument("--gathered", type=Path, required=True, help="folder of the sets that gather.py and read_aloud.py wrote")
    options.add_argument("--hard", type=Path, help="folder of hard copies: SET/KIND/RECORDING")
    options.add_argument("--rooms", type=Path, help="folder of impulse responses")
    options.add_argument("--adapters", type=Path, nargs="*", default=[], help="files to begin with or to compare with")
    options.add_argument("--pieces", type=Path, required=True, help="folder of tables that pieces.ts wrote, each named like a set")
    options.add_argument("--sizes", default="small,base")
    options.add_argument("--target", type=Path, default=ROOT / ".gpu")
    options.add_argument("--share", type=float, default=1.0, help="how much of each training set: 0.01 for a trial")
    options.add_argument("--part-bytes", type=int, default=PART_BYTES)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.target.parent) as folder:
        staging = Path(folder)
        for size in given.sizes.split(","):
            stage_weights(ROOT, size, staging)
        stage_tokens(ROOT, given.sizes.split(",")[0], staging)
        stage_script_table(ROOT, staging)
        stage_opus(given.opus, staging)
        stage_texts(given.english, given.mandarin, given.speech / "train" / "taiwanese", staging)
        stage_files([*Path(__file__).parent.glob("*.py"), Path(__file__).with_name("opus_decode.c")], staging / "code")
        stage_files(given.adapters, staging / "adapters")
        if given.rooms:
            stage_rooms(given.rooms, staging)
        for name, (language, column) in TRAINING_SETS.items():
            stage_training_set(given.speech / "train" / name, staging / "speech" / f"train-{name}", language, column, given.share)
        for name, language in GATHERED_SETS.items():
            if (given.gathered / name).exists():
                stage_training_set(given.gathered / name, staging / "speech" / f"train-{name}", language, "text", given.share)
            else:
                print(f"{name} IS NOT IN {given.gathered}")
        for table in sorted(given.pieces.glob("*.tsv")):
            language = GATHERED_SETS.get(table.stem) or TRAINING_SETS[table.stem][0]
            stage_pieces(table, staging / "speech" / f"train-{table.stem}", language)
        for name, (language, column) in DEVELOPMENT_SETS.items():
            stage = stage_calls if name == "calls" else stage_development_set
            stage(given.speech / "dev" / name, staging / "speech" / f"dev-{name}", language, column)
            for kind in sorted((given.hard / name).glob("*")) if given.hard else []:
                stage_hard_copies(kind, given.speech / "dev" / name, staging / "speech" / f"dev-{kind.name}~{name}", language, column)
        for old in given.target.glob("part-*"):
            shutil.rmtree(old)
        for part in write_parts(staging, given.target, given.part_bytes, LATE):
            print(f"{part}  {part.stat().st_size / 1e6:.1f} MB  sha256 {hashlib.sha256(part.read_bytes()).hexdigest()[:16]}")


def model_folder(root: Path, size: str) -> Path:
    return root / "node_modules" / f"sts-whisper-{size}" / "models" / "Xenova" / f"whisper-{size}"


def stage_weights(root: Path, size: str, staging: Path) -> None:
    folder = model_folder(root, size)
    write_pieces(folder, staging / "weights" / size)
    shutil.copy(folder / "config.json", staging / "weights" / size / "config.json")
    print(f"weights of {size} packed")


def stage_tokens(root: Path, size: str, staging: Path) -> None:
    (staging / "tokens").mkdir(parents=True)
    for name in ("vocab.json", "merges.txt", "generation_config.json"):
        shutil.copy(model_folder(root, size) / name, staging / "tokens" / name)


def stage_script_table(root: Path, staging: Path) -> None:
    """Character by character, as evaluation/scoring.ts folds Traditional to Simplified."""
    script = """
      import { Converter } from 'opencc-js';
      const toSimplified = Converter({ from: 'tw', to: 'cn' });
      const table = {};
      for (const [first, last] of [[0x3400, 0x9fff], [0xf900, 0xfaff], [0x20000, 0x323af]])
        for (let code = first; code <= last; code++) {
          const character = String.fromCodePoint(code), folded = toSimplified(character);
          if (folded !== character && [...folded].length === 1) table[character] = folded;
        }
      console.log(JSON.stringify(table));"""
    table = subprocess.run(["node", "--input-type=module", "-e", script], cwd=root, check=True, capture_output=True).stdout
    if len(json.loads(table)) < 2000:
        raise ValueError("opencc-js gave too small a table")
    (staging / "simplified.json").write_bytes(table)


def stage_opus(archive: Path, staging: Path) -> None:
    target = staging / "opus"
    with tarfile.open(archive) as source:
        for member in source.getmembers():
            path = Path(*Path(member.name).parts[1:])
            if member.isfile() and (is_needed(path) or path.name == "COPYING"):
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                (target / path).write_bytes(source.extractfile(member).read())


def stage_files(files: list[Path], target: Path) -> None:
    target.mkdir(parents=True)
    for file in files:
        shutil.copy(file, target / file.name)


def stage_rooms(folder: Path, staging: Path) -> None:
    """Each from its direct sound on, which is set to 1."""
    rooms = []
    for path in sorted(folder.glob("*.wav")):
        if path.name.startswith(tuple(ROOMS)):
            response = decoded(path).astype(np.float32)
            response = response[np.argmax(np.abs(response)) :][:ROOM_SAMPLES]
            rooms.append(np.pad(response / response[0], (0, ROOM_SAMPLES - len(response))))
    np.save(staging / "rooms.npy", np.stack(rooms).astype(np.float16))
    print(f"{len(rooms)} rooms")


def stage_texts(english: list[Path], mandarin_files: list[Path], taiwanese: Path, staging: Path) -> None:
    """Mandarin is what the Taiwanese sentences mean, and what the files say."""
    prose = [sentence for path in english for sentence in english_sentences(path.read_text(encoding="utf-8", errors="ignore"))]
    mandarin = [row["mandarin"].strip() for row in read_table(taiwanese / "manifest.tsv") if len(row["mandarin"] or "") >= 6]
    mandarin += [line.strip() for path in mandarin_files for line in path.read_text(encoding="utf-8").splitlines() if 6 <= len(line.strip()) <= 60]
    (staging / "texts").mkdir(parents=True)
    for name, lines in (("en", prose), ("zh", mandarin)):
        (staging / "texts" / f"{name}.txt").write_text("\n".join(dict.fromkeys(lines)) + "\n", encoding="utf-8")


def is_needed(path: Path) -> bool:
    folder, name = path.parent.as_posix(), path.stem
    if path.suffix == ".h":
        return folder in ("include", "celt", "silk", "silk/float", "src")
    if path.suffix != ".c":
        return False
    if folder == "silk":
        return not any(part in name for part in SILK_ENCODER)
    return (folder == "celt" and name in CELT.split()) or (folder == "src" and name in OPUS.split())


def stage_training_set(folder: Path, target: Path, language: str, column: str, share: float) -> None:
    rows = read_table(folder / "manifest.tsv")
    rows = rows[: max(1, round(len(rows) * share))]
    target.mkdir(parents=True)
    for file in sorted({row["file"] for row in rows}):
        shutil.copy(folder / file, target / file)
    write_manifest(target, [(row["file"], row["start"], row["end"], language, (row[column] or "").strip(), "") for row in rows])


def stage_pieces(table: Path, folder: Path, language: str) -> None:
    """Beside the sentences they were cut from, in the same sound."""
    rows = [row for row in read_table(table) if (folder / row["file"]).exists()]
    rows = random.Random(1).sample(rows, min(MOST_PIECES, len(rows)))
    write_manifest(folder, [(row["file"], row["start"], row["end"], language, row["text"], "") for row in rows], "pieces.tsv")


def stage_development_set(folder: Path, target: Path, language: str, column: str) -> None:
    rows = read_table(folder / "transcripts.tsv")
    target.mkdir(parents=True)
    for row in rows:
        (target / row["file"]).with_suffix(".opus").write_bytes(webm_to_ogg((folder / row["file"]).read_bytes()))
    write_manifest(
        target,
        [
            (str(Path(row["file"]).with_suffix(".opus")), "0", row["seconds"], language, row[column].strip(), str(number))
            for number, row in enumerate(rows)
        ],
    )


def stage_calls(folder: Path, target: Path, language: str, column: str) -> None:
    """Cut into windows; the text of a call stands with its first."""
    target.mkdir(parents=True)
    lines = []
    for number, row in enumerate(read_table(folder / "transcripts.tsv")):
        name = Path(row["file"]).with_suffix(".opus").name
        (target / name).write_bytes(webm_to_ogg((folder / row["file"]).read_bytes()))
        for index, (start, end) in enumerate(quiet_cuts(decoded(folder / row["file"]), *CALL_SECONDS)):
            text = row[column].strip() if index == 0 else ""
            lines.append((name, f"{start / SAMPLE_RATE:.3f}", f"{end / SAMPLE_RATE:.3f}", language, text, str(number)))
    write_manifest(target, lines)


def stage_hard_copies(folder: Path, original: Path, target: Path, language: str, column: str) -> None:
    """One file for all: they are few."""
    target.mkdir(parents=True)
    lines, sounds, place = [], [], 0.0
    for number, row in enumerate(read_table(original / "transcripts.tsv")):
        copies = sorted(folder.glob(Path(row["file"]).stem + ".*"))
        if copies:
            sounds.append(decoded(copies[0]))
            end = place + len(sounds[-1]) / SAMPLE_RATE
            lines.append(("000.opus", f"{place:.3f}", f"{end:.3f}", language, row[column].strip(), str(number)))
            place = end
    encode(np.concatenate(sounds), target / "000.opus", "24k")
    write_manifest(target, lines)


if __name__ == "__main__":
    main()
