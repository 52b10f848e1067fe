"""What the untouched model makes of the replayed speech: its text, and how sure it was of every token."""
from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from decoding import decode_greedily, language_log_probabilities
from features import FULL_FRAMES, HOP, LogMel
from scoring import Scoring, loops
from speech import SpeechSet, gather_sounds
from stages import say
from tokens import Tokens
from whisper import Whisper, at_strength

WORST_ERROR_RATE = 0.35
#: Farther from what was heard than this, a Mandarin text is doubted: machine voices misread some.
WORST_REFERENCE_ERROR_RATE = 0.5
WORST_LOG_PROBABILITY = -0.8
#: Nobody says more: a text that goes on is a loop, and those beside it wait for its end.
MOST_TOKENS, MOST_TOKENS_A_SECOND = 16, 10
WORST_PHRASE_ERROR_RATE = 0
WORST_MISHEARD_LOG_PROBABILITY = -1.4
#: The Mandarin sets write English words letter by letter ("A P P L E P A Y"), which nobody should learn to write.
_SPELLED_GAP = re.compile(r"(?<=[A-Za-z])[ -]+(?=[A-Za-z])")


@dataclass
class Bank:
    """The likeliest tokens at a place in a text and their probabilities, one row a place."""

    ids: Tensor  # [rows, width]
    probabilities: Tensor


@dataclass
class Labels:
    tokens: list[list[int] | None]  # None: not fit to learn from
    bank_rows: np.ndarray  # first row in the bank; −1: learn the tokens themselves
    bank: Bank


def joined_labels(first: Labels, second: Labels) -> Labels:
    rows = np.where(second.bank_rows < 0, -1, second.bank_rows + len(first.bank.ids))
    bank = Bank(*(torch.cat([getattr(each.bank, name) for each in (first, second)]) for name in ("ids", "probabilities")))
    return Labels(first.tokens + second.tokens, np.concatenate([first.bank_rows, rows]), bank)


@torch.no_grad()
def label(
    model: Whisper,
    tokens: Tokens,
    scoring: Scoring,
    log_mel: LogMel,
    source: SpeechSet,
    kinds: np.ndarray,
    batch: int,
    longest: int,
    width: int = 32,
    use_references: bool = True,
) -> Labels:
    """Mandarin sentences with an error learn their reference, unless it spells words out; the others what the model said, softly;
    of these, the ones far from their reference are dropped. Of the kind `word`, all that are not heard rightly are dropped. Those of the kind
    `phrase` that are heard rightly learn their reference, as they are written inside a sentence. Of the kind `misheard`, even what the model
    is not sure of is learnt. Entries of the language `none` get one row: what follows the start of the transcript."""
    collector = _Collector(tokens, scoring, width, longest, use_references, kinds)
    order = np.argsort(source.end - source.start, kind="stable")
    with at_strength(model, 0.0):
        for begin in range(0, len(order), batch):
            indices = order[begin : begin + batch]
            memory = encode_full(model, log_mel, source, indices)
            without_speech = np.array([source.languages[index] == "none" for index in indices])
            _label_soundscapes(collector, model, tokens, memory, indices, without_speech)
            spoken = indices[~without_speech]
            if len(spoken):
                kept_memory = memory[torch.from_numpy(~without_speech).to(memory.device)]
                _label_speech(collector, model, tokens, kept_memory, source, spoken)
    say(f"labels: {collector.counts}")
    return collector.labels()


def encode_full(model: Whisper, log_mel: LogMel, source: SpeechSet, indices: np.ndarray, batch: int = 64) -> Tensor:
    pieces = [indices[begin : begin + batch] for begin in range(0, len(indices), batch)]
    return torch.cat([model.encode(log_mel(gather_sounds(source, piece, FULL_FRAMES * HOP))) for piece in pieces])


def _label_soundscapes(collector, model, tokens, memory, indices, chosen) -> None:
    if chosen.any():
        rows = language_log_probabilities(model, tokens, memory[torch.from_numpy(chosen).to(memory.device)], None)
        for index, row in zip(indices[chosen], rows):
            collector.add_soft(index, [], row[None].exp())


def _label_speech(collector, model, tokens, memory, source, indices) -> None:
    languages = [source.languages[index] for index in indices]
    seconds = torch.from_numpy(source.seconds()[indices]).to(memory.device)
    longest = min(collector.longest, round(MOST_TOKENS + MOST_TOKENS_A_SECOND * float(seconds.max())))
    decoded = decode_greedily(model, tokens, memory, None, languages, seconds, timestamps=False, longest=longest)
    prompts = [tokens.prompt(language, timestamps=False) for language in languages]
    width = max(len(each.tokens) for each in decoded) + len(prompts[0])
    inputs = torch.full((len(indices), width), tokens.end, device=memory.device)
    for row, (prompt, each) in enumerate(zip(prompts, decoded)):
        inputs[row, : len(prompt) + len(each.tokens)] = torch.tensor(prompt + each.tokens, device=memory.device)
    first = len(prompts[0]) - 1
    for begin in range(0, len(indices), 32):  # the whole vocabulary for every token is large
        rows = slice(begin, begin + 32)
        piece = inputs[rows]
        positions = torch.arange(piece.numel(), device=memory.device)
        shares = model.decode(piece, memory[rows], positions).softmax(-1).unflatten(0, piece.shape)
        for offset, (index, each) in enumerate(zip(indices[rows], decoded[rows])):
            collector.add(index, source, each, shares[offset, first : first + len(each.tokens)], longest)


class _Collector:
    def __init__(self, tokens: Tokens, scoring: Scoring, width: int, longest: int, use_references: bool, kinds: np.ndarray):
        self.longest = longest
        self._tokens, self._scoring, self._width, self._use_references = tokens, scoring, width, use_references
        self._kinds = kinds
        self._texts: list[list[int] | None] = [None] * len(kinds)
        self._rows = np.full(len(kinds), -1, dtype=np.int64)
        self._ids: list[Tensor] = []
        self._probabilities: list[Tensor] = []
        self._next_row = 0
        self.counts = {"soft": 0, "reference": 0, "phrase": 0, "far": 0, "empty": 0}

    def add(self, index: int, source: SpeechSet, decoded, shares: Tensor, longest: int) -> None:
        reference, text, kind = source.texts[index], self._tokens.decode(decoded.tokens), self._kinds[index]
        worst = WORST_MISHEARD_LOG_PROBABILITY if kind == "misheard" else WORST_LOG_PROBABILITY
        is_sure = decoded.mean_log_probability > worst and not loops(decoded.tokens, longest)
        if not decoded.tokens:
            self.counts["empty"] += 1
            return
        is_spelled = source.languages[index] == "zh" and _SPELLED_GAP.search(reference) is not None
        errors, units = self._errors(reference, text, is_spelled) if reference else (0, 1)
        if kind == "phrase":
            is_heard = errors <= WORST_PHRASE_ERROR_RATE * units
            self.counts["phrase" if is_heard else "far"] += 1
            gap = "" if source.languages[index] == "zh" else " "
            self._texts[index] = self._tokens.encode(gap + reference) if is_heard else None
        elif errors > (0 if kind == "word" else WORST_REFERENCE_ERROR_RATE) * max(1, units):
            self.counts["far"] += 1
        elif errors and reference and self._use_references and source.languages[index] == "zh" and not is_spelled:
            self._texts[index] = self._tokens.encode(reference)
            self.counts["reference"] += 1
        elif errors > WORST_ERROR_RATE * max(1, units) or not is_sure:
            self.counts["far"] += 1
        else:
            self.add_soft(index, decoded.tokens, shares)
            self.counts["soft"] += 1

    def _errors(self, reference: str, text: str, is_spelled: bool) -> tuple[int, int]:
        if is_spelled:
            reference, text = _SPELLED_GAP.sub("", reference), _SPELLED_GAP.sub("", text)
        return self._scoring.errors(reference, text, numbers_folded=True)

    def add_soft(self, index: int, text: list[int], shares: Tensor) -> None:
        top = shares.float().topk(self._width, -1)
        self._texts[index], self._rows[index] = text, self._next_row
        self._next_row += len(shares)
        self._ids.append(top.indices)
        self._probabilities.append(top.values / top.values.sum(-1, keepdim=True))

    def labels(self) -> Labels:
        none = torch.zeros(0, self._width)
        ids, probabilities = (torch.cat(each) if each else none for each in (self._ids, self._probabilities))
        return Labels(self._texts, self._rows, Bank(ids.long(), probabilities))
