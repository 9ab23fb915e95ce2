// A script that runs in another process: the model's side. The other is
// server.ts. One request is one POST; the answer streams one step a line.
import type { ModelRequest, Script, Step } from "./script";

/** Returns a script that asks the server at url. */
export function remote(url: string): Script {
  return async function* (request: ModelRequest, signal: AbortSignal): AsyncIterable<Step> {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(request), signal });
    if (!response.ok || response.body === null) throw new Error(`the script's server answered ${response.status}`);
    let rest = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as Step;
    }
  };
}
