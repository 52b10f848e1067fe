"""English sentences with many rare words: the examples of WordNet and the quotations of Webster's dictionary of 1913, as Debian packages
them (wordnet-base, dict-gcide). Printed one a line, for `pack.py --english` and for read_aloud.py."""
from __future__ import annotations

import gzip
import re
from pathlib import Path

from prose import is_prose

WORDNET = Path("/usr/share/wordnet")
WEBSTER = Path("/usr/share/dictd/gcide.dict.dz")
QUOTED_INDENT = 9


def main() -> None:
    for path, package in ((WORDNET, "wordnet-base"), (WEBSTER, "dict-gcide")):
        if not path.exists():
            raise SystemExit(f"{path} is missing: apt-get install {package}")
    texts = [(WORDNET / f"data.{kind}").read_text(encoding="utf-8") for kind in ("noun", "verb", "adj", "adv")]
    examples = [sentence for text in texts for sentence in wordnet_examples(text)]
    quoted = webster_quotations(gzip.decompress(WEBSTER.read_bytes()).decode("utf-8", "ignore"))
    print("\n".join(dict.fromkeys([*examples, *quoted])))


def wordnet_examples(text: str) -> list[str]:
    """What stands in quotation marks behind a definition, as a sentence."""
    quoted = (quote for line in text.splitlines() for quote in re.findall(r'"([^"]+)"', line.partition("|")[2]))
    sentences = (quote[0].upper() + quote[1:] + ("" if quote[-1] in ".?!" else ".") for quote in quoted)
    return [each for each in sentences if is_prose(each)]


def webster_quotations(text: str) -> list[str]:
    """Indented paragraphs that end with the name of an author."""
    found, paragraph = [], []
    for line in text.splitlines():
        if len(line) - len(line.lstrip()) < QUOTED_INDENT:
            paragraph = []
            continue
        words, _, author = line.strip().partition("--")
        paragraph.append(words.strip())
        if author:
            quotation = " ".join(" ".join(paragraph).split())
            found.extend(each for each in re.split(r"(?<=[.?!])\s+", quotation) if is_prose(each) and each[0].isupper() and each[-1] in ".?!")
            paragraph = []
    return found


if __name__ == "__main__":
    main()
