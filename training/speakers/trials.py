"""How well speakers that were never heard are told apart: the equal error rate over all pairs of pieces."""
from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from speech import SAMPLE_RATE
from pieces import Voices

PIECES_PER_SPEAKER = 20


def piece_lists(voices: Voices, speakers: list[str], seconds: float | None) -> list[tuple[int, int, int]]:
    """Pieces that do not overlap, (speaker, first sample, samples); without seconds whole sentences, a lone one in two halves."""
    pieces = []
    for number, sentences in enumerate(voices.of(speakers)):
        own: list[tuple[int, int, int]] = []
        for sentence in sentences:
            start, end = int(voices.speech.voice_start[sentence]), int(voices.speech.voice_end[sentence])
            if seconds is None:
                size = (end - start) // (2 if len(sentences) == 1 else 1)
            else:
                size = round(seconds * SAMPLE_RATE)
            own += [(number, first, size) for first in range(start, end - size + 1, max(size, 1))]
        spread = np.linspace(0, len(own) - 1, min(len(own), PIECES_PER_SPEAKER)).astype(int)
        pieces += [own[index] for index in spread]
    return pieces


@torch.no_grad()
def embed_pieces(network: torch.nn.Module, voices: Voices, pieces: list[tuple[int, int, int]], batch: int = 64) -> Tensor:
    """Pieces of like length together, cut to the shortest of their batch at most 5 % off, else alone."""
    order = sorted(range(len(pieces)), key=lambda index: pieces[index][2])
    results: list[Tensor | None] = [None] * len(pieces)
    while order:
        shortest = pieces[order[0]][2]
        group = [index for index in order[:batch] if pieces[index][2] <= 1.05 * shortest]
        order = order[len(group) :]
        sound = torch.stack([voices.speech.samples[pieces[i][1] : pieces[i][1] + shortest] for i in group]).float() / 32768
        for index, direction in zip(group, torch.nn.functional.normalize(network(sound).float()).cpu()):
            results[index] = direction
    return torch.stack([each for each in results if each is not None])


def equal_error_rate(directions: Tensor, labels: np.ndarray) -> float:
    scores = (directions @ directions.T).numpy()
    pairs = np.triu_indices(len(labels), 1)
    same = (labels[:, None] == labels[None])[pairs][np.argsort(-scores[pairs])]
    refused = 1 - np.cumsum(same) / same.sum()
    accepted = np.cumsum(~same) / (~same).sum()
    place = np.argmin(np.abs(refused - accepted))
    return float(refused[place] + accepted[place]) / 2


def evaluate(network: torch.nn.Module, voices: Voices, speakers: list[str]) -> dict[str, float]:
    """Rates in percent, for each length and source; `all` compares across sources too."""
    network.eval()
    figures = {}
    for title, seconds in (("1.5 s", 1.5), ("3 s", 3.0), ("full", None)):
        pieces = piece_lists(voices, speakers, seconds)
        directions = embed_pieces(network, voices, pieces)
        labels = np.array([piece[0] for piece in pieces])
        sources = np.array([speakers[label][:2] for label in labels])
        for source in ("all", *sorted(set(sources))):
            chosen = np.flatnonzero((sources == source) | (source == "all"))
            if len(set(labels[chosen])) < len(chosen):
                rate = equal_error_rate(directions[torch.from_numpy(chosen)], labels[chosen])
                figures[f"{title} {source}"] = round(100 * rate, 2)
    network.train()
    return figures
