"""Batches of examples, built in bulk where the sound lies: spliced, in other voices, distorted, and cut to a random context."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from drafts import Draft
from features import BANDS, FULL_FRAMES, HOP, LogMel
from lessons import Lessons
from plans import SLOTS, Plan
from silence import thin
from revoice import Voices
from sounds import Surroundings, distort
from speech import SAMPLE_RATE, SpeechSet

USUAL_LOUDNESS = 0.06
#: Where the pitch is moved, the formants go along by this power of it, and then by as much again in either direction; in e-folds.
FORMANTS_FOLLOW, FORMANTS_FREE = 0.35, 0.18
#: By so much the lower formants and the upper ones are moved in opposite directions at most: throats are not all alike but for their length.
FORMANTS_APART = 0.07
#: Deviation of the tilt between the lowest and the highest band, and of each hill, in powers of ten.
COLOUR = 0.35
BABBLING = 5


@dataclass
class Held:
    """Examples in which only known languages are spoken, as the untouched model is given them: whole, and without masks, noise or rooms."""

    rows: Tensor  # of the batch
    mel: Tensor  # at full context
    frames: Tensor  # of the encoder, until the speech has ended
    places: Tensor  # of what the encoder hears of them
    read_inputs: Tensor  # texts beside them
    read_places: Tensor


@dataclass
class Batch:
    mel: Tensor
    heard: Tensor | None  # places in each example; all of them where there is none
    lessons: Lessons
    held: Held | None


class BatchBuilder:
    def __init__(self, source: SpeechSet, voices: Voices, surroundings: Surroundings, log_mel: LogMel, seed: int):
        device = source.samples.device
        self._voices, self._surroundings, self._log_mel = voices, surroundings, log_mel
        self._pitches = voices.speed.cpu().numpy()
        self._random = np.random.default_rng(seed)
        self._device_random = torch.Generator(device=device)
        self._device_random.manual_seed(seed)
        self._gain = torch.from_numpy(USUAL_LOUDNESS / source.loudness).float().to(device)

    def build(self, draft: Draft) -> Batch:
        plan, thinned = draft.plan, draft.is_thinned
        clean = self._splice(plan, draft.frames * HOP)
        random, device = self._random, clean.device
        count = len(plan.seconds)
        behind = random.uniform(0, 0.6, count)
        behind = behind / 2 if thinned else np.where(random.random(count) < 0.2, 30.0, behind)
        recorded = torch.from_numpy((plan.seconds + behind) * SAMPLE_RATE).to(device)
        sound = distort(clean, recorded, self._surroundings, self._babble, self._device_random)
        heard = None
        if thinned:
            began = torch.from_numpy(np.maximum(0, plan.start[:, 0] - random.uniform(0, 0.2, count)) * SAMPLE_RATE).to(device)
            sound = torch.where(torch.arange(sound.shape[1], device=device) < began[:, None], 0.0, sound)
            heard = self._leave_out_silence(began, recorded, draft.frames // 2)
        warp = self._draw_warp(plan.voice)
        mel = self._log_mel(sound, warp, self._draw_colour(count))
        return Batch(self._mask(mel, plan.seconds), heard, Lessons(draft.targets, draft.read, device), self._hold(draft, clean, warp, heard))

    def _draw_warp(self, voice: np.ndarray) -> Tensor:
        """By how much the spectrum is squeezed: for the recordings' own voices a little in some; for the others so that of the pitch's move a
        part is left to the formants. And how much the lower ones and the upper ones are moved apart."""
        random, count = self._random, len(voice)
        little = np.where(random.random(count) < 0.6, random.uniform(-FORMANTS_FREE, FORMANTS_FREE, count), 0)
        pitch = self._pitches[voice]
        free = random.uniform(-FORMANTS_FREE, FORMANTS_FREE, count)
        factors = np.where(voice == 0, np.exp(little), np.clip(pitch ** (1 - FORMANTS_FOLLOW) * np.exp(free), 0.65, 1.5))
        apart = random.uniform(-FORMANTS_APART, FORMANTS_APART, count) * (factors != 1)
        return torch.from_numpy(np.stack([factors, apart], 1)).to(self._gain.device)

    def _draw_colour(self, count: int) -> Tensor:
        """[n, 80]: in half of the examples, by how much louder each band is, in powers of ten. Microphones and throats differ in tilt, and
        in broad hills and valleys."""
        random, band = self._random, np.linspace(-0.5, 0.5, BANDS)
        curves = np.stack([band, *(np.cos(np.pi * waves * (band + 0.5)) / 2 for waves in range(2, 6))])
        sizes = random.normal(0, COLOUR, (count, len(curves))) * (random.random(count) < 0.5)[:, None]
        return torch.from_numpy(sizes @ curves).float().to(self._gain.device)

    def _babble(self, rows: Tensor, samples: int) -> Tensor:
        """[rows, samples] of several other people, each saying one sentence over and over."""
        device, count = self._gain.device, len(rows)
        time = torch.arange(samples, device=device)
        babble = torch.zeros(count, samples, device=device)
        for _ in range(BABBLING):
            sentence = torch.from_numpy(self._random.integers(0, len(self._gain), count)).to(device)
            start, length = self._voices.start[0, sentence][:, None], self._voices.length[0, sentence][:, None]
            level = torch.from_numpy(self._random.uniform(0.5, 1, count)).float().to(device)
            gain = (self._gain[sentence] * level / 32768)[:, None]
            babble += gain * self._voices.samples[start + time % length.clamp(min=1)].float()
        return babble

    def _leave_out_silence(self, began: Tensor, ended: Tensor, places: int) -> Tensor:
        """From `began` to `ended`, in samples, there is sound."""
        first = torch.div(began, 2 * HOP, rounding_mode="floor").long()
        last = torch.ceil(ended / (2 * HOP)).long().clamp(max=places)
        like_product = torch.rand(len(first), device=first.device, generator=self._device_random) < 0.5
        return thin(first, last, places, int(self._random.integers(4, 13)), like_product, self._device_random)

    def _hold(self, draft: Draft, sound: Tensor, warp: Tensor, heard: Tensor | None) -> Held | None:
        """`sound` before anything was laid over it: what is meant is to be heard through all of that."""
        if len(draft.held) == 0:
            return None
        device = sound.device
        frames = torch.from_numpy(np.ceil(draft.plan.seconds[draft.held] * 50)).to(device)
        chosen = torch.from_numpy(draft.held).to(device)
        whole = F.pad(sound[chosen], (0, FULL_FRAMES * HOP - sound.shape[1]))
        all_places = torch.arange(sound.shape[1] // (2 * HOP), device=device).expand(len(chosen), -1)
        inputs, places = (torch.from_numpy(each).to(device) for each in (draft.read.inputs, draft.read.places))
        return Held(chosen, self._log_mel(whole, warp[chosen]), frames, all_places if heard is None else heard[chosen], inputs, places)

    def _splice(self, plan: Plan, samples: int) -> Tensor:
        """One gather a slot; speed by linear interpolation; edges faded over 5 ms."""
        voices, device = self._voices, self._gain.device
        time = torch.arange(samples, device=device, dtype=torch.float64)
        mixed = torch.zeros(len(plan.seconds), samples, device=device)
        for slot in range(SLOTS):
            rows = np.flatnonzero(plan.used[:, slot])
            if len(rows) == 0:
                continue
            sentence = torch.from_numpy(plan.sentence[rows, slot]).to(device)
            voice = torch.from_numpy(plan.voice[rows]).to(device)
            speed = (torch.from_numpy(plan.speed[rows, slot]).to(device) * voices.speed[voice])[:, None]
            start = torch.from_numpy(plan.start[rows, slot] * SAMPLE_RATE).to(device)[:, None]
            level = 10 ** self._random.uniform(-0.2, 0.2, len(rows))
            gain = self._gain[sentence][:, None] * torch.from_numpy(level).float().to(device)[:, None]
            length = voices.length[voice, sentence][:, None]
            place = (time - start.round()) * speed
            whole = place.floor()
            rest = (place - whole).float()
            index = (voices.start[voice, sentence][:, None] + whole.long()).clamp(0, len(voices.samples) - 2)
            values = torch.lerp(voices.samples[index].float(), voices.samples[index + 1].float(), rest)
            fade = (torch.minimum(place, length - 1 - place) / 80).clamp(0, 1).float()
            mixed[torch.from_numpy(rows).to(device)] += values * fade * (gain / 32768)
        return mixed

    def _mask(self, mel: Tensor, seconds: np.ndarray) -> Tensor:
        """Masks over time and bands (Park et al. 2019), two of each, every one in half of the examples, and none over more than a tenth of the time."""
        random, device = self._random, mel.device
        count, bands, frames = mel.shape
        floor = mel.amin((1, 2), keepdim=True)
        for axis, size, longest in 2 * ((1, np.full(count, bands), 14), (2, np.minimum(frames, seconds * 100), np.minimum(22, seconds * 10))):
            length = np.where(random.random(count) < 0.5, random.uniform(0, longest, count), 0)
            first = random.uniform(0, 1, count) * np.maximum(0, size - length)
            places = torch.arange(mel.shape[axis], device=device)
            begin, end = (torch.from_numpy(each).to(device)[:, None] for each in (first, first + length))
            hidden = (places >= begin) & (places < end)
            mel = torch.where(hidden.unsqueeze(3 - axis), floor, mel)
        return mel
