"""Batches of examples, built in bulk where the sound lies: spliced, sped up, moved, distorted, and cut to a random context."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from features import FULL_FRAMES, HOP, LogMel
from plans import SLOTS, Plan, Planner
from reading import Read, Reading
from silence import thin
from sounds import distort
from speech import SAMPLE_RATE, SpeechSet
from targets import Targets, TargetWriter

USUAL_LOUDNESS = 0.06
#: Of the buckets, in how many the most of the silence is left out; in half of their examples as the product does.
THINNED = 0.65
#: Of the other buckets, how many have the full context.
FULL_CONTEXT = 0.3
#: So many times the examples are planned, of which those of like length are made: few would share a bucket with little padding.
POOL = 4
FRAME_STEP = 10
#: Of a bucket's examples, so many at most that the encoder is held to what the untouched one hears: those cost a full context each.
HELD = 24


@dataclass
class Held:
    """Examples in which only known languages are spoken, as the untouched model is given them: whole, and without masks."""

    rows: Tensor  # of the batch
    mel: Tensor  # at full context
    frames: Tensor  # of the encoder, until the speech has ended
    places: Tensor  # of what the encoder hears of them
    read: Read  # beside them


@dataclass
class Batch:
    mel: Tensor
    heard: Tensor | None  # places in each example; all of them where there is none
    targets: Targets
    held: Held | None


class BatchBuilder:
    def __init__(
        self, source: SpeechSet, known: np.ndarray, reading: Reading, planner: Planner, writer: TargetWriter, log_mel: LogMel, seed: int
    ):
        """`known` says of each sentence whether the untouched model knows its language."""
        device = source.samples.device
        self._source, self._planner, self._writer, self._log_mel = source, planner, writer, log_mel
        self._random = np.random.default_rng(seed)
        self._device_random = torch.Generator(device=device)
        self._device_random.manual_seed(seed)
        self._start = torch.from_numpy(source.start).to(device)
        self._length = torch.from_numpy(source.end - source.start).to(device)
        self._gain = torch.from_numpy(USUAL_LOUDNESS / source.loudness).float().to(device)
        self._is_known, self._reading = known, reading

    def build(self, examples: int, buckets: int) -> list[Batch]:
        """Examples of like length share a bucket and a context, so that little of it is padding: the first of the shortest, the last of the longest."""
        plan = self._planner.draw(examples * POOL)
        groups = np.array_split(np.argsort(plan.seconds, kind="stable"), buckets * POOL)
        chosen = [groups[POOL * bucket + self._random.integers(POOL)] for bucket in range(buckets)]
        return [self._build_bucket(plan.rows(rows)) for rows in chosen if len(rows)]

    def _build_bucket(self, plan: Plan) -> Batch:
        thinned = self._random.random() < THINNED
        frames = self._draw_frames(plan.seconds.max(), thinned)
        sound = self._splice(plan, frames * HOP)
        random, device = self._random, sound.device
        count = len(plan.seconds)
        behind = random.uniform(0, 0.6, count)
        behind = behind / 2 if thinned else np.where(random.random(count) < 0.2, 30.0, behind)
        recorded = torch.from_numpy((plan.seconds + behind) * SAMPLE_RATE).to(device)
        sound = distort(sound, recorded, self._device_random)
        heard = None
        if thinned:
            began = torch.from_numpy(np.maximum(0, plan.start[:, 0] - random.uniform(0, 0.2, count)) * SAMPLE_RATE).to(device)
            sound = torch.where(torch.arange(sound.shape[1], device=device) < began[:, None], 0.0, sound)
            heard = self._leave_out_silence(began, recorded, frames // 2)
        warp = np.where(random.random(count) < 0.6, np.exp(random.uniform(-0.14, 0.14, count)), 1.0)
        warp = torch.from_numpy(warp).to(device)
        mel = self._log_mel(sound, warp)
        return Batch(self._mask(mel, plan.seconds), heard, self._writer.write(plan), self._hold(plan, sound, warp, heard))

    def _leave_out_silence(self, began: Tensor, ended: Tensor, places: int) -> Tensor:
        """From `began` to `ended`, in samples, there is sound."""
        first = torch.div(began, 2 * HOP, rounding_mode="floor").long()
        last = torch.ceil(ended / (2 * HOP)).long().clamp(max=places)
        like_product = torch.rand(len(first), device=first.device, generator=self._device_random) < 0.5
        return thin(first, last, places, int(self._random.integers(4, 13)), like_product, self._device_random)

    def _hold(self, plan: Plan, sound: Tensor, warp: Tensor, heard: Tensor | None) -> Held | None:
        rows = np.flatnonzero((self._is_known[plan.sentence] | ~plan.used).all(1))
        if len(rows) == 0:
            return None
        rows = self._random.permutation(rows)[:HELD]
        frames = torch.from_numpy(np.ceil(plan.seconds[rows] * 50)).to(sound.device)
        chosen = torch.from_numpy(rows).to(sound.device)
        whole = F.pad(sound[chosen], (0, FULL_FRAMES * HOP - sound.shape[1]))
        read = self._reading.draw([self._source.languages[sentence] for sentence in plan.sentence[rows, 0]], sound.device)
        all_places = torch.arange(sound.shape[1] // (2 * HOP), device=sound.device).expand(len(rows), -1)
        return Held(chosen, self._log_mel(whole, warp[chosen]), frames, all_places if heard is None else heard[chosen], read)

    def _draw_frames(self, seconds: float, thinned: bool) -> int:
        """Sometimes the full context, mostly hardly more or a little more than is spoken, else anything between. Where most of the silence
        is left out, about as much of it as the product lays around the speech."""
        needed = int(np.ceil(seconds * 100))
        kind = self._random.random()
        if thinned:
            spare = self._random.uniform(50, 150)
        elif kind < FULL_CONTEXT:
            spare = FULL_FRAMES
        else:
            spare = self._random.uniform(0, 25 if kind < 0.5 else 150 if kind < 0.8 else max(25, FULL_FRAMES - needed))
        return int(min(FULL_FRAMES, max(100, -(-(needed + spare) // FRAME_STEP) * FRAME_STEP)))

    def _splice(self, plan: Plan, samples: int) -> Tensor:
        """One gather a slot; speed by linear interpolation; edges faded over 5 ms."""
        device = self._start.device
        time = torch.arange(samples, device=device, dtype=torch.float64)
        mixed = torch.zeros(len(plan.seconds), samples, device=device)
        for slot in range(SLOTS):
            rows = np.flatnonzero(plan.used[:, slot])
            if len(rows) == 0:
                continue
            sentence = torch.from_numpy(plan.sentence[rows, slot]).to(device)
            speed = torch.from_numpy(plan.speed[rows, slot]).to(device)[:, None]
            start = torch.from_numpy(plan.start[rows, slot] * SAMPLE_RATE).to(device)[:, None]
            level = 10 ** self._random.uniform(-0.2, 0.2, len(rows))
            gain = self._gain[sentence][:, None] * torch.from_numpy(level).float().to(device)[:, None]
            length = self._length[sentence][:, None]
            place = (time - start.round()) * speed
            whole = place.floor()
            rest = (place - whole).float()
            index = (self._start[sentence][:, None] + whole.long()).clamp(0, len(self._source.samples) - 2)
            values = torch.lerp(self._source.samples[index].float(), self._source.samples[index + 1].float(), rest)
            fade = (torch.minimum(place, length - 1 - place) / 80).clamp(0, 1).float()
            mixed[torch.from_numpy(rows).to(device)] += values * fade * (gain / 32768)
        return mixed

    def _mask(self, mel: Tensor, seconds: np.ndarray) -> Tensor:
        """Light masks over time and bands (Park et al. 2019), for half of the examples each."""
        random, device = self._random, mel.device
        count, bands, frames = mel.shape
        floor = mel.amin((1, 2), keepdim=True)
        for axis, size, longest in ((1, np.full(count, bands), 12), (2, np.minimum(frames, seconds * 100), 20)):
            length = np.where(random.random(count) < 0.5, random.uniform(0, longest, count), 0)
            first = random.uniform(0, 1, count) * np.maximum(0, size - length)
            places = torch.arange(mel.shape[axis], device=device)
            begin, end = (torch.from_numpy(each).to(device)[:, None] for each in (first, first + length))
            hidden = (places >= begin) & (places < end)
            mel = torch.where(hidden.unsqueeze(3 - axis), floor, mel)
        return mel
