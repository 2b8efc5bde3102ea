import { sha256Hex } from "../../lib/base/text/digest.ts";

/** What a trial depends on, besides the CLI. */
const SOURCES = [
  "agents",
  "agents/claude_code",
  "agents/codex",
  "agents/pane",
  "agents/process",
  "turn/hooks",
  "turn/desk",
];

let hash: Promise<string> | undefined;

/** Has the person of this home share what trials of hooks have proved with all others whose panewright is the same. */
export async function shareTrials(home: string): Promise<void> {
  const lib = new URL("../../lib/", import.meta.url).pathname;
  hash ??= sha256Hex(SOURCES.map((folder) => textsOf(`${lib}${folder}`)).join("\0"));
  const shared = new URL(`../../.cache/hook_trials/${(await hash).slice(0, 16)}`, import.meta.url).pathname;
  await Deno.mkdir(shared, { recursive: true });
  const state = `${home}/.local/state/panewright`;
  await Deno.mkdir(state, { recursive: true, mode: 0o700 });
  await Deno.symlink(shared, `${state}/hook_trials`);
}

function textsOf(folder: string): string {
  const names = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => name).sort();
  return names.map((name) => `${name}\0${Deno.readTextFileSync(`${folder}/${name}`)}`).join("\0");
}
