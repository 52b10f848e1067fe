"""Greedy decoding of many sentences side by side, by the product's own rules (src/speech/inference/decoding/token-rules.ts)."""
from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from tokens import Tokens
from whisper import Whisper

LONGEST = 224
LATEST_START = 50  # timestamps are steps of 20 ms: the first words begin within one second
END_TOLERANCE_SECONDS = 0.3


@dataclass
class Decoded:
    tokens: list[int]
    mean_log_probability: float


class Cache:
    """Keys and values of a batch: those of the sound once, those of the text as it grows."""

    def __init__(self, model: Whisper, memory: Tensor, mask: Tensor | None, longest: int):
        self.cross = [block.cross_attention.keys_values(memory) for block in model.decoder]
        keys = self.cross[0][0]
        shape = (keys.shape[0], keys.shape[1], longest, keys.shape[3])
        self.text = [(keys.new_empty(shape), keys.new_empty(shape)) for _ in model.decoder]
        self.mask = None if mask is None else mask[:, None, None, :]
        self.length = 0


def next_logits(model: Whisper, tokens: Tensor, cache: Cache) -> Tensor:
    """Takes further tokens [n, count] in and gives the logits after the last of them, [n, vocabulary]."""
    x = model.embed(tokens, cache.length)
    end = cache.length + tokens.shape[1]
    for block, cross, (keys, values) in zip(model.decoder, cache.cross, cache.text):
        normed = block.self_norm(x)
        new_keys, new_values = block.self_attention.keys_values(normed)
        keys[:, :, cache.length : end], values[:, :, cache.length : end] = new_keys, new_values
        causal = tokens.shape[1] > 1
        x = x + block.self_attention(normed, keys[:, :, :end], values[:, :, :end], causal=causal)
        x = x + block.cross_attention(block.cross_norm(x), *cross, mask=cache.mask)
        x = block.feed_forward(x)
    cache.length = end
    return model.logits(x[:, -1])


@torch.no_grad()
def decode_greedily(
    model: Whisper,
    tokens: Tokens,
    memory: Tensor,
    mask: Tensor | None,
    languages: list[str],
    seconds: Tensor,
    timestamps: bool,
    longest: int = LONGEST,
) -> list[Decoded]:
    device = memory.device
    inputs = torch.tensor([tokens.prompt(language, timestamps) for language in languages], device=device)
    cache = Cache(model, memory, mask, longest + inputs.shape[1])
    rules = TimestampRules(tokens, seconds) if timestamps else TextRules(tokens, device)
    done = torch.zeros(len(languages), dtype=torch.bool, device=device)
    total = torch.zeros(len(languages), device=device)
    chosen: list[Tensor] = []
    for step in range(longest):
        scores = F.log_softmax(next_logits(model, inputs, cache), -1)
        following = torch.where(done, tokens.end, rules.choose(scores.clone(), step))
        total += torch.where(done, 0.0, scores.gather(1, following[:, None])[:, 0].float())
        chosen.append(following)
        done |= following == tokens.end
        inputs = following[:, None]
        if done.all():
            break
    rows = torch.stack(chosen, 1).cpu().tolist()
    texts = [row[: row.index(tokens.end)] if tokens.end in row else row for row in rows]
    return [Decoded(text, sum_ / (len(text) + 1)) for text, sum_ in zip(texts, total.cpu().tolist())]


class TextRules:
    """No timestamps: text until its end."""

    def __init__(self, tokens: Tokens, device: torch.device):
        self._end = tokens.end
        self._suppressed = torch.tensor([token for token in tokens.suppressed if token < tokens.end], device=device)
        self._at_start = torch.tensor(tokens.suppressed_at_start, device=device)

    def choose(self, scores: Tensor, step: int) -> Tensor:
        scores[:, self._suppressed] = -torch.inf
        if step == 0:
            scores[:, self._at_start] = -torch.inf
        return scores[:, : self._end + 1].argmax(-1)


class TimestampRules:
    def __init__(self, tokens: Tokens, seconds: Tensor):
        self._tokens = tokens
        self._seconds = seconds
        self._suppressed = torch.tensor([token for token in tokens.suppressed if token < tokens.end], device=seconds.device)
        self._last_time = torch.full_like(seconds, -1, dtype=torch.long)
        self._last_is_time = torch.zeros_like(seconds, dtype=torch.bool)
        self._before_is_time = torch.ones_like(self._last_is_time)

    def choose(self, scores: Tensor, step: int) -> Tensor:
        end, first = self._tokens.end, self._tokens.first_timestamp
        scores[:, self._suppressed] = -torch.inf
        scores[:, end + 1 : first] = -torch.inf
        opens = self._last_is_time & self._before_is_time
        closes = self._last_is_time & ~self._before_is_time
        earliest = torch.where(self._last_is_time, self._last_time, self._last_time + 1)
        latest = torch.ceil(self._seconds * 50).long()
        if step == 0:
            earliest, latest = torch.zeros_like(latest), latest.clamp(max=LATEST_START)
        may_write = torch.zeros_like(opens) if step == 0 else ~closes
        may_end = torch.zeros_like(opens) if step == 0 else (~opens if step == 1 else torch.ones_like(opens))
        may_time = ~opens & (earliest <= latest) if step > 0 else torch.ones_like(opens)

        steps = torch.arange(scores.shape[1] - first, device=scores.device)
        allowed = may_time[:, None] & (steps >= earliest[:, None]) & (steps <= latest[:, None])
        scores[:, first:].masked_fill_(~allowed, -torch.inf)
        # When all timestamps together are likelier than any one word, it is time for a timestamp.
        outweigh = may_write & may_time & (scores[:, first:].logsumexp(-1) > scores[:, :end].amax(-1))
        scores[:, :end].masked_fill_(~(may_write & ~outweigh)[:, None], -torch.inf)
        scores[:, end].masked_fill_(~(may_end & ~outweigh), -torch.inf)

        at_the_end = closes & (self._last_time * 0.02 >= self._seconds - END_TOLERANCE_SECONDS)
        chosen = torch.where(at_the_end, end, scores.argmax(-1))
        self._remember(chosen, step)
        return chosen

    def _remember(self, chosen: Tensor, step: int) -> None:
        is_time = chosen >= self._tokens.first_timestamp
        self._before_is_time = self._last_is_time.clone() if step > 0 else torch.ones_like(is_time)
        self._last_is_time = is_time
        self._last_time = torch.where(is_time, chosen - self._tokens.first_timestamp, self._last_time)


@torch.no_grad()
def language_log_probabilities(model: Whisper, tokens: Tokens, memory: Tensor, mask: Tensor | None) -> Tensor:
    """What the model expects after the start: log-probabilities of every token, [n, vocabulary]."""
    start = torch.full((memory.shape[0], 1), tokens.start, device=memory.device)
    return F.log_softmax(next_logits(model, start, Cache(model, memory, mask, 1)), -1)
