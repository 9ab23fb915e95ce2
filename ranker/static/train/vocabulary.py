"""Which tokens the model has: BERT's, and words that BERT takes apart.

BERT's vocabulary of 2018 lacks "delete", "upload", "config" or "github". The
sum of their pieces' vectors means little ("gi" + "##th" + "##ub"), so that the
words which are frequent in the training texts become tokens of their own. The
tokenizer needs no change: it takes the longest entry that fits.
"""

import collections

import numpy as np

from wordpiece import words

SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")


def frequent_words(texts, known, most):
    """Returns the `most` words of the texts, by the number of texts that have
    them, which are not among the known tokens."""
    counts = collections.Counter()
    for text in texts:
        counts.update(set(words(text)))
    fitting = [
        (-times, word)
        for word, times in counts.items()
        if word not in known and word.isascii() and word.isalpha() and 3 <= len(word) <= 24
    ]
    return [word for _, word in sorted(fitting)[:most]]


def count(size, texts):
    """Counts the tokens in tokenised texts."""
    counts = np.zeros(size)
    for rows in texts:
        np.add.at(counts, rows, 1)
    return counts


def keep(vocabulary, counts, size):
    """Returns the rows of the `size` tokens to keep, in order: the unknown
    token, every single ASCII character and the most frequent of the rest.

    Tokens outside ASCII are never kept: 20,000 rows are not enough to
    understand other scripts, and the lexical ranker serves them.
    """
    scores = np.array(counts, float) + 1
    for row, token in enumerate(vocabulary):
        if not token.isascii() or token.startswith("[unused") or token in SPECIAL:
            scores[row] = -1
        elif token == "[UNK]" or len(token.removeprefix("##")) == 1:
            scores[row] = np.inf
    most = min(size, int((scores > 0).sum()))
    return np.sort(np.argsort(-scores, kind="stable")[:most])
