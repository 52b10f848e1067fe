"""English words and short phrases, as people say them in the middle of another language: names and terms of WordNet that are in use
(Debian's wordnet-base), abbreviations, and pieces of prose. Printed one a line, for read_aloud.py."""
from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from pathlib import Path

from prose import lines_of
from quotations import WORDNET

MOST_WORDS = 4


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=Path, nargs="+", required=True, help="English prose, one sentence a line")
    options.add_argument("--phrases", type=int, default=4500)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    if not WORDNET.exists():
        raise SystemExit(f"{WORDNET} is missing: apt-get install wordnet-base")
    chance = random.Random(given.seed)
    spellings = [word for kind in ("noun", "verb", "adj") for word in wordnet_words((WORDNET / f"data.{kind}").read_text(encoding="utf-8"))]
    uses = wordnet_uses((WORDNET / "cntlist.rev").read_text(encoding="utf-8"))
    abbreviations = sorted({word for word in spellings if re.fullmatch("[A-Z]{2,4}", word)})
    terms = sorted({word for word in spellings if uses[word.lower()] and " " in word and is_sayable(word)})
    words = sorted({word for word in spellings if uses[word.lower()] > 2 and " " not in word and is_sayable(word)})
    lines = lines_of(given.texts)
    pieces = [piece for line in chance.sample(lines, min(len(lines), given.phrases)) if (piece := piece_of(line, chance))]
    shares = ((abbreviations, 0.08), (terms, 0.3), (words, 0.3), (pieces, 0.32))
    chosen = [phrase for kind, share in shares for phrase in chance.sample(kind, min(len(kind), round(share * given.phrases)))]
    chance.shuffle(chosen)
    print("\n".join(dict.fromkeys(chosen)))


def wordnet_words(text: str) -> list[str]:
    """With their capitals; a line of the file names how many words mean the same, and then them."""
    found = []
    for line in text.splitlines():
        if not line.startswith(" "):
            fields = line.split(" ")
            found += [re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]
    return found


def wordnet_uses(text: str) -> Counter[str]:
    """How often a word was counted in texts, in all its senses."""
    uses: Counter[str] = Counter()
    for line in text.splitlines():
        sense, _, count = line.split(" ")
        uses[sense.partition("%")[0].replace("_", " ")] += int(count)
    return uses


def is_sayable(phrase: str) -> bool:
    words = phrase.split(" ")
    return len(words) <= MOST_WORDS and all(re.fullmatch("[A-Za-z][a-z']+", word) for word in words)


def piece_of(sentence: str, chance: random.Random) -> str | None:
    """A few words that follow each other without a mark, from where no capital only says that a sentence begins."""
    clauses = [clause.split() for clause in re.split(r"[^A-Za-z' ]+", sentence.partition(" ")[2])]
    clause = max(clauses, key=len)
    count = chance.randint(2, MOST_WORDS)
    if len(clause) < count:
        return None
    first = chance.randint(0, len(clause) - count)
    return " ".join(clause[first : first + count])


if __name__ == "__main__":
    main()
