"""Learns the vectors of single tokens from phrasings of tools."""

import dataclasses
import time

import numpy as np
import torch
from torch.nn import functional

from student import anneal, bag

# Higher than the temperature of distilling and tuning: siblings are alike in
# truth, and to push them as far apart as there costs more than it brings.
TEMPERATURE = 0.1


@dataclasses.dataclass
class Tool:
    """A tool's text and its phrasings, tokenised."""

    document: np.ndarray
    phrasings: list


def learn(table, servers, passes=24, batch=256, rate=4e-3, share=0.5, seed=0):
    """Returns the table, part of the way towards one by which a phrasing is
    nearer to its tool than to other tools.

    servers is a list of lists of Tool. A pass takes one phrasing of every tool,
    in batches of whole servers side by side, so that siblings are each other's
    wrong answers. The loss is the cross-entropy of a phrasing against the
    tools of its batch, and half that of a tool against the phrasings.

    The way is not gone to its end: `share` of it keeps most of what was won on
    servers that were not learned from and little of what is lost in catalogues
    of another kind (Wortsman and others 2022, weights of fine-tuned models
    averaged with those before).
    """
    rng = np.random.default_rng(seed)
    weights = torch.nn.Parameter(torch.from_numpy(table.copy()))
    optimiser = torch.optim.Adam([weights], lr=rate)
    steps, step, began = passes * len(_batches(servers, batch)), 0, time.time()
    for done in range(1, passes + 1):
        total = 0.0
        batches = _batches(_shuffled(servers, rng), batch)
        for tools in batches:
            anneal(optimiser, rate, step, steps, 20)
            loss = _loss(weights, tools, rng)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step, total = step + 1, total + loss.item()
        print(f"pass {done} of {passes}: loss {total / len(batches):.4f}, {time.time() - began:.0f} s", flush=True)
    return table + share * (weights.detach().numpy() - table)


def _shuffled(servers, rng):
    """Returns the servers in another order, and the tools of each."""
    return [[servers[i][j] for j in rng.permutation(len(servers[i]))] for i in rng.permutation(len(servers))]


def _batches(servers, size):
    """Returns the tools of all servers in batches of about one size, none of
    them larger than `size`."""
    tools = [tool for server in servers for tool in server]
    count = -(-len(tools) // size)
    return [tools[len(tools) * at // count : len(tools) * (at + 1) // count] for at in range(count)]


def _loss(weights, tools, rng):
    said = [tool.phrasings[rng.integers(len(tool.phrasings))] for tool in tools]
    similar = bag(weights, said) @ bag(weights, [tool.document for tool in tools]).T / TEMPERATURE
    own = torch.arange(len(tools))
    return functional.cross_entropy(similar, own) + 0.5 * functional.cross_entropy(similar.T, own)
