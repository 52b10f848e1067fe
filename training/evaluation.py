"""Errors, loops, languages and times on speech that was never trained on, for either half of each set (halves.py)."""
from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from decoding import Decoded, decode_greedily, language_log_probabilities
from features import FULL_FRAMES, HOP, LogMel
from halves import interval, is_selection
from scoring import Scoring, loops
from silence import AFTER, BEFORE, thin
from speech import SAMPLE_RATE, SpeechSet, gather_sounds, join_sets
from stages import say
from tokens import LANGUAGES, Tokens
from whisper import Whisper

LEAD_SECONDS = 0.4  # as src/speech/inference/window-lead.ts
SHORT_CONTEXT_SECONDS = 1.0
#: By how much English must be likelier than the others, as src/speech/inference/languages/detect-languages.ts.
ENGLISH_HANDICAP = 2.5
HALVES = ("selection", "report")
#: What is looked at together, clean and in hard copies.
GROUPS = {
    "Mandarin": ("mandarin", "mandarin-taiwan", "everyday-mandarin"),
    "English": ("english", "english-conversation", "everyday-english", "calls"),
    "taiwanese": ("taiwanese",),
    "everyday-taiwanese": ("everyday-taiwanese",),
}
SWITCHES = (("mandarin", "taiwanese"), ("mandarin", "english"), ("english", "taiwanese"))


class Evaluation:
    def __init__(self, sets: list[SpeechSet], tokens: Tokens, scoring: Scoring, log_mel: LogMel, batch: int, longest: int):
        self._names = [each.name for each in sets for _ in range(len(each))]
        self._all = join_sets(sets, "all")
        self._tokens, self._scoring, self._log_mel, self._batch = tokens, scoring, log_mel, batch
        self._longest = longest
        self._order = np.argsort(self._all.end - self._all.start, kind="stable")

    @torch.no_grad()
    def run(self, model: Whisper, title: str, log: Path | None = None, modes: tuple[str, ...] = ("short-times",)) -> dict:
        """Figures by set. A line for each is printed, and means over groups of sets, of the half that may be chosen on; the other half is only
        in the log, beside how likely each language was for each recording (row, zh, en, nan). The modes: `full` or `short` context; `-times` for
        what the product asks for; `-told` where the language is told, not found."""
        figures: dict = {name: {} for name in dict.fromkeys(self._names)}
        for mode in modes:
            context, *asked = mode.split("-")
            timestamps = "times" in asked
            decoded, languages = self._decode(model, context, timestamps, "told" in asked)
            self._count(figures, mode, decoded, languages, timestamps)
        for name, figure in figures.items():
            say(f"{title} | {name:32} " + " | ".join(f"{mode} {_shown(value)}" for mode, value in figure.items()))
        for mode in modes:
            say(f"{title} | {mode} | " + _group_means({name: figure[mode] for name, figure in figures.items()}))
            told, heard = (sum(figure[mode].get(key, 0) for figure in figures.values()) for key in ("told", "heard"))
            say(f"{title} | {mode} | languages told apart: {100 * told / max(1, heard):.1f} % (at least 95 wanted)")
        if log:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"title": title, "figures": figures}, ensure_ascii=False) + "\n")
        return figures

    def _decode(self, model: Whisper, context: str, timestamps: bool, told: bool) -> tuple[dict[int, Decoded], dict[int, np.ndarray]]:
        lead = round(LEAD_SECONDS * SAMPLE_RATE) if timestamps else 0
        decoded, languages = {}, {}
        for begin in range(0, len(self._order), self._batch):
            indices = self._order[begin : begin + self._batch]
            memory, mask = self._encode(model, indices, context, lead)
            ids = [self._tokens.languages[name] for name in LANGUAGES]
            expected = language_log_probabilities(model, self._tokens, memory, mask)[:, ids].cpu().numpy()
            expected[:, LANGUAGES.index("en")] -= ENGLISH_HANDICAP
            spoken = [self._all.languages[index] if told else LANGUAGES[found] for index, found in zip(indices, expected.argmax(1))]
            seconds = torch.from_numpy(self._all.seconds()[indices]).to(memory.device) + lead / SAMPLE_RATE
            results = decode_greedily(model, self._tokens, memory, mask, spoken, seconds, timestamps, self._longest)
            decoded.update(zip(indices.tolist(), results))
            languages.update(zip(indices.tolist(), expected))
        return decoded, languages

    def _encode(self, model: Whisper, indices: np.ndarray, context: str, lead: int) -> tuple[Tensor, Tensor | None]:
        pieces = []
        for begin in range(0, len(indices), 24):  # few at once, so that sentences of like length share a context
            piece = indices[begin : begin + 24]
            ends = (self._all.end - self._all.start)[piece] + lead
            longest = ends.max() + SHORT_CONTEXT_SECONDS * SAMPLE_RATE
            frames = FULL_FRAMES if context == "full" else min(FULL_FRAMES, 2 * int(np.ceil(longest / HOP / 2)))
            mel = self._log_mel(gather_sounds(self._all, piece, frames * HOP, lead))
            pieces.append(model.encode(mel, None if context == "full" else self._without_silence(ends, lead, frames // 2)))
        longest = max(piece.shape[1] for piece in pieces)
        if all(piece.shape[1] == longest for piece in pieces):
            return torch.cat(pieces), None
        memory = torch.cat([torch.nn.functional.pad(piece, (0, 0, 0, longest - piece.shape[1])) for piece in pieces])
        lengths = torch.cat([torch.full((piece.shape[0],), piece.shape[1]) for piece in pieces]).to(memory.device)
        return memory, torch.arange(longest, device=memory.device) < lengths[:, None]

    def _without_silence(self, ends: np.ndarray, lead: int, places: int) -> Tensor:
        """As the product leaves it out; the shorter sentences have a little more of it."""
        device = self._all.samples.device
        end = torch.from_numpy(np.minimum(places, np.ceil(ends / (2 * HOP)))).long().to(device)
        always = torch.ones(len(ends), dtype=torch.bool, device=device)
        random = torch.Generator(device=device).manual_seed(1)
        return thin(torch.full_like(end, lead // (2 * HOP)), end, places, len(BEFORE) + len(AFTER), always, random)

    def _count(self, figures, column: str, decoded, languages, timestamps: bool) -> None:
        for name in figures:
            indices = [index for index, each in enumerate(self._names) if each == name]
            recordings = {row: [index for index in indices if self._all.rows[index] == row] for row in sorted({self._all.rows[index] for index in indices})}
            confusion = np.zeros((len(LANGUAGES), len(LANGUAGES)), dtype=int)
            times: list[tuple[float, float]] = []
            for index in indices:
                confusion[LANGUAGES.index(self._all.languages[index]), int(languages[index].argmax())] += 1
                times += self._time_errors(index, decoded[index].tokens) if timestamps else []
            figure = {"loops": sum(loops(decoded[index].tokens, self._longest) for index in indices)}
            figure["empty"] = sum(not self._tokens.decode(decoded[index].tokens).strip() for index in indices)
            for half in HALVES:
                chosen = [pieces for row, pieces in recordings.items() if is_selection(int(row)) == (half == "selection")]
                figure[half] = self._errors(chosen, decoded)
            if not name.startswith("switch"):
                figure |= {"heard": len(indices), "told": int(np.trace(confusion)), "as": confusion.sum(0).tolist()}
                figure["expected"] = [[int(self._all.rows[index]), *(round(float(each), 2) for each in languages[index])] for index in indices]
            if times:
                figure["times"] = [round(float(np.median(np.abs([pair[side] for pair in times]))), 3) for side in (0, 1)]
            figures[name][column] = figure

    def _errors(self, recordings: list[list[int]], decoded) -> dict:
        """Over recordings, each of one or several pieces; the text stands with the first."""
        counts: dict[str, list[int]] = {"errors": [], "units": [], "folded": [], "folded_units": []}
        for pieces in recordings:
            reference = self._all.texts[pieces[0]]
            text = " ".join(self._tokens.decode(decoded[index].tokens) for index in pieces)
            for folded, names in ((False, ("errors", "units")), (True, ("folded", "folded_units"))):
                for key, value in zip(names, self._scoring.errors(reference, text, numbers_folded=folded)):
                    counts[key].append(value)
        return {
            "error": 100 * sum(counts["errors"]) / max(1, sum(counts["units"])),
            "folded": 100 * sum(counts["folded"]) / max(1, sum(counts["folded_units"])),
            "interval": [round(bound, 1) for bound in interval(counts["folded"], counts["folded_units"])] if recordings else [0, 0],
            "recordings": len(recordings),
            "errors": counts["folded"],
            "units": counts["folded_units"],
        }

    def _time_errors(self, index: int, tokens: list[int]) -> list[tuple[float, float]]:
        """How far the first and the last timestamp lie from where the voice begins and ends."""
        times = [(token - self._tokens.first_timestamp) * 0.02 for token in tokens if token >= self._tokens.first_timestamp]
        if len(times) < 2:
            return []
        begins, ends = (
            (voice[index] - self._all.start[index]) / SAMPLE_RATE + LEAD_SECONDS
            for voice in (self._all.voice_start, self._all.voice_end)
        )
        return [(times[0] - begins, times[-1] - ends)]


def _shown(figure: dict) -> str:
    half = figure["selection"]
    shown = f"{half['error']:.1f} (folded {half['folded']:.1f}, {half['interval'][0]}–{half['interval'][1]})"
    shown += f" {figure['loops']} loops" if figure["loops"] else ""
    shown += f" {figure['empty']} empty" if figure["empty"] else ""
    shown += f" {'/'.join(map(str, figure['as']))} zh/en/nan" if "as" in figure else ""
    return shown + (f" times ±{figure['times'][0]}/{figure['times'][1]} s" if "times" in figure else "")


def _group_means(figures: dict[str, dict]) -> str:
    """Numbers folded; copies are named KIND~SET, those at another speed SPEED~SET."""
    shown = []
    for group, names in GROUPS.items():
        for hard in (False, True):
            rates = [
                figure["selection"]["folded"]
                for name, figure in figures.items()
                if name.rpartition("~")[2] in names and is_hard(name) == hard and figure["selection"]["recordings"]
            ]
            if rates:
                shown.append(f"{group}{' hard' if hard else ''} {np.mean(rates):.2f}")
    return ", ".join(shown)


def is_hard(name: str) -> bool:
    return "~" in name and not name[0].isdigit()


def switching_sets(sets: dict[str, SpeechSet], pairs: int = 40) -> list[SpeechSet]:
    """Two languages one after the other, 0.3 s apart; the prompt names that of the longer sentence."""
    made = []
    for first, second in SWITCHES:
        if first not in sets or second not in sets:
            continue
        a, b = sets[first], sets[second]
        short_a, short_b = (np.flatnonzero(each.seconds() < 12) for each in (a, b))
        sounds, rows, position = [], [], 0
        for index in range(min(pairs, len(short_a), len(short_b))):
            sides = [(a, short_a[index]), (b, short_b[index])][:: 1 if index % 2 == 0 else -1]
            sound = torch.cat([part for side, row in sides for part in (_silence(side, 0.15), _cut(side, row), _silence(side, 0.15))])
            longer = max(sides, key=lambda each: each[0].seconds()[each[1]])
            rows.append((position, position + len(sound), longer[0].languages[longer[1]], " ".join(s.texts[r] for s, r in sides)))
            sounds.append(sound)
            position += len(sound)
        if not rows:
            continue
        start, end = (np.array([row[column] for row in rows], dtype=np.int64) for column in (0, 1))
        languages, texts = [row[2] for row in rows], [row[3] for row in rows]
        name = f"switch-{first}-{second}"
        made.append(SpeechSet(name, torch.cat(sounds), start, end, start, end, np.ones(len(rows)), languages, texts, np.arange(len(rows))))
    return made


def _cut(source: SpeechSet, row: int) -> Tensor:
    return source.samples[source.start[row] : source.end[row]]


def _silence(source: SpeechSet, seconds: float) -> Tensor:
    return source.samples.new_zeros(round(seconds * SAMPLE_RATE))
