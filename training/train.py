"""Trains the adapter of one model size against the clock. See README.md."""
from __future__ import annotations

import argparse
import pickle
from pathlib import Path

import numpy as np
import torch

from adapter_file import load_adapter, write_adapter
from average import Average
from batches import BatchBuilder
from decoding import LONGEST
from evaluation import Evaluation, switching_sets
from features import LogMel
from labelling import Labels, label
from plans import Planner
from reading import Reading
from scoring import Scoring
from sounds import soundscapes
from speech import SAMPLE_RATE, SpeechSet, join_sets, load_set
from stages import say, stage
from targets import Sentences, TargetWriter
from tokens import Tokens, written_taiwanese
from training_loop import train
from voices import hold_out_voice
from whisper import Whisper, at_strength



def arguments(given: list[str] | None = None) -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", choices=("tiny", "base", "small"), required=True)
    options.add_argument("--parts", type=Path, required=True, help="folder in which the parts were unpacked and decoded")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--minutes", type=float, required=True, help="of training, with the evaluation midway")
    options.add_argument("--steps", type=int, default=100_000, help="stop earlier than the clock says")
    options.add_argument("--batch", type=int, default=160)
    options.add_argument("--buckets", type=int, default=4)
    options.add_argument("--rank", type=int, default=32)
    options.add_argument("--rate", type=float, default=2e-4, help="learning rate of the decoder")
    options.add_argument("--encoder-rate", type=float, default=2e-4)
    options.add_argument("--warm-up", type=int, default=100)
    options.add_argument("--hold", type=float, default=1.0, help="how much what is held to the untouched model counts")
    options.add_argument("--replayed", default="train-mandarin,train-english,train-speakers,train-aloud", help="sets of known languages")
    options.add_argument("--phrases", default="train-phrases,train-mandarin.pieces,train-speakers.pieces", help="sets of a few words each, spoken beside another language")
    options.add_argument("--average", type=float, default=0.998)
    options.add_argument("--save-minutes", type=float, default=3)
    options.add_argument("--label-batch", type=int, default=512)
    options.add_argument("--evaluate-batch", type=int, default=400)
    options.add_argument("--development", type=int, default=0, help="at most so many sentences of each development set")
    options.add_argument("--longest", type=int, default=LONGEST, help="tokens a text may have in evaluation and labelling")
    options.add_argument("--strengths", default="1.0,0.85,0.7", help="of the deltas, evaluated at the end")
    options.add_argument("--skip", default="", help="evaluations to leave out: start,middle,strengths")
    options.add_argument("--teacher-labels", action="store_true", help="Mandarin learns the model's text even where it is wrong")
    options.add_argument("--hold-out-voice", action="store_true", help="train without one Taiwanese voice and test on it")
    options.add_argument("--half", action="store_true", help="bfloat16 on a CPU too, to try it out")
    options.add_argument("--soundscapes", type=int, default=200, help="made-up recordings in which nobody speaks")
    options.add_argument("--misheard", type=int, default=4000, help="Taiwanese sentences that keep Mandarin where it was")
    options.add_argument("--labels", type=Path, help="where the labels are kept for another run with the same sets and options")
    options.add_argument("--compile", action="store_true", help="compile the blocks of encoder and decoder")
    options.add_argument("--resume", type=Path, help="begin with the deltas of a file")
    options.add_argument("--seed", type=int, default=1)
    return options.parse_args(given)


def main() -> None:
    run(arguments())


def run(given: argparse.Namespace) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(given.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for every length, which takes longer than the work
    given.out.mkdir(parents=True, exist_ok=True)
    say(f"{given.size} on {device}, torch {torch.__version__}: {vars(given)}")
    tokens = Tokens(given.parts / "tokens")
    scoring = Scoring(given.parts / "simplified.json")
    log_mel = LogMel(device)
    with stage("model"):
        dtype = torch.bfloat16 if given.half or device.type == "cuda" else torch.float32
        languages = tokens.languages
        model = Whisper(given.parts / "weights" / given.size, languages["nan"], languages["zh"], given.rank, dtype).to(device)
        if given.resume:
            load_adapter(given.resume, model)
        if given.compile:
            model.compile_blocks()
        say(f"{sum(each.numel() for each in model.parameters()) / 1e6:.2f} M trained parameters")
    with stage("speech"):
        development = load_development_sets(given, device)
        taiwanese = load_set(given.parts, "train-taiwanese", device)
        if given.hold_out_voice:
            taiwanese, held_out = hold_out_voice(taiwanese, given.seed)
            development += held_out
        for name in (*given.replayed.split(","), *given.phrases.split(",")):
            if not (given.parts / "pcm" / f"{name}.json").exists():
                raise SystemExit(f"{name} is not among the parts: pack it, or name another in --replayed or --phrases")
        replayed = [load_set(given.parts, name, device) for name in given.replayed.split(",")]
        phrases = join_sets([load_set(given.parts, name, device) for name in given.phrases.split(",")], "phrases")
        quiet = silent_set(device, given.soundscapes, given.seed)
    evaluation = Evaluation(development, tokens, scoring, log_mel, given.evaluate_batch, given.longest)
    log = given.out / f"figures-{given.size}.jsonl"

    def evaluate(title: str) -> None:
        # Time on the machine cannot be repeated: a failed evaluation must not cost the training.
        with stage(f"evaluation, {title}"):
            try:
                evaluation.run(model, title, log)
            except RuntimeError as error:
                say(f"EVALUATION FAILED: {error}")
        if device.type == "cuda":
            torch.cuda.empty_cache()

    if "start" not in given.skip:
        with at_strength(model, 0.0):
            evaluate("untouched")
    with stage("labelling"):
        misheard = misheard_set(taiwanese, given.misheard, given.seed)
        replay = join_sets([*replayed, quiet, misheard, phrases], "replay")
        kinds = np.repeat(["whole", "misheard", "phrase"], [len(replay) - len(misheard) - len(phrases), len(misheard), len(phrases)])
        labels = kept(
            given.labels,
            lambda: label(
                model, tokens, scoring, log_mel, replay, kinds == "phrase", given.label_batch, given.longest,
                use_references=not given.teacher_labels,
            ),
        )
    builder = make_builder(given, tokens, log_mel, taiwanese, replay, kinds, labels)
    average = Average(list(model.parameters()), given.average)
    path = given.out / f"adapter-{given.size}.bin"

    def save(note: str) -> None:
        with average.applied():
            size = write_adapter(path, model, given.size, {"at": note, "seed": given.seed, "rank": given.rank})
        say(f"{path.name}: {size / 1e6:.1f} MB, {note}")

    train(given, model, tokens, builder, labels.bank, average, save, evaluate)
    save("end")
    average.put_in()
    for strength in [] if "strengths" in given.skip else map(float, given.strengths.split(",")):
        with at_strength(model, strength):
            evaluate(f"strength {strength}")
    load_adapter(path, model)  # as it will be read
    evaluate("file")


def kept(path: Path | None, make):
    if path and path.exists():
        with path.open("rb") as file:
            return pickle.load(file)
    made = make()
    if path:
        with path.open("wb") as file:
            pickle.dump(made, file)
    return made


def load_development_sets(given: argparse.Namespace, device: torch.device) -> list[SpeechSet]:
    names = sorted(path.stem for path in (given.parts / "pcm").glob("dev-*.json"))
    sets = {name[len("dev-") :]: load_set(given.parts, name, device) for name in names}
    if given.development:
        sets = {name: each.chosen(np.arange(min(given.development, len(each)))) for name, each in sets.items()}
    return [*sets.values(), *switching_sets(sets)]


def silent_set(device: torch.device, count: int, seed: int) -> SpeechSet:
    sounds = soundscapes(count, torch.Generator().manual_seed(seed))
    end = np.cumsum([len(sound) for sound in sounds])
    start = end - np.array([len(sound) for sound in sounds])
    loudness = np.array([float((sound.float() / 32768).square().mean().sqrt()) + 1e-4 for sound in sounds])
    return SpeechSet("none", torch.cat(sounds).to(device), start, end, start, end, loudness, ["none"] * count, [""] * count)


def misheard_set(taiwanese: SpeechSet, count: int, seed: int) -> SpeechSet:
    """Some of the Taiwanese, to be heard as Mandarin: what the untouched model makes of it ties the Mandarin prompt to that
    model for every accent, since no Mandarin of Taiwan is among the training sets."""
    drawn = np.random.default_rng(seed).permutation(len(taiwanese))[:count]
    chosen = taiwanese.chosen(np.sort(drawn))
    chosen.languages[:] = ["zh"] * len(chosen.languages)
    chosen.texts[:] = [""] * len(chosen.texts)
    return chosen


def make_builder(
    given, tokens: Tokens, log_mel: LogMel, taiwanese: SpeechSet, replay: SpeechSet, kinds: np.ndarray, labels: Labels
) -> BatchBuilder:
    """`kinds` says of each replayed sentence whether it is a whole one, misheard, or a phrase."""
    fit = np.array([text is not None for text in labels.tokens])
    learnt = replay.chosen(np.flatnonzero(fit))
    source = join_sets([taiwanese, learnt], "training").trimmed()
    texts = [tokens.encode(written_taiwanese(text)) for text in taiwanese.texts] + [text for text in labels.tokens if text is not None]
    forbidden = set(tokens.suppressed)
    lost = sum(any(token in forbidden for token in text) for text in texts)
    say(f"{len(source)} sentences, {source.seconds().sum() / 3600:.2f} h of speech; {lost} with tokens that are never given")
    for name in ("nan", "zh", "en", "none"):
        chosen = np.array([language == name for language in source.languages])
        say(f"  {name}: {chosen.sum()} sentences, {source.seconds()[chosen].sum() / 3600:.2f} h")
    say(f"  {(kinds[fit] == 'phrase').sum()} of these are phrases")
    languages = np.array(source.languages, dtype=object)
    kinds = np.concatenate([np.full(len(taiwanese), "whole"), kinds[fit]])
    is_misheard, is_phrase = kinds == "misheard", kinds == "phrase"
    sentences = Sentences(
        languages,
        texts,
        np.concatenate([np.full(len(taiwanese), -1), labels.bank_rows[fit]]),
        is_misheard,
        (source.voice_start - source.start) / SAMPLE_RATE,
        (source.voice_end - source.start) / SAMPLE_RATE,
        source.seconds(),
    )
    planner = Planner(languages, is_misheard, is_phrase, source.seconds(), given.seed)
    known = np.isin(languages, ("zh", "en")) & ~is_misheard
    reading = Reading(given.parts / "texts", tokens, given.seed)
    writer = TargetWriter(sentences, tokens, given.seed)
    return BatchBuilder(source, known, reading, planner, writer, log_mel, given.seed)


if __name__ == "__main__":
    main()
