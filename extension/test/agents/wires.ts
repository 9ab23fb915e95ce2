// The formats in which agents ask a model: what a request says, and how an
// answer is streamed. Only as much of each as the tests look at.

/** A request, the same for every format. */
export interface Asked {
  /** Counts the requests from 1. */
  number: number;
  path: string;
  /** The body as it came. */
  body: string;
  /** The names of the tools; those in a namespace as `namespace/name`. */
  tools: string[];
  /** What the user typed last, with what the agent puts around it. */
  words: string;
  /** The results of calls since then, in their order. */
  results: { name: string; text: string }[];
  /** Resolves when the client is gone. */
  gone: Promise<void>;
}

/** What the scripted model answers. */
export type Answer =
  | { say: string }
  | { call: string; input: object }
  /** Says something, and then nothing until the client is gone. */
  | { stall: string }
  /** Fails with an HTTP status. */
  | { fail: number; message: string };

/** A part of a conversation that {@link Asked} is made of. */
interface Turn {
  user?: string;
  calls?: { id: string; name: string }[];
  results?: { id: string; text: string }[];
}

/** How one format is read and written. */
export interface Wire {
  /** The end of the path that asks a model. */
  matches(path: string): boolean;
  read(body: unknown): { tools: string[]; turns: Turn[] };
  /** The lines of an event stream that says a text. With `open` it has not ended. */
  say(text: string, open: boolean): string[];
  call(id: string, name: string, input: object): string[];
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { type: string }): string => `event: ${value.type}\n${data(value)}`;

type Content = string | null | undefined | { type?: string; text?: string }[];

function textIn(content: Content): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((block) => block.text ?? "").join("\n");
}

interface ChatBody {
  tools?: { function: { name: string } }[];
  messages: {
    role: string;
    content?: Content;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string } }[];
  }[];
}

/** OpenAI's chat completions. */
export const chat: Wire = {
  matches: (path) => path.endsWith("/chat/completions"),
  read(body) {
    const { tools = [], messages } = body as ChatBody;
    return {
      tools: tools.map((tool) => tool.function.name),
      turns: messages.map((m): Turn => {
        if (m.role === "tool") return { results: [{ id: m.tool_call_id ?? "", text: textIn(m.content) }] };
        if (m.role === "user") return { user: textIn(m.content) };
        return { calls: (m.tool_calls ?? []).map((call) => ({ id: call.id, name: call.function.name })) };
      }),
    };
  },
  say: (text, open) => [
    chunk({ role: "assistant", content: text }),
    ...(open ? [] : [chunk({}, "stop"), usage(), "data: [DONE]\n\n"]),
  ],
  call: (id, name, input) => [
    chunk({
      role: "assistant",
      content: null,
      tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: "" } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify(input) } }] }),
    chunk({}, "tool_calls"),
    usage(),
    "data: [DONE]\n\n",
  ],
};

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return data({ id: "r", object: "chat.completion.chunk", created: 1, model: "scripted", choices });
}

function usage(): string {
  const counts = { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 };
  return data({
    id: "r",
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [],
    usage: { ...counts, prompt_tokens_details: { cached_tokens: 600 } },
  });
}

interface ResponsesBody {
  tools?: { type: string; name?: string; tools?: { name: string }[] }[];
  input: {
    type?: string;
    role?: string;
    content?: Content;
    call_id?: string;
    name?: string;
    namespace?: string;
    output?: unknown;
  }[];
}

/** OpenAI's Responses. */
export const responses: Wire = {
  matches: (path) => path.endsWith("/responses"),
  read(body) {
    const { tools = [], input } = body as ResponsesBody;
    return {
      tools: tools.flatMap((tool) =>
        tool.type === "namespace"
          ? (tool.tools ?? []).map(({ name }) => `${tool.name ?? ""}/${name}`)
          : [tool.name ?? tool.type],
      ),
      turns: input.map((item): Turn => {
        const id = item.call_id ?? "";
        switch (item.type ?? "message") {
          case "function_call_output":
            return { results: [{ id, text: JSON.stringify(item.output) }] };
          case "function_call":
            return { calls: [{ id, name: [item.namespace, item.name].filter(Boolean).join("/") }] };
          case "message":
            return item.role === "user" ? { user: textIn(item.content) } : {};
        }
        return {};
      }),
    };
  },
  say(text, open) {
    const item = { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text }] };
    const begun = [
      event({ type: "response.created", response: { id: "r" } } as { type: string }),
      added({ ...item, content: [] }),
      event({ type: "response.output_text.delta", output_index: 0, item_id: "m", content_index: 0, delta: text } as {
        type: string;
      }),
    ];
    return open ? begun : [...begun, ...ended(item)];
  },
  call(id, name, input) {
    const [tool, namespace] = name.split("/").reverse();
    const item = {
      type: "function_call",
      id: `f${id}`,
      call_id: id,
      name: tool,
      arguments: JSON.stringify(input),
      ...(namespace === undefined ? {} : { namespace }),
    };
    return [
      event({ type: "response.created", response: { id: "r" } } as { type: string }),
      added(item),
      ...ended(item),
    ];
  },
};

function added(item: object): string {
  return event({ type: "response.output_item.added", output_index: 0, item } as { type: string });
}

function ended(item: object): string[] {
  const tokens = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 600 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1010,
  };
  return [
    event({ type: "response.output_item.done", output_index: 0, item } as { type: string }),
    event({ type: "response.completed", response: { id: "r", output: [item], usage: tokens } } as { type: string }),
  ];
}

interface GeminiBody {
  tools?: { functionDeclarations?: { name: string }[] }[];
  contents: {
    role?: string;
    parts: {
      text?: string;
      functionCall?: { id?: string; name: string };
      functionResponse?: { id?: string; name: string; response: unknown };
    }[];
  }[];
}

/** Gemini's streamGenerateContent. Its calls are known by their tools' names here. */
export const gemini: Wire = {
  matches: (path) => path.includes("GenerateContent") || path.includes("generateContent"),
  read(body) {
    const { tools = [], contents } = body as GeminiBody;
    return {
      tools: tools.flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name)),
      turns: contents.map(({ role, parts }): Turn => {
        const results = parts.flatMap(({ functionResponse: r }) =>
          r === undefined ? [] : [{ id: r.name, text: JSON.stringify(r.response) }],
        );
        if (results.length > 0) return { results };
        if (role === "user") return { user: parts.map((part) => part.text ?? "").join("\n") };
        return {
          calls: parts.flatMap(({ functionCall: c }) => (c === undefined ? [] : [{ id: c.name, name: c.name }])),
        };
      }),
    };
  },
  say: (text, open) => [candidate([{ text }], !open)],
  call: (_id, name, input) => [candidate([{ functionCall: { name, args: input } }], true)],
};

function candidate(parts: object[], end: boolean): string {
  const content = { parts, role: "model" };
  return data({
    candidates: [{ content, index: 0, ...(end ? { finishReason: "STOP" } : {}) }],
    usageMetadata: { promptTokenCount: 1000, cachedContentTokenCount: 600, candidatesTokenCount: 10 },
    modelVersion: "scripted",
  });
}

interface MessagesBody {
  tools?: { name: string; defer_loading?: boolean }[];
  messages: {
    role: string;
    content:
      string | { type: string; text?: string; id?: string; name?: string; tool_use_id?: string; content?: unknown }[];
  }[];
}

/** Anthropic's Messages. */
export const messages: Wire = {
  matches: (path) => path.endsWith("/v1/messages"),
  read(body) {
    const { tools = [], messages } = body as MessagesBody;
    return {
      tools: tools.map(({ name }) => name),
      turns: messages.map(({ role, content }): Turn => {
        if (typeof content === "string") return role === "user" ? { user: content } : {};
        const results = content.flatMap((b) =>
          b.type === "tool_result" ? [{ id: b.tool_use_id ?? "", text: JSON.stringify(b.content) }] : [],
        );
        if (results.length > 0) return { results };
        if (role === "user") return { user: content.map((b) => b.text ?? "").join("\n") };
        return {
          calls: content.flatMap((b) => (b.type === "tool_use" ? [{ id: b.id ?? "", name: b.name ?? "" }] : [])),
        };
      }),
    };
  },
  say: (text, open) => [
    ...block({ type: "text", text: "" }, { type: "text_delta", text }),
    ...(open ? [] : stopped("end_turn")),
  ],
  call: (id, name, input) => [
    ...block(
      { type: "tool_use", id: `toolu_${id}`, name, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(input) },
    ),
    ...stopped("tool_use"),
  ],
};

/** Counts answers: Claude Code takes those with one id for one. */
let answers = 0;

function block(content: object, delta: object): string[] {
  answers += 1;
  const used = {
    input_tokens: 300,
    cache_read_input_tokens: 60_000,
    cache_creation_input_tokens: 100,
    output_tokens: 1,
  };
  const id = `msg_${String(answers)}`;
  const message = { id, type: "message", role: "assistant", model: "scripted", content: [], usage: used };
  return [
    event({ type: "message_start", message } as { type: string }),
    event({ type: "content_block_start", index: 0, content_block: content } as { type: string }),
    event({ type: "content_block_delta", index: 0, delta } as { type: string }),
    event({ type: "content_block_stop", index: 0 } as { type: string }),
  ];
}

function stopped(reason: string): string[] {
  return [
    event({ type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 10 } } as { type: string }),
    event({ type: "message_stop" }),
  ];
}
