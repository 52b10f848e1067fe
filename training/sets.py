"""Which sets are learnt from, how often each is drawn, and as what."""
from __future__ import annotations

import argparse

import numpy as np
import torch

from sounds import soundscapes
from speech import SpeechSet, join_sets, load_set
from stages import say

#: The sets by language: how often each is drawn, beside the others of its language.
SETS = {
    "nan": {"train-taiwanese": 0.68, "train-headwords": 0.17, "train-place-names": 0.15},
    "zh": {
        "train-mandarin": 0.2,
        "train-mandarin-machine": 0.48,
        "train-mandarin-more": 0.12,
        "train-mandarin-words": 0.12,
        "train-robocalls-mandarin": 0.08,
    },
    "en": {
        "train-english": 0.08,
        "train-sredh": 0.17,
        "train-speakers": 0.18,
        "train-aloud": 0.25,
        "train-harper-valley": 0.17,
        "train-robocalls-english": 0.05,
        "train-spoken-commands": 0.04,
        "train-wake-words": 0.02,
        "train-digits": 0.04,
    },
}
#: Of these, only what the untouched model hears rightly is learnt: words alone have many homophones.
WORD_SETS = ("train-mandarin-words", "train-wake-words", "train-digits")
PHRASE_SETS = ("train-phrases", "train-mandarin.pieces", "train-speakers.pieces", "train-mandarin-words.pieces")


def load_replayed(given: argparse.Namespace, device: torch.device) -> tuple[SpeechSet, np.ndarray, np.ndarray]:
    """Speech of known languages, what each sentence is (see `label`), and how often it is drawn."""
    sets, kinds, shares = [], [], []

    def add(found: SpeechSet, kind: str, share: float) -> None:
        sets.append(found)
        kinds.append(np.full(len(found), kind, dtype="<U8"))
        shares.append(np.full(len(found), share / len(found)))

    for language in ("zh", "en"):
        for name, share in SETS[language].items():
            if is_there(given, name):
                add(load_set(given.parts, name, device), "word" if name in WORD_SETS else "whole", share)
    for name in PHRASE_SETS:
        if is_there(given, name):
            found = load_set(given.parts, name, device)
            add(found, "phrase", len(found))
    add(silent_set(device, given.soundscapes, given.seed), "whole", 0.5)
    if is_there(given, "train-noises"):
        add(load_set(given.parts, "train-noises", device), "whole", 0.5)
    return join_sets(sets, "replay"), np.concatenate(kinds), np.concatenate(shares)


def load_taiwanese(given: argparse.Namespace, device: torch.device) -> tuple[SpeechSet, np.ndarray]:
    sets = [(load_set(given.parts, name, device), share) for name, share in SETS["nan"].items() if is_there(given, name)]
    return join_sets([each for each, _ in sets], "taiwanese"), np.concatenate([np.full(len(each), share / len(each)) for each, share in sets])


def is_there(given: argparse.Namespace, name: str) -> bool:
    found = (given.parts / "pcm" / f"{name}.json").exists()
    if not found:
        say(f"{name} IS NOT AMONG THE PARTS and is left out")
    return found


def silent_set(device: torch.device, count: int, seed: int) -> SpeechSet:
    sounds = soundscapes(count, torch.Generator().manual_seed(seed))
    end = np.cumsum([len(sound) for sound in sounds])
    start = end - np.array([len(sound) for sound in sounds])
    loudness = np.array([float((sound.float() / 32768).square().mean().sqrt()) + 1e-4 for sound in sounds])
    return SpeechSet("none", torch.cat(sounds).to(device), start, end, start, end, loudness, ["none"] * count, [""] * count, np.arange(count))


def misheard_set(taiwanese: SpeechSet, count: int, seed: int) -> SpeechSet:
    """Some of the Taiwanese, to be heard as Mandarin: what the untouched model makes of it ties the Mandarin prompt to that
    model for every accent, since no Mandarin of Taiwan is among the training sets."""
    drawn = np.random.default_rng(seed).permutation(len(taiwanese))[:count]
    chosen = taiwanese.chosen(np.sort(drawn))
    chosen.languages[:] = ["zh"] * len(chosen.languages)
    chosen.texts[:] = [""] * len(chosen.texts)
    return chosen
