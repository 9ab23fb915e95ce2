// Writes testdata/requests/*.all.json: requests with every field that the
// providers' own types declare. Only names of fields, and values that tell the
// members of a union apart, come from the types.
//
//	npm install --prefix DIR openai @anthropic-ai/sdk @google/genai
//	node testdata/requests.mjs DIR
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const dir = resolve(process.argv[2]);

/** What each file is made from. `functions` of chat completions is deprecated and refused, so that such a request passes as it is. */
const roots = {
  chat: {
    package: "openai",
    type: `Omit<import("openai/resources/chat/completions").ChatCompletionCreateParamsStreaming, "functions">`,
  },
  responses: {
    package: "openai",
    type: `Omit<import("openai/resources/responses/responses").ResponseCreateParamsStreaming, "previous_response_id" | "conversation">`,
  },
  messages: {
    package: "@anthropic-ai/sdk",
    type: `Omit<import("@anthropic-ai/sdk/resources/beta/messages/messages").MessageCreateParamsStreaming, "betas"> |
      import("@anthropic-ai/sdk/resources/messages/messages").MessageCreateParamsStreaming`,
  },
  gemini: {
    package: "@google/genai",
    type: `{
      contents: G.Content[]; systemInstruction: G.Content; tools: G.Tool[]; toolConfig: G.ToolConfig;
      safetySettings: G.SafetySetting[]; generationConfig: G.GenerationConfig; cachedContent: string;
      labels: Record<string, string>; serviceTier: G.ServiceTier }`,
  },
};

const entry = join(dir, "roots.ts");
const text = [
  `import type * as G from "@google/genai";`,
  ...Object.entries(roots).map(([name, { type }]) => `export declare const ${name}: ${type};`),
].join("\n");
const options = {
  strict: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};
const host = ts.createCompilerHost(options);
const readSource = host.getSourceFile.bind(host);
host.getSourceFile = (file, ...rest) =>
  file === entry ? ts.createSourceFile(file, text, options.target) : readSource(file, ...rest);
const exists = host.fileExists.bind(host);
host.fileExists = (file) => file === entry || exists(file);
const program = ts.createProgram([entry], options, host);
const checker = program.getTypeChecker();
const source = program.getSourceFile(entry);
const wrong = program.getSemanticDiagnostics(source);
if (wrong.length > 0) throw new Error(ts.formatDiagnostics(wrong, { ...host, getNewLine: () => "\n" }));

const none = ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Never;

/** The members of unions. */
function members(types) {
  return types.flatMap((type) => (type.isUnion() ? type.types : [type])).filter((t) => !(t.flags & none));
}

/**
 * A value of one of some types with every field that any of them may have, and a list with an element for each kind of
 * element. `within` are the types around it: what holds itself ends there.
 */
function sample(types, within = []) {
  const all = members(types);
  const objects = all.filter((t) => t.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection));
  const lists = objects.filter((t) => checker.isArrayType(t) || checker.isTupleType(t));
  if (lists.length > 0) {
    const elements = members(lists.flatMap((list) => checker.getTypeArguments(list)))
      .map((element) => sample([element], within))
      .filter((value) => value !== undefined);
    return [...new Map(elements.map((value) => [JSON.stringify(value), value])).values()];
  }
  if (objects.length > 0) return fields(objects, within);
  const literal = all.find((t) => t.isStringLiteral() || t.isNumberLiteral());
  if (literal) return literal.value;
  if (all.some((t) => t.flags & ts.TypeFlags.StringLike)) return "s";
  if (all.some((t) => t.flags & ts.TypeFlags.NumberLike)) return 1.5;
  if (all.some((t) => t.flags & ts.TypeFlags.BooleanLike)) return true;
  if (all.some((t) => t.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown))) return { any: [null, 1e2] };
  return undefined;
}

/** An object with the fields of all of some types. */
function fields(objects, within) {
  const found = new Map();
  const open = objects.filter((t) => !within.includes(t) && t.getCallSignatures().length === 0);
  for (const property of open.flatMap((t) => checker.getPropertiesOfType(t))) {
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    if (type.getCallSignatures().length === 0) found.set(property.name, [...(found.get(property.name) ?? []), type]);
  }
  const value = {};
  for (const [name, types] of found) {
    const one = sample(types, [...within, ...open]);
    if (one !== undefined) value[name] = one;
  }
  if (open.some((t) => checker.getIndexInfosOfType(t).length > 0)) value["x-any"] = "v";
  return value;
}

const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
for (const [name, { package: from }] of Object.entries(roots)) {
  const { version } = JSON.parse(readFileSync(join(dir, "node_modules", from, "package.json"), "utf8"));
  const request = sample([checker.getTypeOfSymbol(exported.find((symbol) => symbol.name === name))]);
  const file = join(import.meta.dirname, "requests", `${name}.all.json`);
  const lines = Object.entries({ x_source: `${from} ${version}`, ...request }).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  writeFileSync(file, `{${lines.join(",\n")}}\n`);
  const names = new Set();
  JSON.stringify(request, (key, value) => (names.add(key), value));
  console.log(`${file}: ${from} ${version}, ${Object.keys(request).length} members, ${names.size} names of fields`);
}
