"""The student: one vector per token, a text is the sum of its tokens' vectors.

`distil` teaches it the teacher's similarities on pairs of texts, `tune` then
turns its space so that requests come to lie near what answers them.
"""

import dataclasses
import time

import numpy as np
import torch
from torch.nn import functional

# Temperature of all similarities: a cosine of 1 is e^20 times likelier than 0.
TEMPERATURE = 0.05


def bag(table, texts, weights=None):
    """Returns the unit-length sums of the texts' tokens (arrays of rows), each
    times the weight of its row where there are weights."""
    starts = np.cumsum([0] + [len(rows) for rows in texts[:-1]])
    rows = torch.from_numpy(np.concatenate(texts).astype(np.int64))
    each = None if weights is None else weights[rows]
    sums = functional.embedding_bag(rows, table, torch.from_numpy(starts), mode="sum", per_sample_weights=each)
    return functional.normalize(sums)


def tokenise(tokenizer, texts, limit):
    """Returns arrays of rows without the unknown token. A text of no known
    token counts as one of token 0, which nothing else contains."""
    found = []
    for text in texts:
        rows = [row for row in tokenizer.encode(text, limit) if row != tokenizer.unknown]
        found.append(np.array(rows or [0], np.int32))
    return found


def _divergence(student, teacher):
    """Is how far the student's ranking of a batch is from the teacher's."""
    return functional.kl_div(
        functional.log_softmax(student / TEMPERATURE, 1), functional.softmax(teacher / TEMPERATURE, 1), reduction="batchmean"
    )


def anneal(optimiser, rate, step, steps, warm):
    """Sets a learning rate that rises for `warm` steps and then falls to 0."""
    for group in optimiser.param_groups:
        group["lr"] = rate * min(1, (step + 1) / warm) * (1 - step / steps)


@dataclasses.dataclass
class Distillation:
    """Pairs of texts, tokenised, and the teacher's vectors of both sides."""

    requests: list
    descriptions: list
    request_vectors: np.ndarray
    description_vectors: np.ndarray

    def projection(self, dim, rng):
        """Returns the teacher's `dim` main directions. They are not centred, so
        that cosines keep their meaning."""
        sample = rng.choice(len(self.description_vectors), min(20_000, len(self.description_vectors)), replace=False)
        _, _, directions = np.linalg.svd(self.description_vectors[sample].astype(np.float32), full_matrices=False)
        return directions[:dim].T.copy()


def start(token_vectors, counts, projection):
    """Returns the first table: the teacher's vector of each token alone, less
    the more frequent it is (SIF, Arora et al. 2017)."""
    frequency = (counts + 1) / (counts.sum() + len(counts))
    table = ((token_vectors - token_vectors.mean(0)) @ projection) * (1e-3 / (1e-3 + frequency))[:, None]
    return (table / np.linalg.norm(table, axis=1).mean()).astype(np.float32)


def distil(table, data, projection, epochs=5, batch=1024, rate=2e-3, seed=0):
    """Trains the table to agree with the teacher.

    The loss is .5 x distance to the teacher's vectors + .3 x contrast between
    the pairs of a batch + divergence from the teacher's similarities in it.
    """
    rng, weights = np.random.default_rng(seed), torch.nn.Parameter(torch.from_numpy(table))
    optimiser = torch.optim.Adam([weights], lr=rate, betas=(0.9, 0.99))
    rounds, began = len(data.requests) // batch, time.time()
    for epoch in range(epochs):
        order, total = rng.permutation(len(data.requests)), 0.0
        for at in range(rounds):
            anneal(optimiser, rate, epoch * rounds + at, epochs * rounds, 100)
            loss = _distil_loss(weights, data, projection, order[at * batch : (at + 1) * batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item()
        print(f"epoch {epoch + 1} of {epochs}: loss {total / rounds:.4f}, {time.time() - began:.0f} s", flush=True)
    return weights.detach().numpy()


def _distil_loss(weights, data, projection, chosen):
    students, teachers, targets = [], [], []
    for texts, vectors in (
        (data.requests, data.request_vectors),
        (data.descriptions, data.description_vectors),
    ):
        students.append(bag(weights, [texts[i] for i in chosen]))
        teachers.append(torch.from_numpy(vectors[chosen].astype(np.float32)))
        targets.append(functional.normalize(teachers[-1] @ torch.from_numpy(projection)))
    distance = sum((1 - (student * target).sum(1)).mean() for student, target in zip(students, targets))
    student, teacher = students[0] @ students[1].T, teachers[0] @ teachers[1].T
    own = torch.arange(len(chosen))
    contrast = (
        functional.cross_entropy(student / TEMPERATURE, own) + functional.cross_entropy(student.T / TEMPERATURE, own)
    ) / 2
    return 0.5 * distance + 0.3 * contrast + _divergence(student, teacher) + _divergence(student.T, teacher.T)


@dataclasses.dataclass
class Lesson:
    """A catalogue to be learned from, tokenised: for each query, the rows of
    the documents that answer it."""

    documents: list
    queries: list
    gold: list


def tune(table, sets, apis, steps=500, queries=128, documents=384, rate=3e-4, share=0.5, seed=0):
    """Returns the table under the linear map that puts each query's documents
    before its catalogue's others.

    One map for all tokens has 65,000 numbers to learn instead of five millions,
    and moves the tokens that no lesson holds with the others: that is why it
    helps on catalogues that were not learned from, where vectors of single
    tokens only remember those that were.

    A step takes a lesson of sets, larger ones oftener (by the root of their
    queries), some of its queries and up to `documents` of its documents; or,
    with the probability `share`, three lessons of apis, of which there are many
    small ones. The loss is the cross-entropy against the right documents, which
    share the probability.
    """
    rng = np.random.default_rng(seed)
    weights = torch.nn.Parameter(torch.eye(table.shape[1]))
    optimiser = torch.optim.Adam([weights], lr=rate, betas=(0.9, 0.99))
    sums = {id(lesson): _sums(table, lesson) for lesson in sets + apis}
    often = np.sqrt([len(lesson.queries) for lesson in sets])
    for step in range(steps):
        anneal(optimiser, rate, step, steps, 20)
        if apis and rng.random() < share:
            chosen = [apis[at] for at in rng.choice(len(apis), min(3, len(apis)), replace=False)]
        else:
            chosen = [sets[rng.choice(len(sets), p=often / often.sum())]]
        losses = [_tune_loss(weights, sums[id(one)], one.gold, *_draw(one, queries, documents, rng)) for one in chosen]
        optimiser.zero_grad()
        (sum(losses) / len(losses)).backward()
        optimiser.step()
    return table @ weights.detach().numpy()


def _sums(table, lesson):
    """Returns the sums of the tokens of queries and of documents. The map can be
    applied to these, being linear."""
    return [torch.from_numpy(np.stack([table[rows].sum(0) for rows in texts])) for texts in (lesson.queries, lesson.documents)]


def _draw(lesson, queries, documents, rng):
    """Chooses queries, and documents with all that answer them among them."""
    chosen = rng.choice(len(lesson.queries), min(queries, len(lesson.queries)), replace=False)
    needed = sorted(set().union(*(lesson.gold[i] for i in chosen)))
    others = np.setdiff1d(np.arange(len(lesson.documents)), needed)
    more = rng.permutation(others)[: max(0, documents - len(needed))]
    return chosen, np.concatenate([needed, more]).astype(int)


def _tune_loss(weights, sums, gold, queries, documents):
    sides = [functional.normalize(side[rows] @ weights) for side, rows in zip(sums, (queries, documents))]
    at = {document: column for column, document in enumerate(documents)}
    right = torch.zeros(len(queries), len(documents))
    for row, query in enumerate(queries):
        for document in gold[query]:
            right[row, at[document]] = 1 / len(gold[query])
    return -(right * functional.log_softmax(sides[0] @ sides[1].T / TEMPERATURE, 1)).sum(1).mean()
