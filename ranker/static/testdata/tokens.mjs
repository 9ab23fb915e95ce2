// Writes tokens.jsonl: what the reference tokenizer makes of our own texts,
// with the vocabulary of the model file beside this folder.
//
//   npm install --prefix /tmp/tokens @huggingface/tokenizers@0.2.0
//   NODE_PATH=/tmp/tokens/node_modules node tokens.mjs
//
// With a file of JSON strings, one a line, as argument, it writes their tokens
// to standard output instead: for comparing many texts once.
import { createRequire } from "node:module";
import fs from "node:fs";

const { Tokenizer } = createRequire(import.meta.url)("@huggingface/tokenizers");
const here = new URL(".", import.meta.url);

const model = fs.readFileSync(new URL("../static-256d-20k-int8.sem", here));
const vocabulary = model.subarray(20, 20 + model.readUInt32LE(16)).toString().split("\n");
const tokenizer = new Tokenizer({
  version: "1.0",
  added_tokens: [],
  decoder: { type: "WordPiece", prefix: "##", cleanup: true },
  post_processor: null,
  normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  pre_tokenizer: { type: "BertPreTokenizer" },
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(vocabulary.map((token, row) => [token, row])),
  },
}, {});

const lines = (file) => fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const golden = (text) => JSON.stringify({ text, tokens: tokenizer.encode(text, { add_special_tokens: false }).tokens }) + "\n";

if (process.argv[2]) {
  for (const text of lines(process.argv[2])) process.stdout.write(golden(text));
} else {
  const texts = lines(new URL("texts.jsonl", here));
  fs.writeFileSync(new URL("tokens.jsonl", here), texts.map(golden).join(""));
}
