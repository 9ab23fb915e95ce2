// Which language models get a twin, and the twin's description.

import { PROTOCOL_ROUTED_SUFFIX } from "../protocol/protocol.gen";

/** A model's properties in the stable API, with some outside it. */
export interface ModelInfo {
  vendor: string;
  id: string;
  name: string;
  family: string;
  version: string;
  maxInputTokens: number;
  /** Outside the stable API: absent if VS Code does not supply it. */
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
   * The icon before the name, also if the name is truncated. Outside the stable API: absent if VS Code does not show
   * it. A symbol in the name would sort before all letters, and VS Code preselects the first name.
   */
  readonly statusIcon: { readonly id: string };
}

/** Winnow's vendor, as declared in package.json. */
export const ownVendor = "winnow";

/** GitHub Copilot's own models: each forwarded request may be billed. */
export const copilotVendor = "copilot";

/** Copilot CLI lists a model that accepts no input. */
const excludedVendors: readonly string[] = [ownVendor, "copilotcli"];

/** Copilot's models for background tasks. */
const utility = /^copilot-(?:utility|dictation)/;

/** The API has no limit for the length of a response; VS Code's agent uses a number of its own. */
const maxOutputTokens = 8192;

/** The most tools in a request to Copilot's models, whose wrapper refuses more. */
const copilotMaxTools = 128;

/** Reports whether a model gets a twin; copilot is the setting `winnow.routedModels.copilot`. */
export function hasTwin(model: ModelInfo, copilot: boolean): boolean {
  return (
    !excludedVendors.includes(model.vendor) &&
    (copilot || model.vendor !== copilotVendor) &&
    !utility.test(model.id) &&
    model.maxInputTokens > 0 &&
    model.capabilities?.supportsToolCalling !== false
  );
}

/** Returns the id of a model's twin. Two vendors may use the same id. */
export function twinId(model: Pick<ModelInfo, "vendor" | "id">): string {
  return `${model.vendor}/${model.id}`;
}

/** Returns the name of a model's twin. */
export function routedName(model: string): string {
  return model + PROTOCOL_ROUTED_SUFFIX;
}

/** Returns the name of the model behind a twin. */
export function twinned(name: string): string {
  return name.endsWith(PROTOCOL_ROUTED_SUFFIX) ? name.slice(0, -PROTOCOL_ROUTED_SUFFIX.length) : name;
}

/** Returns the twin of a model. The family is the original's, because VS Code's agent chooses its prompt by it. */
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

/** Returns the most tools that a model accepts; 0 if unknown. */
export function maxToolsOf(model: Pick<ModelInfo, "vendor">): number {
  return model.vendor === copilotVendor ? copilotMaxTools : 0;
}

/** Families for which Copilot has its own tool search: Claude 4.5 and newer, GPT 5.4 and newer. */
const searching = /^claude-(?:\w+-)?(?:4[.-][5-9]|[5-9])|^gpt-5\.[4-9]/;

/** Reports whether Copilot searches tools itself for a model, so that a twin saves little. */
export function hasNativeSearch(model: Pick<ModelInfo, "vendor" | "family">): boolean {
  return model.vendor === copilotVendor && searching.test(model.family);
}

/** The models declared by an extension's manifest. */
export interface Manifest {
  contributes?: { languageModelChatProviders?: unknown };
}

/** Returns the vendors of language models in manifests, without Winnow's, each once. */
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
