import { parse } from "jsonc-parser";
import type { CliName } from "../../support/clis.ts";
import * as answers from "./answers.ts";
import { MODELS } from "./models.ts";
import { mcpServer, type Scene, WAITING_COMMAND } from "./scene.ts";

/** The texts that scenes name: `$WAITING_COMMAND`. */
const TEXTS: Readonly<Record<string, string>> = {
  ...answers,
  WAITING_COMMAND,
  MCP: JSON.stringify({ mcpServers: { shop: mcpServer() } }),
};

/** Every scene of each CLI. */
export const SCENES: Readonly<Record<CliName, readonly Scene[]>> = {
  codex: await readScenes("codex"),
  claude_code: await readScenes("claude_code"),
};

async function readScenes(cli: CliName): Promise<readonly Scene[]> {
  const files = await Promise.all([cli, "both"].map((name) => {
    return Deno.readTextFile(new URL(`scenes/${name}.jsonc`, import.meta.url));
  }));
  const scenes = files.flatMap((text) => withTexts(parse(text)) as (Omit<Scene, "turns"> & Turns)[]);
  return scenes.map((scene) => {
    const { turns } = scene;
    if (typeof turns !== "string") return { ...scene, turns };
    const model = MODELS[cli][turns];
    if (model === undefined) throw new TypeError(`There is no model ${turns} for the scene ${scene.name} of ${cli}`);
    return { ...scene, turns: model };
  });
}

interface Turns {
  readonly turns: Scene["turns"] | string;
}

/** Puts the texts in the place of their names. */
function withTexts(data: unknown): unknown {
  if (typeof data === "string") return data.startsWith("$") ? TEXTS[data.slice(1)] ?? data : data;
  if (Array.isArray(data)) return data.map(withTexts);
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, withTexts(value)]));
}
