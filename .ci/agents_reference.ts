/**
 * Writes the tables of docs/agents.md: that of agents from packs/, and that of what they can do from the scenarios of
 * tests/scenarios/, which are played with the real agents: `deno task docs`.
 *
 * @module
 */
import { ACP_ACTING_KINDS, type AcpActingKind } from "../lib/agents/acp/tool_kinds.ts";
import { PACKS } from "../lib/agents/packs/built_in.ts";
import type { Pack } from "../lib/agents/packs/pack.ts";
import { SCENARIOS } from "../tests/scenarios/scenarios.ts";
import { AGENT_NAMES } from "../tests/support/agents.ts";

/** The document, below the root of the repository. */
export const AGENTS_DOCUMENT = new URL("../docs/agents.md", import.meta.url);

/** The document with its tables made anew. */
export function withAgents(document: string): string {
  return withPart(withPart(document, "packs/", agents()), "tests/scenarios/", scenarios());
}

/** What stands between the lines that name a source is made from it. */
function withPart(document: string, source: string, text: string): string {
  const first = `<!-- Made from ${source}, by \`deno task docs\`. -->\n<!-- deno-fmt-ignore-start -->\n`;
  const begin = document.indexOf(first);
  const end = document.indexOf("<!-- deno-fmt-ignore-end -->\n", begin);
  if (begin < 0 || end < 0) throw new Error(`Cannot find the place of what is made from ${source} in docs/agents.md`);
  return `${document.slice(0, begin)}${first}\n${text}\n${document.slice(end)}`;
}

/** A row a scenario, a column a real agent over the protocol; a number leads to the reason below the table. */
function scenarios(): string {
  const players = AGENT_NAMES;
  const remarks: string[] = [];
  const marked = (mark: string, remark: string | undefined) => {
    if (remark === undefined) return mark;
    if (!remarks.includes(remark)) remarks.push(remark);
    return `${mark} ${remarks.indexOf(remark) + 1})`;
  };
  const rows = SCENARIOS.map(({ name, shows, cannot = {}, notes = {} }) => [
    `**${name}**: ${shows}`,
    ...players.map((player) =>
      cannot[player] === undefined ? marked("yes", notes[player]) : marked("no", cannot[player])
    ),
  ]);
  const head = ["Scenario", ...players.map((player) => `\`${player}\``)];
  return [...table(head, rows), "", ...remarks.map((remark, index) => `${index + 1}. ${remark}`), ""].join("\n");
}

function agents(): string {
  const packs = Object.entries(PACKS).filter(([id]) => id !== "acp");
  const head = [
    "Provider",
    "Agent",
    "npm package",
    "From version",
    "Node",
    "Asks before",
    "Reports",
    "Continues a session",
  ];
  const rows = packs.map(([id, pack]) => [
    `\`${id}\``,
    pack.label,
    pack.npm_package === undefined ? "" : `\`${pack.npm_package}\``,
    pack.min_version ?? "any",
    pack.min_node === undefined ? "" : `${pack.min_node}`,
    asks(pack),
    tells(pack),
    (pack.resume ?? []).length === 0 ? "no" : "yes",
  ]);
  const notes = packs.map(([id, pack]) => {
    const own = [pack.login_hint, ...serverOf(pack), ...pack.notes ?? []].filter((text) => text !== undefined);
    return `- **\`${id}\`**: ${own.join(" ")}`;
  });
  return [...table(head, rows), "", ...notes, ""].join("\n");
}

const KINDS: Readonly<Record<AcpActingKind, string>> = {
  execute: "commands",
  edit: "edits",
  delete: "removals",
  move: "moves",
};

function asks({ ask_mode }: Pack): string {
  if (ask_mode === undefined) return "not known";
  const { asks_before, asks_before_changes = [] } = ask_mode;
  const words = (kinds: readonly AcpActingKind[]) => kinds.map((kind) => KINDS[kind]).join(", ");
  if (ACP_ACTING_KINDS.every((kind) => asks_before.includes(kind))) return "every action";
  return [
    words(asks_before),
    asks_before_changes.length === 0 ? "" : `${words(asks_before_changes)} that it considers changes`,
  ]
    .filter((part) => part !== "").join("; ");
}

function tells({ usage = [] }: Pack): string {
  const told = [
    usage.some(({ from }) => from !== "cost") && "tokens",
    usage.some(({ from }) => from === "cost") && "cost",
  ];
  return told.filter((one) => one !== false).join(", ") || "nothing";
}

/** The variables that lead it to a model server of one's own. */
function serverOf({ model_server: { url, key, model } = {} }: Pack): readonly string[] {
  const names = [url, key, model].filter((name) => name !== undefined);
  return names.length === 0 ? [] : [`To use your own model server: ${names.map((name) => `\`${name}\``).join(", ")}.`];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

if (import.meta.main) {
  await Deno.writeTextFile(AGENTS_DOCUMENT, withAgents(await Deno.readTextFile(AGENTS_DOCUMENT)));
}
