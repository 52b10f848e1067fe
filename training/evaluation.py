"""Errors, loops, languages and times on speech that was never trained on, at full and at short context, with and without timestamps."""
from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from decoding import Decoded, decode_greedily, language_log_probabilities
from features import FULL_FRAMES, HOP, LogMel
from scoring import Scoring, loops
from silence import AFTER, BEFORE, thin
from speech import SAMPLE_RATE, SpeechSet, gather_sounds, join_sets
from stages import say
from tokens import LANGUAGES, Tokens
from whisper import Whisper

LEAD_SECONDS = 0.4  # as src/speech/inference/window-lead.ts
SHORT_CONTEXT_SECONDS = 1.0
SWITCHES = (("mandarin", "taiwanese"), ("mandarin", "english"), ("english", "taiwanese"))


class Evaluation:
    def __init__(self, sets: list[SpeechSet], tokens: Tokens, scoring: Scoring, log_mel: LogMel, batch: int, longest: int):
        self._names = [each.name for each in sets for _ in range(len(each))]
        self._all = join_sets(sets, "all")
        self._tokens, self._scoring, self._log_mel, self._batch = tokens, scoring, log_mel, batch
        self._longest = longest
        self._order = np.argsort(self._all.end - self._all.start, kind="stable")

    @torch.no_grad()
    def run(self, model: Whisper, title: str, log: Path | None = None) -> dict:
        """Figures by set; a line for each is printed."""
        figures: dict = {name: {} for name in dict.fromkeys(self._names)}
        for timestamps in (False, True):
            for context in ("full", "short"):
                decoded, languages = self._decode(model, context, timestamps)
                self._count(figures, f"{context}{'-times' if timestamps else ''}", decoded, languages, timestamps)
        for name, figure in figures.items():
            say(f"{title} | {name:24} " + " | ".join(f"{key} {_shown(value)}" for key, value in figure.items()))
        heard = sum(figure["full"]["heard"] for figure in figures.values() if "heard" in figure.get("full", {}))
        told = sum(figure["full"]["told"] for figure in figures.values() if "heard" in figure.get("full", {}))
        if heard:
            say(f"{title} | languages told apart: {100 * told / heard:.1f} % (at least 95 wanted)")
        if log:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"title": title, "figures": figures}, ensure_ascii=False) + "\n")
        return figures

    def _decode(self, model: Whisper, context: str, timestamps: bool) -> tuple[dict[int, Decoded], dict[int, np.ndarray]]:
        lead = round(LEAD_SECONDS * SAMPLE_RATE) if timestamps else 0
        decoded, languages = {}, {}
        for begin in range(0, len(self._order), self._batch):
            indices = self._order[begin : begin + self._batch]
            memory, mask = self._encode(model, indices, context, lead)
            spoken = [self._all.languages[index] for index in indices]
            seconds = torch.from_numpy(self._all.seconds()[indices]).to(memory.device) + lead / SAMPLE_RATE
            results = decode_greedily(model, self._tokens, memory, mask, spoken, seconds, timestamps, self._longest)
            ids = [self._tokens.languages[name] for name in LANGUAGES]
            expected = language_log_probabilities(model, self._tokens, memory, mask)[:, ids].cpu().numpy()
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
            errors = units = folded = folded_units = looped = 0
            confusion = np.zeros((len(LANGUAGES), len(LANGUAGES)), dtype=int)
            times: list[tuple[float, float]] = []
            for index in indices:
                tokens = decoded[index].tokens
                reference, text = self._all.texts[index], self._tokens.decode(tokens)
                plain = self._scoring.errors(reference, text)
                both = self._scoring.errors(reference, text, numbers_folded=True)
                errors, units = errors + plain[0], units + plain[1]
                folded, folded_units = folded + both[0], folded_units + both[1]
                looped += loops(tokens, self._longest)
                confusion[LANGUAGES.index(self._all.languages[index]), int(languages[index].argmax())] += 1
                times += self._time_errors(index, tokens) if timestamps else []
            figure = {"error": 100 * errors / max(1, units), "folded": 100 * folded / max(1, folded_units), "loops": looped}
            if not name.startswith("switch"):
                figure |= {"heard": len(indices), "told": int(np.trace(confusion)), "as": confusion.sum(0).tolist()}
            if times:
                figure["times"] = [round(float(np.median(np.abs([pair[side] for pair in times]))), 3) for side in (0, 1)]
            figures[name][column] = figure

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
    shown = f"{figure['error']:.1f} % ({figure['folded']:.1f} folded)"
    shown += f" {figure['loops']} loops" if figure["loops"] else ""
    shown += f" {'/'.join(map(str, figure['as']))} zh/en/nan" if "as" in figure else ""
    return shown + (f" times ±{figure['times'][0]}/{figure['times'][1]} s" if "times" in figure else "")


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
        made.append(SpeechSet(name, torch.cat(sounds), start, end, start, end, np.ones(len(rows)), languages, texts))
    return made


def _cut(source: SpeechSet, row: int) -> Tensor:
    return source.samples[source.start[row] : source.end[row]]


def _silence(source: SpeechSet, seconds: float) -> Tensor:
    return source.samples.new_zeros(round(seconds * SAMPLE_RATE))
