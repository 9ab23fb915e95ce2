// What becomes of results: passed on unread, worked on by a program, named when
// they come again. The servers are Winnow's own.
import { setup, suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import {
  type ModelRequest,
  ask,
  call,
  languageModel,
  newChat,
  results,
  say,
  scriptedModel,
  setting,
  until,
} from "./api";
import { bare, names, twin } from "./routed";
import { folder, winnowFile } from "./winnowfile";

const reads = "mcp__ours__read_text_file";
const page = path.join(folder, "page.txt");
const copy = path.join(folder, "copy.txt");
const items = path.join(folder, "items.json");
const short = path.join(folder, "short.txt");

/** Who asks: the routed model, and @winnow with the model itself. */
const faces = [
  ["", twin],
  ["@winnow ", bare],
] as const;

suite("results", () => {
  const text = [...Array.from({ length: 3000 }, (_, i) => `line ${i} of the page`), short].join("\n");
  const restore: (() => Promise<void>)[] = [];
  let model: Awaited<ReturnType<typeof scriptedModel>>;

  suiteSetup(async () => {
    model = await scriptedModel();
    await writeFile(page, text);
    await writeFile(short, "The compost is behind the shed.\n".repeat(60));
    await writeFile(items, JSON.stringify(Array.from({ length: 2000 }, (_, size) => ({ name: `item ${size}`, size }))));
    for (const file of [page, copy, items, short]) restore.push(() => rm(file, { force: true }));
    restore.push(
      await winnowFile(({ filesystem, everything }) => ({ servers: { ours: filesystem, calculator: everything } })),
      await setting("winnow.threshold", 1000),
      await setting("winnow.results.maxChars", 3000),
      await setting("winnow.results.programs", true),
    );
    await languageModel(twin);
    await until("the tools of the servers", async () => {
      await vscode.commands.executeCommand("winnow.approveServer", { kind: "server", server: { name: "ours" } });
      await vscode.commands.executeCommand("winnow.approveServer", { kind: "server", server: { name: "calculator" } });
      const found = await turn("@winnow what is there", bare, () => undefined);
      return names(found.at(-1)).some((name) => name === "mcp__calculator__echo");
    });
  });

  setup(() => newChat());

  suiteTeardown(async () => {
    for (const put of restore) await put();
    await newChat();
  });

  /** Makes calls one after the other, each of what the ones before have answered, and returns the requests. */
  async function turn(
    words: string,
    selector: typeof twin,
    next: (answers: string[]) => { name: string; input: object } | undefined,
    answer?: "once" | "skip",
  ): Promise<ModelRequest[]> {
    model.use((request) => {
      const step = next(results(request).map(({ text }) => text));
      return [step === undefined ? say("done") : call(step.name, step.input)];
    });
    model.exchanges.length = 0;
    const over = { done: false };
    const answering = ask(words, selector).then(() => (over.done = true));
    await until("the answer", async () => {
      if (answer !== undefined) await vscode.commands.executeCommand("winnow.answerCall", undefined, answer);
      return over.done;
    });
    await answering;
    return model.exchanges.map(({ request }) => request);
  }

  const answersOf = (requests: ModelRequest[]) => results(requests.at(-1) ?? never()).map(({ text }) => text);
  const handleIn = (answer: string | undefined) => /\$from\W+(\w+)/.exec(answer ?? "")?.[1];

  test("a page goes into a file without having been read", async () => {
    const answers = answersOf(
      await turn(
        "@winnow copy the page",
        bare,
        ([read, written]) => {
          if (read === undefined) return { name: reads, input: { path: page } };
          if (written !== undefined) return undefined;
          return { name: "mcp__ours__write_file", input: { path: copy, content: { $from: handleIn(read) } } };
        },
        "once",
      ),
    );
    assert.equal(await readFile(copy, "utf8"), text);
    const seen = answers.join("").length;
    assert.ok(seen < 5000, `the model saw ${seen} of ${text.length} characters`);
  });

  test("to another server it goes only when the user allows it, and not where references are off", async () => {
    const pass = ([read, echoed]: string[]) => {
      if (read === undefined) return { name: reads, input: { path: page } };
      if (echoed !== undefined) return undefined;
      return { name: "mcp__calculator__echo", input: { message: { $from: handleIn(read) ?? "r1" } } };
    };
    for (const [answer, expected] of [
      ["skip", /skipped|declined|did not/i],
      ["once", /Echo: line 0 of the page/],
    ] as const) {
      const [, echoed] = answersOf(await turn("@winnow echo the page", bare, pass, answer));
      assert.match(echoed ?? "", expected, answer);
      await newChat();
    }
    for (const [prefix, selector] of faces) {
      await newChat();
      let handle: string | undefined;
      const read = ([read]: string[]) => {
        handle ??= handleIn(read);
        return handle === undefined ? { name: reads, input: { path: page } } : undefined;
      };
      await turn(`${prefix}read the page`, selector, read);
      const put = await setting("winnow.results.references", false);
      try {
        const [echoed] = answersOf(
          await turn(`${prefix}echo it`, selector, ([echoed]) =>
            echoed === undefined ? { name: "mcp__calculator__echo", input: { message: { $from: handle } } } : undefined,
          ),
        );
        assert.match(echoed ?? "", /winnow\.results\.references/);
      } finally {
        await put();
      }
    }
  });

  test("the routed model passes a line on to a tool that only reads, of the same server", async () => {
    const [, info] = answersOf(
      await turn("how large is what the page names", twin, ([read, info]) => {
        if (read === undefined) return { name: reads, input: { path: page } };
        if (info !== undefined) return undefined;
        return {
          name: "mcp__ours__get_file_info",
          input: { path: { $from: handleIn(read), match: /\/\S*short\.txt/.source } },
        };
      }),
    );
    assert.match(info ?? "", /size: 1920/);
  });

  test("a program reads what the model then does not", async () => {
    for (const [prefix, selector] of faces) {
      await newChat();
      const program = [
        `page = call("${reads}", {"path": ${JSON.stringify(items)}})`,
        `result = [row["name"] for row in json_decode(page["content"]) if row["size"] > 1997]`,
      ].join("\n");
      const [ran] = answersOf(
        await turn(`${prefix}which items are large`, selector, ([ran]) =>
          ran === undefined ? { name: "mcp_run", input: { program } } : undefined,
        ),
      );
      assert.equal(ran, '["item 1998","item 1999"]');
    }
  });

  test("a result that stands above is named", async () => {
    for (const [prefix, selector] of faces) {
      await newChat();
      const [first, second] = answersOf(
        await turn(`${prefix}read it twice`, selector, (answers) =>
          answers.length < 2 ? { name: reads, input: { path: short } } : undefined,
        ),
      );
      assert.match(first ?? "", /compost/);
      assert.match(second ?? "", /this is the same result, to the byte, as the one above/);
      assert.ok((second ?? "").length < 300, second);
    }
  });
});

function never(): never {
  throw new Error("there was no request");
}
