"""Retrieval quality of a model alone and fused with a lexical score."""

import collections
import dataclasses
import math
import re

import numpy as np

from wordpiece import Tokenizer

K1, B = 1.2, 0.75  # of BM25, the usual values
MODEL_WEIGHT = 0.6  # of the model in the fusion; flat between .5 and .7
MAX_TOKENS = 512  # as in ../embed.go
COMMON, UNSEEN = 0.03, 0.7  # VectorCommon and VectorUnseen in ../../weights.go
STOP = frozenset(
    "a an and are as at be by can could for from have how i if in into is it its like me my need of on or our please "
    "should so that the their them then there this to us want was we what when where which will with would you your".split()
)


def _terms(text):
    """Lower-case words without stop words, plural and verb endings cut."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return [re.sub(r"(ing|ed|es|s)$", "", w) if len(w) > 4 else w for w in words if w not in STOP]


class Lexical:
    """BM25 over one set's documents."""

    def __init__(self, documents):
        self.postings = collections.defaultdict(list)
        counts = [collections.Counter(_terms(text)) for text in documents]
        lengths = np.array([sum(c.values()) for c in counts], np.float32)
        self.norm = K1 * (1 - B + B * lengths / max(1.0, lengths.mean()))
        self.size = len(documents)
        for row, count in enumerate(counts):
            for term, times in count.items():
                self.postings[term].append((row, times))

    def scores(self, query):
        out = np.zeros(self.size, np.float32)
        for term in set(_terms(query)):
            hits = self.postings.get(term)
            if not hits:
                continue
            rows = np.array([row for row, _ in hits])
            times = np.array([count for _, count in hits], np.float32)
            rarity = math.log(1 + (self.size - len(hits) + 0.5) / (len(hits) + 0.5))
            out[rows] += rarity * times * (K1 + 1) / (times + self.norm[rows])
        return out


def token_weights(documents, size):
    """Returns how much each of `size` tokens counts among documents, lists of
    rows: the less, the more of the other documents have it. The ranker does the
    same, with the shares rounded (../../commonness.go)."""
    counts = np.zeros(size)
    for rows in documents:
        counts[np.unique(np.array(rows, int))] += 1
    share = np.maximum(counts - 1, 0) / max(1, len(documents))
    return np.where(counts == 0, UNSEEN, np.sqrt(COMMON / (COMMON + share))).astype(np.float32)


def pool(table, rows, unknown):
    """Sums the vectors of each text's tokens and normalises the sums."""
    out = np.zeros((len(rows), table.shape[1]), np.float32)
    for at, text in enumerate(rows):
        known = [row for row in text if row != unknown]
        if known:
            out[at] = table[known].sum(0)
    return out / np.maximum(1e-9, np.linalg.norm(out, axis=1, keepdims=True))


def _unit(scores):
    """Scales each row of scores to 0..1."""
    low, high = scores.min(1, keepdims=True), scores.max(1, keepdims=True)
    return (scores - low) / np.maximum(1e-9, high - low)


def fuse(model, lexical, weight=MODEL_WEIGHT):
    return weight * _unit(model) + (1 - weight) * _unit(lexical)


@dataclasses.dataclass
class Quality:
    """Recall@5, recall@10 and nDCG@10, a row per query."""

    values: np.ndarray

    @staticmethod
    def of(scores, gold):
        order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
        discount = 1 / np.log2(np.arange(2, 12))
        rows = []
        for ranked, wanted in zip(order, gold):
            hit = np.array([row in wanted for row in ranked], float)
            ideal = discount[: min(10, len(wanted))].sum()
            gain = (hit * discount[: len(hit)]).sum() / ideal
            rows.append((hit[:5].sum() / len(wanted), hit.sum() / len(wanted), gain))
        return Quality(np.array(rows))

    def mean(self):
        return self.values.mean(0)


class Judge:
    """Measures models on sets; what does not depend on the model is kept."""

    def __init__(self, sets):
        self.sets = sets
        self.lexical = {}
        for name, one in sets.items():
            index = Lexical(one.documents)
            self.lexical[name] = np.stack([index.scores(query) for query in one.queries])
        self._rows = {}

    def similarities(self, name, model, names=None):
        documents, queries = self._tokens(name, model)
        table = model.table * token_weights(documents, len(model.table))[:, None]
        pooled = [pool(table, rows, model.unknown) for rows in (queries, documents)]
        return pooled[0] @ pooled[1].T

    def _tokens(self, name, model):
        key = name, hash(tuple(model.vocabulary))
        if key not in self._rows:
            one, tokenizer = self.sets[name], Tokenizer(model.vocabulary)
            self._rows[key] = [
                [tokenizer.encode(text, MAX_TOKENS) for text in texts] for texts in (one.documents, one.queries)
            ]
        return self._rows[key]

    def alone(self, name, model):
        return Quality.of(self.similarities(name, model), self.sets[name].gold)

    def fused(self, name, model, weight=MODEL_WEIGHT):
        return Quality.of(fuse(self.similarities(name, model), self.lexical[name], weight), self.sets[name].gold)

    def words(self, name):
        """Measures BM25 without a model."""
        return Quality.of(self.lexical[name], self.sets[name].gold)


def macro(qualities):
    """Averages the means of several sets."""
    return np.mean([quality.mean() for quality in qualities], axis=0)


def paired(left, right, draws=2000, seed=0):
    """Bootstraps the macro difference right - left over queries within sets.

    Both are {set: Quality}. Returns difference, 2.5 % and 97.5 % bounds, each
    of the three figures.
    """
    random = np.random.default_rng(seed)
    differences = [right[name].values - left[name].values for name in left]
    sums = np.zeros((draws, 3))
    for difference in differences:
        picks = random.integers(0, len(difference), (draws, len(difference)))
        sums += difference[picks].mean(1)
    sums /= len(differences)
    middle = np.mean([difference.mean(0) for difference in differences], axis=0)
    return middle, np.percentile(sums, 2.5, axis=0), np.percentile(sums, 97.5, axis=0)
