"""Tests of the training tool: python3 -m unittest (no packages, no network)."""

import json
import pathlib
import random
import tempfile
import unittest

import numpy as np

import contrast
import corpus
import measure
import phrasings
import sem
import sets
import student
import vocabulary
from wordpiece import Tokenizer

STATIC = pathlib.Path(__file__).parent.parent
SHIPPED = next(STATIC.glob("*.sem"))


class WordpieceTest(unittest.TestCase):
    def test_agrees_with_reference(self):
        model = sem.read(SHIPPED)
        tokenizer = Tokenizer(model.vocabulary)
        for line in (STATIC / "testdata/tokens.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
            golden = json.loads(line)
            got = [model.vocabulary[row] for row in tokenizer.encode(golden["text"], 10_000)]
            self.assertEqual(got, golden["tokens"], golden["text"])

    def test_limit(self):
        tokenizer = Tokenizer(["[UNK]", "a", "b"])
        self.assertEqual(tokenizer.encode("a b a b c", 3), [1, 2, 1])


class SemTest(unittest.TestCase):
    def test_shipped_model_survives(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "copy.sem"
            sem.write(copy, sem.read(SHIPPED))
            np.testing.assert_allclose(sem.read(copy).table, sem.read(SHIPPED).table, rtol=1e-6, atol=1e-9)

    def test_zero_row(self):
        scales, values = sem.quantise(np.array([[0.0, 0.0], [1.27, -0.635]], np.float32))
        np.testing.assert_allclose(scales, [0, 0.01])
        np.testing.assert_array_equal(values, [[0, 0], [127, -64]])

    def test_other_file(self):
        with tempfile.NamedTemporaryFile() as file:
            with self.assertRaisesRegex(ValueError, "not a model file"):
                sem.read(file.name)


class SetsTest(unittest.TestCase):
    def test_families_are_disjoint_and_known(self):
        members = [name for one in sets.FAMILIES for name in one]
        self.assertEqual(len(members), len(set(members)))
        self.assertEqual(sets.family("metatool_multi"), ("metatool_multi", "metatool_single"))
        self.assertEqual(sets.family("nestful_exec"), ("nestful_exec",))

    def test_load(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "some"
            path.mkdir()
            tools = [{"server": "s", "name": "createIssue", "description": "Makes one."}, {"server": "s", "name": "b"}]
            queries = [{"query": "q", "gold": [["s", "b"], ["s", "gone"]]}, {"query": "r", "gold": [["s", "gone"]]}]
            for name, rows in (("tools", tools), ("queries", queries)):
                (path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            one = sets.load_all(folder)["some"]
        self.assertEqual(one.documents, ["create Issue. Makes one.", "b."])
        self.assertEqual((one.queries, one.gold), (["q"], [{1}]))

    def test_no_sets(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(FileNotFoundError):
                sets.load_all(folder)

    def test_sample_is_stable(self):
        one = sets.RetrievalSet("n", [], [str(i) for i in range(50)], [{i} for i in range(50)])
        self.assertEqual(one.sample(5).queries, one.sample(5).queries)
        self.assertEqual([{int(query)} for query in one.sample(5).queries], one.sample(5).gold)
        self.assertIs(one.sample(0), one)


class MeasureTest(unittest.TestCase):
    def test_quality(self):
        # Two right tools among six; ranked 1st and 6th:
        # R@5 1/2, R@10 2/2, nDCG (1 + 1/log2 7) / (1 + 1/log2 3).
        scores = np.array([[0.9, 0.8, 0.7, 0.6, 0.5, 0.4]])
        got = measure.Quality.of(scores, [{0, 5}]).mean()
        np.testing.assert_allclose(got, [0.5, 1, (1 + 1 / np.log2(7)) / (1 + 1 / np.log2(3))])

    def test_lexical_prefers_rare_words(self):
        index = measure.Lexical(["send mail", "send message", "send file to printer"])
        scores = index.scores("send the files to my printers")
        self.assertEqual(int(scores.argmax()), 2)
        np.testing.assert_array_equal(index.scores("zebra"), 0)

    def test_pool_skips_unknown(self):
        table = np.array([[9, 9], [3, 0], [0, 4]], np.float32)
        got = measure.pool(table, [[1, 0, 2], [0], []], 0)
        np.testing.assert_allclose(got, [[0.6, 0.8], [0, 0], [0, 0]])

    def test_token_weights(self):
        # Of four documents, all have token 0, one has 1 and none has 2.
        got = measure.token_weights([[0, 0, 1], [0], [0], [0]], 3)
        np.testing.assert_allclose(got, [(0.03 / 0.78) ** 0.5, 1, 0.7], rtol=1e-6)
        np.testing.assert_allclose(measure.token_weights([], 1), [0.7], rtol=1e-6)

    def test_judge_weighs_tokens(self):
        # "list" is in all documents and says nothing; what is left of the first
        # query is nearer to the second document.
        one = sets.RetrievalSet("s", ["list b"] + ["list c"] + ["list d"] * 30, ["list c"], [{1}])
        table = np.array([[0, 0, 0], [5, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], np.float32)
        model = sem.Model(["[UNK]", "list", "b", "c", "d"], 0, table)
        scores = measure.Judge({"s": one}).similarities("s", model)
        self.assertLess(scores[0, 0], 0.9)
        self.assertGreater(scores[0, 1], 0.999)

    def test_fusion_of_constant_scores(self):
        np.testing.assert_allclose(measure.fuse(np.array([[2.0, 2.0]]), np.array([[0.0, 3.0]])), [[0, 0.4]])

    def test_paired_interval_contains_change(self):
        rng = np.random.default_rng(1)
        left = {"a": measure.Quality(rng.random((80, 3))), "b": measure.Quality(rng.random((40, 3)))}
        right = {name: measure.Quality(one.values + 0.1) for name, one in left.items()}
        change, low, high = measure.paired(left, right, draws=200)
        np.testing.assert_allclose([change, low, high], 0.1)


class VocabularyTest(unittest.TestCase):
    def test_keep(self):
        names = ["[PAD]", "[UNK]", "rare", "often", "a", "##b", "é", "[unused1]"]
        counts = vocabulary.count(8, [[2], [3, 3, 6, 6, 6], [0]])
        self.assertEqual([names[row] for row in vocabulary.keep(names, counts, 4)], ["[UNK]", "often", "a", "##b"])
        self.assertEqual(len(vocabulary.keep(names, counts, 100)), 5)


    def test_frequent_words(self):
        texts = ["delete the repo", "delete repo", "delete x1 é", "upload", "upload a repo, repo, repo"]
        self.assertEqual(vocabulary.frequent_words(texts, {"the", "a"}, 3), ["delete", "repo", "upload"])
        self.assertEqual(vocabulary.frequent_words(texts, {"delete"}, 1), ["repo"])


class CorpusTest(unittest.TestCase):
    def test_clean(self):
        self.assertEqual(corpus.clean("<p>See [the docs](http://x.y/z) at\n`https://a.b` *now*</p>"), "See the docs at now")
        self.assertEqual(corpus.clean(None), "")

    def test_as_request(self):
        request = corpus.as_request("Lists the branches.", random.Random(1))
        self.assertIn("list the branches", request)
        self.assertIn("SQL runs", corpus.as_request("SQL runs", random.Random(1)))

    def test_openapi(self):
        api = {"paths": {"/issues": {"get": {"operationId": "listIssues", "summary": "List issues",
                                             "description": "Returns every issue of a repository."}, "parameters": []},
                         "/none": {"get": {}}, "/odd": "text"}}  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.json").write_text(json.dumps(api))
            (pathlib.Path(folder) / "b.json").write_text(json.dumps(api))
            (pathlib.Path(folder) / "broken.json").write_text("{")
            found = corpus.operations(folder)
            pairs = corpus.openapi_pairs(folder, random.Random(1))
            few = corpus.catalogues(folder)
            paths = {f"/{i}": {"get": {"operationId": f"get{i}", "summary": f"Get the thing {i}",
                                       "description": f"Returns the thing of number {i}."}} for i in range(99)}  # fmt: skip
            (pathlib.Path(folder) / "c.json").write_text(json.dumps({"paths": paths}))
            (pathlib.Path(folder) / "d.json").write_text(json.dumps({"paths": paths}))
            many = corpus.catalogues(folder)
        self.assertEqual(found, [("list Issues", "List issues", "Returns every issue of a repository.")])
        self.assertEqual(few, [])
        self.assertEqual([len(one) for one in many], [corpus.MOST_IN_CATALOGUE])
        self.assertEqual(many[0][1].description, "get1. Returns the thing of number 1.")
        self.assertIn(corpus.Pair("List issues", "list Issues. Returns every issue of a repository."), pairs)

    def test_thinning_is_even(self):
        self.assertEqual(len(corpus._thin(list(range(1000)))), corpus.MOST_PER_API)
        self.assertEqual(corpus._thin([1, 2, 3]), [1, 2, 3])


class PhrasingsTest(unittest.TestCase):
    def folder(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in files.items():
            (pathlib.Path(folder.name) / name).write_text(text)
        return folder.name

    def test_read(self):
        bank = self.folder({
            "a.txt": "# a comment\nserver a\n\ntool createIssue 0f\n\tfile a bug\n\tnew ticket\n\ntool gone 0e\n\tx\n",
            "b.txt": "server b\n\ntool t 0d\n\ty\n",
        })  # fmt: skip
        tools = [{"name": "createIssue", "description": "Makes one."}, {"name": "createIssue"}, {"name": "unsaid"}]
        servers, missing = phrasings.read(bank, self.folder({"a.json": json.dumps({"tools": tools})}))
        self.assertEqual(servers, [phrasings.Server("a", ["create Issue. Makes one."], [["file a bug", "new ticket"]])])
        self.assertEqual(missing, 2)

    def test_read_nothing(self):
        with self.assertRaisesRegex(FileNotFoundError, "no \\*.txt"):
            phrasings.read(self.folder({}), self.folder({}))

    def test_read_bad_line(self):
        for text, problem in (("\tx\n", "a.txt:1: a phrasing"), ("server a\ntools t\n", "a.txt:2: 'tools t'")):
            with self.assertRaisesRegex(ValueError, problem):
                phrasings.read(self.folder({"a.txt": text}), self.folder({}))

    def test_parts_keep_products_together(self):
        servers = [phrasings.Server(f"{product}-{kind}", [], []) for product in "abcdefgh" for kind in "xy"]
        parts = phrasings.parts(servers, 3)
        self.assertEqual(sorted(one.name for part in parts for one in part), sorted(one.name for one in servers))
        for part in parts:
            names = [one.name for one in part]
            self.assertEqual(len(names), 2 * len({name[0] for name in names}), names)

    def test_retrieval_set(self):
        servers = [phrasings.Server("a", ["d", "e"], [["p", "q"], ["r"]]), phrasings.Server("b", ["f"], [["s"]])]
        one = phrasings.retrieval_set("n", servers)
        self.assertEqual((one.documents, one.queries, one.gold), (["d", "e", "f"], ["p", "q", "r", "s"], [{0}, {0}, {1}, {2}]))


class ContrastTest(unittest.TestCase):
    def servers(self):
        # Of 24 servers with 4 tools each; a document is a token of its own, and
        # its two phrasings have another one. Nothing relates them at first.
        tools = [contrast.Tool(np.array([i]), [np.array([96 + i]), np.array([96 + i, 96 + i])]) for i in range(96)]
        return [tools[at : at + 4] for at in range(0, 96, 4)]

    def test_learns_what_is_said(self):
        table = np.random.default_rng(0).normal(size=(193, 32)).astype(np.float32)

        def right(weights):
            scores = measure.pool(weights, [[96 + i] for i in range(96)], -1) @ measure.pool(weights, [[i] for i in range(96)], -1).T
            return (scores.argmax(1) == np.arange(96)).mean()

        before = table.copy()
        how = {"runs": 2, "passes": 20, "batch": 32, "rate": 0.05}
        after = contrast.learn(table, self.servers(), share=1, **how)
        self.assertLess(right(table), 0.1)
        self.assertGreater(right(after), 0.9)
        np.testing.assert_array_equal(table, before)
        np.testing.assert_array_equal(after[192], table[192], "a token that nobody says")
        again = contrast.learn(table, self.servers(), share=1, **how)
        np.testing.assert_array_equal(after, again, "the same twice")
        half = contrast.learn(table, self.servers(), share=0.5, **how)
        np.testing.assert_allclose(half, (table + after) / 2, atol=1e-6)

    def test_batches(self):
        for size in (1, 5, 7, 96, 1000):
            batches = contrast._batches(self.servers(), size)
            self.assertEqual([tool.document[0] for batch in batches for tool in batch], list(range(96)))
            self.assertLessEqual(max(map(len, batches)), size)
            self.assertLessEqual(max(map(len, batches)) - min(map(len, batches)), 1)

    def test_shuffled_servers_stay_together(self):
        shuffled = contrast._shuffled(self.servers(), np.random.default_rng(0))
        found = [sorted(tool.document[0] for tool in server) for server in shuffled]
        self.assertNotEqual(found, sorted(found))
        self.assertEqual(sorted(found), [list(range(at, at + 4)) for at in range(0, 96, 4)])


class StudentTest(unittest.TestCase):
    def test_tune_learns_a_map(self):
        # Documents are requests turned by a fixed rotation, so that a linear map
        # can undo it; half of them are never learned from.
        rng = np.random.default_rng(0)
        turn, _ = np.linalg.qr(rng.normal(size=(8, 8)))
        requests = rng.normal(size=(40, 8)).astype(np.float32)
        descriptions = np.concatenate([requests[:, :4], (requests @ turn)[:, 4:]], 1).astype(np.float32)
        table = np.concatenate([descriptions, requests])
        half = [np.array([i]) for i in range(20)], [np.array([40 + i]) for i in range(20)]
        lesson = student.Lesson(*half, [{i} for i in range(20)])

        def right(weights):
            scores = measure.pool(weights, [[i] for i in range(60, 80)], -1) @ measure.pool(weights, [[i] for i in range(20, 40)], -1).T
            return (scores.argmax(1) == np.arange(20)).mean()

        for sets_, apis in (([lesson], []), ([lesson], [lesson] * 3)):
            after = student.tune(table, sets_, apis, steps=200, rate=0.02)
            self.assertGreater(right(after), right(table))

    def test_start_weighs_frequent_tokens_less(self):
        vectors = np.random.default_rng(0).normal(size=(3, 4))
        table = student.start(vectors, np.array([1e6, 10, 10]), np.eye(4))
        norms = np.linalg.norm(table, axis=1) / np.linalg.norm(vectors - vectors.mean(0), axis=1)
        self.assertLess(norms[0], norms[1] / 2)

    def test_distil_approaches_teacher(self):
        rng = np.random.default_rng(0)
        teacher = rng.normal(size=(64, 6)).astype(np.float32)
        teacher /= np.linalg.norm(teacher, axis=1, keepdims=True)
        texts = [np.array([i]) for i in range(64)]
        data = student.Distillation(texts, texts, teacher, teacher)
        projection = data.projection(6, rng)

        def agreement(table):
            learned = measure.pool(table, [[i] for i in range(64)], -1)
            apart = ~np.eye(64, dtype=bool)
            return np.corrcoef((learned @ learned.T)[apart], (teacher @ teacher.T)[apart])[0, 1]

        before = rng.normal(size=(64, 6)).astype(np.float32)
        after = student.distil(before.copy(), data, projection, epochs=100, batch=32, rate=0.05)
        # Far from 1: in so few dimensions the contrast pulls the other way.
        self.assertGreater(agreement(after), agreement(before) + 0.25)

    def test_text_without_known_token(self):
        tokenizer = Tokenizer(["[UNK]", "a"])
        np.testing.assert_array_equal(student.tokenise(tokenizer, ["zz", "a"], 9), [[0], [1]])


if __name__ == "__main__":
    unittest.main()
