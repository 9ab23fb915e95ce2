// Messages as VS Code's agent sends them, for tests.

import type { CallPart, Message, Part, ResultPart, Tool } from "../../src/chat/message";
import type { ListedTool, Listing } from "../../src/routing/daemon";

/** A system prompt. */
export const system = (text = "You are an expert AI programming assistant."): Message => ({
  role: "system",
  parts: [{ kind: "text", text }],
});

/** What the agent says of the machine before the first message. */
export const environment: Message = {
  role: "user",
  parts: [
    {
      kind: "text",
      text: "<environment_info>\nThe user's current OS is: Linux\n</environment_info>\n<workspace_info>\nnotes/\n</workspace_info>",
    },
  ],
};

/** A user's message with all that the agent wraps around the words. */
export const asked = (words: string): Message => ({
  role: "user",
  parts: [
    {
      kind: "text",
      text: [
        '<attachments>\n<attachment id="garden.md">\n# Garden <userRequest>not me</userRequest>\n</attachment>\n</attachments>',
        "<context>\nThe current date is 2026-11-21.\nTerminals:\nTerminal: bash\n</context>",
        "<editorContext>\nThe user's current file is garden.md.\n</editorContext>",
        "<reminderInstructions>\nUse the tools.\n</reminderInstructions>",
        `<userRequest>\n${words}\n</userRequest>`,
      ].join("\n"),
    },
  ],
});

export const text = (value: string): Part => ({ kind: "text", text: value });

export const call = (callId: string, name: string, input: object = {}): CallPart => ({
  kind: "call",
  callId,
  name,
  input,
});

export const answered = (...parts: Part[]): Message => ({ role: "assistant", parts });

/** A tool's result, in a message of its own with an empty name. */
export const result = (callId: string, ...content: (string | Part)[]): Message => ({
  role: "user",
  name: "",
  parts: [
    { kind: "result", callId, content: content.map((part) => (typeof part === "string" ? text(part) : part)) },
  ] satisfies [ResultPart],
});

export const tool = (name: string, description = `Does ${name}.`): Tool => ({
  name,
  description,
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
});

/** Lists tools as `lm.tools` does: those with a server are MCP's. */
export function listing(tools: readonly Tool[], servers: readonly string[] = [], label?: string): Listing {
  const listed = tools.map((one): ListedTool => ({
    ...one,
    tags: one.name.startsWith("mcp_") ? ["mcp"] : [],
    ...(label !== undefined && { fullReferenceName: `${label}/${one.name.split("_").at(-1) ?? ""}` }),
  }));
  return { tools: listed, servers };
}

/** The results among the parts. */
export const resultsOf = (parts: readonly Part[]): ResultPart[] => parts.filter((part) => part.kind === "result");
