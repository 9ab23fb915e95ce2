"""Tool-retrieval sets: a folder each, with tools.jsonl, queries.jsonl and meta.json.

    tools.jsonl    {"server", "name", "description", ...}
    queries.jsonl  {"query", "gold": [[server, name], ...], ...}
    meta.json      {"licence", ...}
"""

import dataclasses
import json
import pathlib
import random
import re

# Sets that may be trained on: their licences (MIT, Apache-2.0) allow it. A set
# that is not listed is only ever judged on.
TRAINABLE = (
    "bfcl_pooled",
    "metatool_multi",
    "metatool_single",
    "nestful_exec",
    "restbench_spotify",
    "restbench_tmdb",
    "sealtools_in",
    "toolalpaca_eval",
    "toolbench_solvable",
)

# Families of sets that share authors, tools or the source of their queries.
# Judging one member means training on none of its family.
FAMILIES = (
    ("metatool_multi", "metatool_single"),
    ("toolbench_solvable", "toollens_test", "toolret_apigen", "toolalpaca_eval"),
    ("restbench_spotify", "restbench_tmdb"),
    ("bfcl_pooled", "toolret_gorilla_hf"),
)


def family(name):
    """Returns the names of the set's family, itself included."""
    return next((members for members in FAMILIES if name in members), (name,))


@dataclasses.dataclass
class RetrievalSet:
    name: str
    documents: list  # text of each tool
    queries: list  # text of each query
    gold: list  # for each query the set of rows in documents

    def sample(self, most, seed=13):
        """Returns the set with at most `most` of its queries."""
        if most <= 0 or len(self.queries) <= most:
            return self
        chosen = random.Random(seed).sample(range(len(self.queries)), most)
        return RetrievalSet(
            self.name, self.documents, [self.queries[i] for i in chosen], [self.gold[i] for i in chosen]
        )


def split_name(name):
    """Splits an identifier into its words."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    return re.sub(r"[_\-./:]+", " ", name).strip()


def document(tool):
    """Is the text by which a tool is embedded."""
    return f"{split_name(tool['name'])}. {tool.get('description') or ''}".strip()


def _lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def load(folder, most=0):
    """Reads one set, with at most `most` queries (0 for all)."""
    folder = pathlib.Path(folder)
    tools = _lines(folder / "tools.jsonl")
    rows = {(tool["server"], tool["name"]): row for row, tool in enumerate(tools)}
    queries, gold = [], []
    for query in _lines(folder / "queries.jsonl"):
        wanted = {rows[tuple(ref)] for ref in query["gold"] if tuple(ref) in rows}
        if wanted:
            queries.append(query["query"])
            gold.append(wanted)
    return RetrievalSet(folder.name, [document(tool) for tool in tools], queries, gold).sample(most)


def load_all(folder, most=0):
    """Reads every set below a folder, by name."""
    folders = sorted(path.parent for path in pathlib.Path(folder).glob("*/queries.jsonl"))
    if not folders:
        raise FileNotFoundError(f"{folder}: no */queries.jsonl below it")
    return {path.name: load(path, most) for path in folders}
