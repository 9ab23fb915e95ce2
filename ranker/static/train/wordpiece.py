"""BERT's uncased WordPiece tokenizer, the same as ../tokenize.go."""

import unicodedata

MAX_WORD = 100  # characters; longer words are unknown


def _is_punctuation(char):
    code = ord(char)
    if code < 128:
        return 33 <= code <= 126 and not char.isalnum()
    return unicodedata.category(char).startswith("P")


def _is_chinese(char):
    code = ord(char)
    return (
        0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2CEAF
        or 0x2F800 <= code <= 0x2FA1F
    )


def _clean(text):
    """Drops control characters and sets ideographs apart."""
    out = []
    for char in text:
        if char in "\t\n\r" or char.isspace() and unicodedata.category(char) != "Cc":
            out.append(" ")
        elif char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
            continue
        elif _is_chinese(char):
            out.append(f" {char} ")
        else:
            out.append(char)
    return "".join(out)


def words(text):
    """Splits a text into lower-case words and single punctuation characters."""
    if not text.isascii() or not text.isprintable():
        text = unicodedata.normalize("NFD", _clean(text))
        text = "".join(c for c in text if unicodedata.category(c) != "Mn")
    found, word = [], []
    for char in text.lower():
        if char.isspace() or _is_punctuation(char):
            if word:
                found.append("".join(word))
                word = []
            if not char.isspace():
                found.append(char)
        else:
            word.append(char)
    if word:
        found.append("".join(word))
    return found


class Tokenizer:
    """Turns texts into rows of a vocabulary (a list of tokens)."""

    def __init__(self, vocabulary, unknown="[UNK]"):
        self.rows = {token: row for row, token in enumerate(vocabulary)}
        self.unknown = self.rows[unknown]
        self._known = {}  # word -> rows; words repeat a lot

    def encode(self, text, limit):
        """Returns the rows of the text's first `limit` tokens."""
        rows = []
        for word in words(text):
            rows += self._pieces(word)
            if len(rows) >= limit:
                break
        return rows[:limit]

    def _pieces(self, word):
        rows = self._known.get(word)
        if rows is None:
            rows = self._known[word] = self._split(word)
        return rows

    def _split(self, word):
        rows, start = [], 0
        if len(word) > MAX_WORD:
            return [self.unknown]
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                row = self.rows.get(prefix + word[start:end])
                if row is not None:
                    rows.append(row)
                    start = end
                    break
            else:
                return [self.unknown]
        return rows
