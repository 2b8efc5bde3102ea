import acp from "../../../packs/acp.jsonc" with { type: "text" };
import claudeAcp from "../../../packs/claude_acp.jsonc" with { type: "text" };
import codexAcp from "../../../packs/codex_acp.jsonc" with { type: "text" };
import copilot from "../../../packs/copilot.jsonc" with { type: "text" };
import gemini from "../../../packs/gemini.jsonc" with { type: "text" };
import opencode from "../../../packs/opencode.jsonc" with { type: "text" };
import qwen from "../../../packs/qwen.jsonc" with { type: "text" };
import type { AcpAgentProvider, ProviderId } from "../provider.ts";
import type { Pack } from "./pack.ts";
import { packProvider } from "./provider.ts";

/** The texts of the packs that are built in, by the ids of their agents: `packs/ID.jsonc`. */
export const PACK_TEXTS: Readonly<Record<ProviderId, string>> = {
  copilot,
  opencode,
  gemini,
  qwen,
  claude_acp: claudeAcp,
  codex_acp: codexAcp,
  acp,
};

/** Lines that are comments, as in no text of these files: a parser of all of JSONC takes 4 ms of each start. */
const COMMENT_LINES = /^\s*\/\/.*$/gm;

/** The packs that are built in. A test holds them to the schema: at a start nothing is checked. */
export const PACKS: Readonly<Record<ProviderId, Pack>> = Object.fromEntries(
  Object.entries(PACK_TEXTS).map(([id, text]) => [id, JSON.parse(text.replaceAll(COMMENT_LINES, ""))]),
);

export const PACK_PROVIDERS: readonly AcpAgentProvider[] = Object.entries(PACKS).map(([id, pack]) =>
  packProvider(id, pack)
);
