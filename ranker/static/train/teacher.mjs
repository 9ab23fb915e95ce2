// Embeds token ids with the teacher, all-MiniLM-L6-v2 (int8 ONNX):
//
//   node teacher.mjs model_quantized.onnx ids.bin vectors.f32
//
// ids.bin holds for each text its number of ids and the ids, as int32;
// vectors.f32 gets one unit-length float32 vector for each.
import { createRequire } from "node:module";
import fs from "node:fs";

const onnx = createRequire(process.cwd() + "/")("onnxruntime-node");
const [model, input, output] = process.argv.slice(2);
const session = await onnx.InferenceSession.create(model, { intraOpNumThreads: Number(process.env.OMP_NUM_THREADS ?? 2), interOpNumThreads: 1 });

const bytes = fs.readFileSync(input);
const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const texts = [];
for (let at = 0; at < words.length; at += 1 + words[at]) texts.push(words.subarray(at + 1, at + 1 + words[at]));

const dim = 384;
const tokensPerBatch = 2048;
const vectors = new Float32Array(texts.length * dim);
// Batches of one length need no padding, which would change the quantised
// model's values.
const order = [...texts.keys()].sort((a, b) => texts[a].length - texts[b].length);
let shown = Date.now();
for (let start = 0; start < order.length; ) {
  const length = texts[order[start]].length;
  let end = start;
  while (end < order.length && texts[order[end]].length === length && (end - start + 1) * length <= tokensPerBatch) end++;
  end = Math.max(end, start + 1);
  await embed(order.slice(start, end), length);
  start = end;
  if (Date.now() - shown > 20_000) {
    shown = Date.now();
    console.error(`${start} of ${order.length} texts`);
  }
}
fs.writeFileSync(output, new Uint8Array(vectors.buffer));

// embed runs one batch and pools the mean of each text's token vectors.
async function embed(batch, length) {
  const ids = new BigInt64Array(batch.length * length);
  batch.forEach((text, row) => texts[text].forEach((id, at) => (ids[row * length + at] = BigInt(id))));
  const shape = [batch.length, length];
  const result = await session.run({
    input_ids: new onnx.Tensor("int64", ids, shape),
    attention_mask: new onnx.Tensor("int64", new BigInt64Array(ids.length).fill(1n), shape),
    token_type_ids: new onnx.Tensor("int64", new BigInt64Array(ids.length), shape),
  });
  const hidden = result.last_hidden_state.data;
  batch.forEach((text, row) => {
    const vector = vectors.subarray(text * dim, (text + 1) * dim);
    for (let at = 0; at < length; at++)
      for (let d = 0; d < dim; d++) vector[d] += hidden[(row * length + at) * dim + d];
    const norm = Math.hypot(...vector) || 1;
    for (let d = 0; d < dim; d++) vector[d] /= norm;
  });
}
