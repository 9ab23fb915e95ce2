"""What people say when they need a tool, beside what the tool says of itself.

The phrasings are those of ../../bank/servers, a file a server:

    server WORDS

    tool NAME PRINTS
    	PHRASING
    	...

The tools' own texts are not part of the project. They are read from captures,
a JSON file a server by the same name: {"tools": [what tools/list answered]}.
"""

import collections
import dataclasses
import json
import pathlib
import re
import zlib

from sets import RetrievalSet, document


@dataclasses.dataclass
class Server:
    name: str
    documents: list  # text of each tool
    phrasings: list  # for each tool a list of texts


def _said(path):
    """Yields the name and the phrasings of each tool of a file."""
    name, texts = None, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("tool "):
            if name is not None:
                yield name, texts
            name, texts = line.split()[1], []
        elif line.startswith("\t"):
            if name is None:
                raise ValueError(f"{path}:{number}: a phrasing stands before the first tool")
            texts.append(line[1:])
        elif line and not line.startswith(("#", "server ")):
            raise ValueError(f"{path}:{number}: {line!r}: want a line that starts with '#', 'server ', 'tool ' or a tab")
    if name is not None:
        yield name, texts


def _descriptions(path):
    """Returns the text of each tool of a capture, by name; of two tools of one
    name, that of the first."""
    found = {}
    for tool in json.loads(path.read_text(encoding="utf-8"))["tools"]:
        found.setdefault(tool["name"], document(tool))
    return found


def read(bank, captures):
    """Returns every server of the bank that was captured, and how many tools
    have phrasings but no capture."""
    paths = sorted(pathlib.Path(bank).glob("*.txt"))
    if not paths:
        raise FileNotFoundError(f"{bank}: no *.txt in it")
    servers, missing = [], 0
    for path in paths:
        capture = pathlib.Path(captures) / f"{path.stem}.json"
        texts = _descriptions(capture) if capture.exists() else {}
        server = Server(path.stem, [], [])
        for name, phrasings in _said(path):
            if name in texts and phrasings:
                server.documents.append(texts[name])
                server.phrasings.append(phrasings)
            else:
                missing += 1
        if server.documents:
            servers.append(server)
    return servers, missing


def parts(servers, count):
    """Splits servers into `count` parts. Those whose names begin alike, which
    are often servers of one product, are in the same one."""
    found = collections.defaultdict(list)
    for server in servers:
        product = re.split(r"[-_]", server.name)[0]
        found[zlib.crc32(product.encode()) % count].append(server)
    return [found[part] for part in range(count)]


def retrieval_set(name, servers):
    """Returns the servers' tools with every phrasing as a query."""
    documents, queries, gold = [], [], []
    for server in servers:
        for text, phrasings in zip(server.documents, server.phrasings):
            queries += phrasings
            gold += [{len(documents)}] * len(phrasings)
            documents.append(text)
    return RetrievalSet(name, documents, queries, gold)
