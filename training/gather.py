"""Recordings of public repositories as speech sets: Opus files of many clips each, and a table of where each clip lies. README.md says which
repositories, and CARD.md under which licences. Needs ffmpeg and PyAV (on Debian: ffmpeg, python3-av). Nothing of it belongs in this repository."""
from __future__ import annotations

import argparse
import csv
import json
import random
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from prose import word_runs
from tables import read_table

SAMPLE_RATE = 16_000
CLIPS_A_FILE = 200
PAUSE = np.zeros(SAMPLE_RATE // 5, dtype="<i2")
MARGIN_SECONDS = 0.15
#: Utterances of one person that follow each other sooner than this are one clip.
JOINED_SECONDS = 0.5
LONGEST_SECONDS = 14.0
#: Kept aside for measuring: calls of HarperValleyBank whose name ends so, and one fold in five of ESC-50.
MEASURED_CALLS = ("0", "1")
MEASURED_FOLD = "5"


@dataclass
class Clip:
    path: Path
    text: str = ""
    start: float = 0.0
    end: float | None = None


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--source", choices=SOURCES, required=True)
    options.add_argument("--folder", type=Path, required=True, help="the repository's files")
    options.add_argument("--target", type=Path, required=True)
    options.add_argument("--hours", type=float, default=100.0, help="stop when there is so much of it")
    options.add_argument("--bits", default="14k", help="of Opus, a second")
    options.add_argument("--words", type=Path, help="of headwords: the table 詞目總檔.csv of g0v/moedict-data-twblg")
    options.add_argument("--leave-out", type=Path, nargs="*", default=[], help="tables of sets whose sentences are not taken")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    known = {run for table in given.leave_out for row in read_table(table) for run in word_runs(row["text"])}
    clips = [clip for clip in SOURCES[given.source](given) if not known & set(word_runs(clip.text))]
    random.Random(given.seed).shuffle(clips)
    write_set(clips, given.target, given.hours, given.bits)


def word_of(path: Path) -> str:
    """`12_基隆.mp3` and `cmn-名字.mp3` say what is spoken in their names."""
    return re.sub(r"^(\d+_|cmn-)", "", path.stem)


def harper_valley(given) -> Iterator[Clip]:
    """A channel for each speaker; what one of them says in one go is a clip."""
    for table in sorted((given.folder / "data" / "transcript").glob("*.json")):
        if table.stem.endswith(MEASURED_CALLS):
            continue
        said = json.loads(table.read_text(encoding="utf-8"))
        for role in ("agent", "caller"):
            turns = [each for each in said if each["speaker_role"] == role and re.search("[a-z]", re.sub(r"<.*?>|\[.*?\]", "", each["human_transcript"]))]
            yield from joined_turns(turns, given.folder / "data" / "audio" / role / f"{table.stem}.wav")


def joined_turns(turns: list[dict], path: Path) -> Iterator[Clip]:
    clip: Clip | None = None
    for turn in sorted(turns, key=lambda each: each["start_ms"]):
        start, end = turn["start_ms"] / 1000, (turn["start_ms"] + turn["duration_ms"]) / 1000
        text = " ".join(re.sub(r"<.*?>|\[.*?\]", "", turn["human_transcript"]).split())
        if clip and start - clip.end < JOINED_SECONDS and end - clip.start < LONGEST_SECONDS:
            clip.end, clip.text = end, f"{clip.text} {text}"
        else:
            if clip:
                yield clip
            clip = Clip(path, text, start, end)
    if clip:
        yield clip


def sredh(given) -> Iterator[Clip]:
    for table in sorted(given.folder.rglob("task1_answer.txt")):
        for line in table.read_text(encoding="utf-8").splitlines():
            name, _, text = line.partition("\t")
            path = table.parent / "audio" / f"{name}.wav"
            if path.exists() and text.isascii():
                yield Clip(path, text.strip())


def place_names(given) -> Iterator[Clip]:
    """Taiwanese in Han characters: as suggested, or those of Mandarin where nothing else is suggested. Names of which that is not sure are left out."""
    folder = next((given.folder / "public").glob("*/imtong")).parent
    with (folder / "bunji" / "KipTehomiaData.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            written, path = row["臺灣台語_漢字建議"].strip() or row["國語"].strip(), folder / "imtong" / row["音檔"]
            syllables = len(re.findall(r"[^\s\-/]+", row["臺灣台語_羅馬字"]))
            if path.is_file() and re.fullmatch(r"[\u3400-\u9fff\U00020000-\U000323af]+", written) and len(written) == syllables:
                yield Clip(path, written)


def headwords(given) -> Iterator[Clip]:
    """Of the dictionary, but for single characters, which have too many homophones; a word's first recording has its number and (1)."""
    with given.words.open(encoding="utf-8", newline="") as file:
        words = {row["主編碼"]: row["詞目"].strip() for row in csv.DictReader(file)}
    for path in sorted(given.folder.rglob("sutiau/*/*(1).mp3")):
        word = words.get(path.stem.removesuffix("(1)"), "")
        if re.fullmatch(r"[\u3400-\u9fff\U00020000-\U000323af]{2,}", word):
            yield Clip(path, word)


def mandarin_words(given) -> Iterator[Clip]:
    for path in sorted(given.folder.rglob("hsk/cmn-*.mp3")):
        if len(word_of(path)) > 1:
            yield Clip(path, word_of(path))


def robocalls(given) -> Iterator[Clip]:
    """Their texts are machine-made and not taken. Whole minutes of each are cut where nobody speaks."""
    with (given.folder / "metadata.csv").open(encoding="utf-8", newline="") as file:
        wanted = "zh" if given.source == "robocalls-mandarin" else "en"
        for row in csv.DictReader(file):
            path = given.folder / row["file_name"]
            if row["language"] == wanted and path.exists():
                yield from pieces_of(path)


def pieces_of(path: Path, most_seconds: float = 60.0) -> Iterator[Clip]:
    """The first minute of a recording."""
    for start, end in quiet_cuts(decoded(path)[: int(most_seconds * SAMPLE_RATE)], 3, 12):
        yield Clip(path, "", start / SAMPLE_RATE, end / SAMPLE_RATE)


def quiet_cuts(samples: np.ndarray, shortest: float, longest: float) -> Iterator[tuple[int, int]]:
    """Pieces of so many seconds, cut in the quietest places, but for those in which nothing is to be heard."""
    frame = SAMPLE_RATE // 50
    powers = np.square(samples[: len(samples) // frame * frame].reshape(-1, frame).astype(np.float32)).mean(1)
    smooth = np.convolve(powers, np.ones(8), "same")
    least, most, start = int(shortest * 50), int(longest * 50), 0
    while start + 50 < len(powers):
        end = len(powers) if start + most >= len(powers) else start + least + int(np.argmin(smooth[start + least : start + most]))
        if powers[start:end].max() > 30_000:
            yield start * frame, end * frame
        start = end


def spoken_commands(given) -> Iterator[Clip]:
    """Orders to a coffee machine, many speakers; the label holds no words as they were said."""
    for path in sorted(given.folder.rglob("speech/clean/*.wav")):
        yield Clip(path)


def wake_words(given) -> Iterator[Clip]:
    for path in sorted(given.folder.rglob("audio/*/*.flac")):
        yield Clip(path, path.parent.name)


def digits(given) -> Iterator[Clip]:
    """Of each of 60 speakers a few of each digit."""
    names = "zero one two three four five six seven eight nine".split()
    for path in sorted(given.folder.rglob("data/*/*_*_[0-3].wav")):
        yield Clip(path, names[int(path.stem[0])])


def noises(given) -> Iterator[Clip]:
    """Of ESC-50 the clips that anybody may use (CC0, CC BY)."""
    free = set(re.findall(r"\[([\w-]+)\.ogg\].*\[(?:CC0|CC-BY)\]", (given.folder / "LICENSE").read_text(encoding="utf-8")))
    for path in sorted((given.folder / "audio").glob("*.wav")):
        if path.stem.rpartition("-")[0] in free and not path.name.startswith(MEASURED_FOLD):
            yield Clip(path)


SOURCES = {
    "harper-valley": harper_valley,
    "sredh": sredh,
    "place-names": place_names,
    "headwords": headwords,
    "mandarin-words": mandarin_words,
    "robocalls-mandarin": robocalls,
    "robocalls-english": robocalls,
    "spoken-commands": spoken_commands,
    "wake-words": wake_words,
    "digits": digits,
    "noises": noises,
}


def write_set(clips: Iterable[Clip], target: Path, hours: float, bits: str) -> None:
    target.mkdir(parents=True, exist_ok=True)
    rows, sounds, place, total = ["file\tstart\tend\ttext"], [], 0, 0
    number, cache = 0, (None, np.zeros(0, "<i2"))
    for clip in clips:
        if total > hours * 3600 * SAMPLE_RATE:
            break
        if cache[0] != clip.path:
            cache = (clip.path, decoded(clip.path))
        sound = cut(cache[1], clip)
        if len(sound) < SAMPLE_RATE // 4 or len(sound) > 30 * SAMPLE_RATE:
            continue
        name = f"{number:03}.opus"
        rows.append(f"{name}\t{place / SAMPLE_RATE:.3f}\t{(place + len(sound)) / SAMPLE_RATE:.3f}\t{clip.text}")
        sounds += [sound, PAUSE]
        place, total = place + len(sound) + len(PAUSE), total + len(sound)
        if len(sounds) >= 2 * CLIPS_A_FILE:
            encode(np.concatenate(sounds), target / name, bits)
            sounds, place, number = [], 0, number + 1
    if sounds:
        encode(np.concatenate(sounds), target / f"{number:03}.opus", bits)
    (target / "manifest.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{target.name}: {len(rows) - 1} clips, {total / SAMPLE_RATE / 3600:.2f} h")


def decoded(path: Path) -> np.ndarray:
    """16 kHz, one channel, 16 bits."""
    import av

    resampler = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE)
    pieces = []
    try:
        with av.open(str(path)) as container:
            for frame in container.decode(audio=0):
                pieces += [each.to_ndarray()[0] for each in resampler.resample(frame)]
            pieces += [each.to_ndarray()[0] for each in resampler.resample(None)]
    except av.AVError as error:
        print(f"{path.name} is left out: {error}")
    return np.concatenate(pieces) if pieces else np.zeros(0, "<i2")


def cut(sound: np.ndarray, clip: Clip) -> np.ndarray:
    if clip.end is None:
        return sound
    start, end = clip.start - MARGIN_SECONDS, clip.end + MARGIN_SECONDS
    return sound[max(0, round(start * SAMPLE_RATE)) : round(end * SAMPLE_RATE)]


def encode(samples: np.ndarray, path: Path, bits: str) -> None:
    source = ["-f", "s16le", "-ar", str(SAMPLE_RATE), "-ac", "1", "-i", "pipe:0"]
    settings = ["-c:a", "libopus", "-b:a", bits, "-compression_level", "2"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *source, *settings, str(path)], input=samples.astype("<i2").tobytes(), check=True)


if __name__ == "__main__":
    main()
