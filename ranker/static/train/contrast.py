"""Learns the vectors of single tokens from phrasings of tools."""

import dataclasses
import time

import numpy as np
import torch
from torch.nn import functional

from measure import token_weights
from student import anneal, bag

# Higher than the temperature of distilling and tuning: siblings are alike in
# truth, and to push them as far apart as there costs more than it brings.
TEMPERATURE = 0.1


@dataclasses.dataclass
class Tool:
    """A tool's text and its phrasings, tokenised."""

    document: np.ndarray
    phrasings: list


def learn(table, servers, runs=4, share=0.6, seed=0, **how):
    """Returns the table, part of the way towards one by which a phrasing is
    nearer to its tool than to other tools. servers is a list of lists of Tool.

    What is gone towards is the mean of several runs, which loses less of what
    the table knew than any one of them. The way is not gone to its end: `share`
    of it keeps most of what is won on servers that were not learned from, and
    little of what is lost in catalogues of another kind (Wortsman and others
    2022: fine-tuned weights averaged with one another and with those before).
    """
    found = [_run(table, servers, np.random.default_rng([seed, run]), **how) for run in range(runs)]
    return table + share * (np.mean(found, axis=0, dtype=np.float32) - table)


def _run(table, servers, rng, passes=24, batch=256, rate=4e-3):
    """Returns the table after so many passes.

    A pass takes one phrasing of every tool, in batches of whole servers side by
    side, so that siblings are each other's wrong answers. The loss is the
    cross-entropy of a phrasing against the tools of its batch, and half that of
    a tool against the phrasings. Tokens count as in the ranker, the less the
    more tools have them.
    """
    weights = torch.nn.Parameter(torch.from_numpy(table.copy()))
    optimiser = torch.optim.Adam([weights], lr=rate)
    counts = torch.from_numpy(token_weights([tool.document for tools in servers for tool in tools], len(table)))
    steps, step, began = passes * len(_batches(servers, batch)), 0, time.time()
    for _ in range(passes):
        for tools in _batches(_shuffled(servers, rng), batch):
            anneal(optimiser, rate, step, steps, 20)
            loss = _loss(weights, counts, tools, rng)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step += 1
    print(f"{passes} passes: loss {loss.item():.4f}, {time.time() - began:.0f} s", flush=True)
    return weights.detach().numpy()


def _shuffled(servers, rng):
    """Returns the servers in another order, and the tools of each."""
    return [[servers[i][j] for j in rng.permutation(len(servers[i]))] for i in rng.permutation(len(servers))]


def _batches(servers, size):
    """Returns the tools of all servers in batches of about one size, none of
    them larger than `size`."""
    tools = [tool for server in servers for tool in server]
    count = -(-len(tools) // size)
    return [tools[len(tools) * at // count : len(tools) * (at + 1) // count] for at in range(count)]


def _loss(weights, counts, tools, rng):
    said = bag(weights, [tool.phrasings[rng.integers(len(tool.phrasings))] for tool in tools], counts)
    documents = bag(weights, [tool.document for tool in tools], counts)
    similar = said @ documents.T / TEMPERATURE
    own = torch.arange(len(tools))
    return functional.cross_entropy(similar, own) + 0.5 * functional.cross_entropy(similar.T, own)
