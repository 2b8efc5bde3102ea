import { PROVIDERS } from "../../agents/mod.ts";
import { readRulesStates, rollbackHint, type RulesState } from "../../lab/rule_packs/installed.ts";
import { NO_PACKS, readIndex, rulesFolder } from "../../lab/rule_packs/store.ts";
import { outputLine } from "../../api/output/line.ts";
import type { OutputFields } from "../../api/output/outputs.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { VERSION } from "../../base/version.ts";
import type { CliIo } from "../console/command.ts";

export interface RulesRow {
  readonly provider: string;
  readonly state: RulesState;
}

export async function readRulesRows({ env }: Pick<CliIo, "env">): Promise<readonly RulesRow[]> {
  const folder = rulesFolder(env);
  const context = { providers: PROVIDERS, index: folder === undefined ? NO_PACKS : readIndex(folder) };
  // Without a folder nothing is installed, and nothing is read.
  const states = await readRulesStates({ ...context, folder: folder ?? "" });
  return [...states].map(([provider, state]) => ({ provider, state }));
}

export async function listRules(io: CliIo, { json }: { readonly json: boolean }): Promise<number> {
  const rows = await readRulesRows(io);
  io.stdout(rows.map(json ? (row) => outputLine("rules", fieldsOf(row)) : renderRow).join(""));
  const unusable = rows.find(({ state }) => state.kind === "unusable");
  if (unusable === undefined) return 0;
  io.stderr(`${rollbackHint(unusable.provider)}\n`);
  return 2;
}

function fieldsOf({ provider, state }: RulesRow): OutputFields["rules"] {
  const builtIn = { provider, source: "built_in" as const, version: VERSION };
  if (state.kind === "built_in") return builtIn;
  const { version, ...about } = state.installed;
  switch (state.kind) {
    case "pack":
      return { provider, source: "pack", version, ...about };
    case "outdated":
      return { ...builtIn, outdated: { version, ...about } };
    case "unusable":
      return { provider, source: "unusable", version, ...about, problem: state.problem };
  }
}

function renderRow({ provider, state }: RulesRow): string {
  return `${provider}: ${describeState(state)}\n`;
}

export function describeState(state: RulesState): string {
  const builtIn = `built in, version ${VERSION}`;
  if (state.kind === "built_in") return builtIn;
  const { version, key, installedAt, from } = state.installed;
  switch (state.kind) {
    case "pack":
      return sanitizeLine(`version ${version}, signed by ${key}, installed ${installedAt} from ${from}`);
    case "outdated":
      return sanitizeLine(`${builtIn}; version ${version}, installed ${installedAt}, is not newer and not used`);
    case "unusable":
      return sanitizeLine(`version ${version} cannot be used: ${state.problem}`);
  }
}
