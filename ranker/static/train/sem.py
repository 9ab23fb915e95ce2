"""The model file: see header in ../model.go for its layout."""

import dataclasses
import pathlib
import struct

import numpy as np

MAGIC = b"SEM1"


@dataclasses.dataclass
class Model:
    """A vocabulary and one vector per token."""

    vocabulary: list
    unknown: int
    table: np.ndarray  # float32, tokens x dimensions


def read(path):
    data = pathlib.Path(path).read_bytes()
    if data[:4] != MAGIC:
        raise ValueError(f"{path}: not a model file")
    dim, rows, unknown, size = struct.unpack_from("<IIII", data, 4)
    vocabulary = data[20 : 20 + size].decode().split("\n")
    at = 20 + size
    scales = np.frombuffer(data, "<f4", rows, at)
    values = np.frombuffer(data, np.int8, rows * dim, at + 4 * rows).reshape(rows, dim)
    return Model(vocabulary, unknown, scales[:, None] * values.astype(np.float32))


def quantise(table):
    """Returns a scale and int8 values per row. A row of zeros stays one."""
    scales = np.abs(table).max(1).astype(np.float32) / 127
    safe = np.where(scales > 0, scales, 1)[:, None]
    return scales, np.clip(np.round(table / safe), -127, 127).astype(np.int8)


def write(path, model):
    scales, values = quantise(model.table)
    names = "\n".join(model.vocabulary).encode()
    header = struct.pack("<IIII", model.table.shape[1], len(model.vocabulary), model.unknown, len(names))
    pathlib.Path(path).write_bytes(MAGIC + header + names + scales.astype("<f4").tobytes() + values.tobytes())
