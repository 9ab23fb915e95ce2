// Which language models get a twin, and what the twin says of itself.

import { PROTOCOL_ROUTED_SUFFIX } from "../protocol/protocol.gen";

/** What the stable API tells of a model, and what VS Code tells besides. */
export interface ModelInfo {
  vendor: string;
  id: string;
  name: string;
  family: string;
  version: string;
  maxInputTokens: number;
  /** Not part of the stable API: absent where VS Code does not tell. */
  capabilities?: { supportsToolCalling?: boolean; supportsImageToText?: boolean } | undefined;
}

/** A twin, in the form of LanguageModelChatInformation. */
export interface Twin {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly detail: string;
  readonly tooltip: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly capabilities: { readonly toolCalling: boolean; readonly imageInput: boolean };
  /**
   * The icon before the name, also where the name is cut. Not part of the stable API:
   * absent where VS Code does not show it. A mark in the name itself would sort before
   * all letters, and VS Code preselects the first name where nothing was chosen.
   */
  readonly statusIcon: { readonly id: string };
}

/** Our own vendor, as package.json declares it. */
export const ownVendor = "winnow";

/** GitHub Copilot's own models: each forwarded request may be billed. */
export const copilotVendor = "copilot";

/** Copilot's command line lists a model that takes no input. */
const excludedVendors: readonly string[] = [ownVendor, "copilotcli"];

/** Copilot's models for its own chores. */
const utility = /^copilot-(?:utility|dictation)/;

/** The API does not say how long a model's answer may be; VS Code's agent goes by a number of its own. */
const maxOutputTokens = 8192;

/** What limits a request to Copilot's models; its wrapper refuses more. */
const copilotMaxTools = 128;

/** Tells whether a model gets a twin; copilot is the setting `winnow.routedModels.copilot`. */
export function hasTwin(model: ModelInfo, copilot: boolean): boolean {
  return (
    !excludedVendors.includes(model.vendor) &&
    (copilot || model.vendor !== copilotVendor) &&
    !utility.test(model.id) &&
    model.maxInputTokens > 0 &&
    model.capabilities?.supportsToolCalling !== false
  );
}

/** Names the twin of a model. Two vendors may use one id. */
export function twinId(model: Pick<ModelInfo, "vendor" | "id">): string {
  return `${model.vendor}/${model.id}`;
}

/** The name of the twin of a model. */
export function routedName(model: string): string {
  return model + PROTOCOL_ROUTED_SUFFIX;
}

/** The name of the model behind a twin of a name. */
export function twinned(name: string): string {
  return name.endsWith(PROTOCOL_ROUTED_SUFFIX) ? name.slice(0, -PROTOCOL_ROUTED_SUFFIX.length) : name;
}

/** Describes the twin. Its family is the original's, because VS Code's agent chooses its prompt by it. */
export function twinOf(model: ModelInfo): Twin {
  return {
    id: twinId(model),
    name: routedName(model.name),
    family: model.family,
    version: model.version,
    detail: "Winnow",
    tooltip: `${model.name}, with only the MCP tools that the task needs`,
    maxInputTokens: model.maxInputTokens,
    maxOutputTokens,
    capabilities: { toolCalling: true, imageInput: model.capabilities?.supportsImageToText ?? true },
    statusIcon: { id: "filter" },
  };
}

/** The most tools that a model takes; 0 is unknown. */
export function maxToolsOf(model: Pick<ModelInfo, "vendor">): number {
  return model.vendor === copilotVendor ? copilotMaxTools : 0;
}

/** Families that Copilot serves with its own tool search: Claude 4.5 and newer, GPT 5.4 and newer. */
const searching = /^claude-(?:\w+-)?(?:4[.-][5-9]|[5-9])|^gpt-5\.[4-9]/;

/** Tells whether Copilot searches tools itself for a model, so that a twin of it wins little. */
export function hasNativeSearch(model: Pick<ModelInfo, "vendor" | "family">): boolean {
  return model.vendor === copilotVendor && searching.test(model.family);
}

/** What a window's extensions say about the models that they bring. */
export interface Manifest {
  contributes?: { languageModelChatProviders?: unknown };
}

/** The vendors of language models that the manifests declare, ours left out, each once. */
export function vendorsOf(manifests: Iterable<Manifest>): string[] {
  const vendors = new Set<string>();
  for (const { contributes } of manifests) {
    const declared = contributes?.languageModelChatProviders ?? [];
    for (const provider of (Array.isArray(declared) ? declared : [declared]) as unknown[]) {
      const { vendor } = (provider ?? {}) as { vendor?: unknown };
      if (typeof vendor === "string" && !excludedVendors.includes(vendor)) vendors.add(vendor);
    }
  }
  return [...vendors].sort();
}
