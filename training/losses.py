"""How wrong the model is about a batch, place by place, and summed by kind for the log."""
from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from batches import Batch, Held
from labelling import Bank
from targets import KINDS
from tokens import LANGUAGES, Tokens
from whisper import Whisper, at_places, at_strength

SMOOTHING = 0.05
REPLAYED_TOKEN_WEIGHT = 0.2
#: Staying with the untouched model counts double: what is lost of Mandarin and English does not come back by itself.
DIVERGENCE_WEIGHT = 2.0
#: One place in a whole text, on which all the others depend.
LANGUAGE_WEIGHT = 3.0
#: What the encoder hears of known languages, in shares of how much it varies. Far more places than there are words, so that it holds
#: for speech that is not among the few hours replayed.
HEARING_WEIGHT = 2.0
READING_WEIGHT = 1.0
#: Above about this share of the variance, being farther apart counts less and less: what noise has drowned cannot be heard.
HEARD_APART = 0.15


@dataclass
class Untouched:
    """What the untouched model makes of the examples that are held."""

    heard: Tensor  # the clean sound at full context
    expected: Tensor  # log-probabilities at the places of the texts that are read beside it


@torch.no_grad()
def ask_untouched(model: Whisper, batches: list[Batch]) -> list[Untouched | None]:
    """Of all buckets at once: they share the context, and every question takes Python as long as a large one takes the device."""
    helds = [batch.held for batch in batches if batch.held]
    if not helds:
        return [None] * len(batches)
    rows = [len(held.rows) for held in helds]
    width = helds[0].read_inputs.shape[1]
    with at_strength(model, 0.0):
        heard = model.encode(torch.cat([held.mel for held in helds]))
        begun = [sum(rows[:number]) * width for number in range(len(rows))]
        places = torch.cat([held.read_places + first for held, first in zip(helds, begun)])
        expected = F.log_softmax(model.decode(torch.cat([held.read_inputs for held in helds]), heard, places), -1)
    answers = (Untouched(*each) for each in zip(heard.split(rows), expected.split([len(held.read_places) for held in helds])))
    return [next(answers) if batch.held else None for batch in batches]


def batch_loss(model: Whisper, tokens: Tokens, bank: Bank, batch: Batch, untouched: Untouched | None, hold: float) -> tuple[Tensor, Tensor]:
    """The sum over all places, and [kinds, 2]: sums and numbers of places by kind. `hold`: how much more than usual what is held counts."""
    lessons, held = batch.lessons, batch.held
    memory = model.encode(batch.mel, batch.heard)
    listened = torch.cat([memory, memory[held.rows]]) if held else memory
    scores = F.log_softmax(model.decode(lessons.inputs, listened, lessons.places), -1)
    hard, soft, language, silent, read = scores.split(lessons.counts)

    is_word = lessons.hard_kinds < KINDS.index("timestamp")
    smoothing = is_word * SMOOTHING
    hard_losses = -(1 - smoothing) * _of(hard, lessons.hard_tokens) - smoothing * hard.mean(-1)

    divergence = _divergence(soft, bank, lessons.soft_rows)
    soft_losses = DIVERGENCE_WEIGHT * divergence - REPLAYED_TOKEN_WEIGHT * _of(soft, lessons.soft_tokens)

    chosen = torch.stack([language[:, tokens.languages[name]] for name in LANGUAGES], 1)
    language_losses = -(lessons.shares * chosen).sum(-1)
    silent_losses = _divergence(silent, bank, lessons.silent_rows)

    total = hard_losses.sum() + soft_losses.sum() + LANGUAGE_WEIGHT * language_losses.sum() + silent_losses.sum()
    hearing = reading = scores.new_zeros(0)
    if held:  # as if it were said at every place
        hearing = hearing_losses(memory[held.rows], held, untouched.heard)
        reading = (untouched.expected.exp() * (untouched.expected - read)).sum(-1)
        total = total + hold * (HEARING_WEIGHT * hearing.mean() * lessons.asked + READING_WEIGHT * reading.sum())
    losses = torch.cat([hard_losses, divergence, language_losses, silent_losses, hearing, reading]).detach()
    kinds = torch.cat(
        [
            lessons.hard_kinds,
            lessons.soft_kinds,
            torch.full_like(language_losses, KINDS.index("language"), dtype=torch.long),
            torch.full_like(silent_losses, KINDS.index("none"), dtype=torch.long),
            torch.full_like(hearing, KINDS.index("hearing"), dtype=torch.long),
            torch.full_like(reading, KINDS.index("reading"), dtype=torch.long),
        ]
    )
    sums = torch.zeros(len(KINDS), 2, device=scores.device)
    sums.index_add_(0, kinds, torch.stack([losses, torch.ones_like(losses)], 1))
    return total, sums


def hearing_losses(heard: Tensor, held: Held, whole: Tensor) -> Tensor:
    """Of each held example, how far the encoder's output is from what the untouched one makes of the clean sound at full context, as a share of
    how much that varies."""
    wanted = at_places(whole, held.places).float()
    spoken = held.places < held.frames[:, None]
    scale = _variance(wanted, spoken).clamp(min=1e-6)
    apart = ((heard.float() - wanted).square() / scale).mean(-1)
    apart = (apart * spoken).sum(1) / spoken.sum(1).clamp(min=1)
    return 2 * HEARD_APART * ((1 + apart / HEARD_APART).sqrt() - 1)


def _variance(values: Tensor, chosen: Tensor) -> Tensor:
    """Of each feature over the chosen places, without asking the device how many there are."""
    weights = chosen[..., None] / chosen.sum().clamp(min=1)
    mean = (values * weights).sum((0, 1))
    return ((values - mean).square() * weights).sum((0, 1))


def _of(scores: Tensor, tokens: Tensor) -> Tensor:
    return scores.gather(1, tokens[:, None])[:, 0]


def _divergence(scores: Tensor, bank: Bank, rows: Tensor) -> Tensor:
    """Kullback–Leibler divergence from the untouched model, over the tokens that it found likely."""
    shares = bank.probabilities[rows]
    own = (shares * shares.clamp(min=1e-9).log()).sum(-1)
    return own - (shares * scores.gather(1, bank.ids[rows])).sum(-1)
