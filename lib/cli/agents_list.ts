import { asksBeforeAll } from "../agents/acp/acp_provider.ts";
import { hasAcp } from "../agents/mod.ts";
import { insideOf } from "../agents/whole_agent.ts";
import type { Provider } from "../agents/provider.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { paint, type Style } from "./console/color.ts";
import { padEnd, wrap } from "./console/layout.ts";
import type { OutputFields } from "../api/output/outputs.ts";
import { type CliState, lookAtCli } from "./preflight/agent.ts";
import { hasCli } from "./preflight/agent_cli.ts";
import { placeIn } from "./preflight/look_context.ts";
import type { Machine } from "./preflight/machine_look.ts";
import { programProblem } from "../run/programs.ts";

type AgentRow = OutputFields["agent"];

export async function readAgents(
  providers: readonly Provider[],
  { machine, workdir }: { readonly machine: Machine; readonly workdir: string },
): Promise<readonly AgentRow[]> {
  const offered = providers.filter((provider) => hasCli(provider) || hasAcp(provider));
  return await Promise.all(offered.map(async (provider) => ({ ...describe(provider), ...await stateOf(provider) })));

  async function stateOf(provider: Provider): Promise<Found> {
    const found = { version: null, login: null } as const;
    if (!hasCli(provider)) {
      const remedy = `Any other agent that speaks ACP: name its command in providers.${provider.id}.command.`;
      return { ...found, state: "absent", remedy };
    }
    const { program, installHint: remedy } = provider.cli;
    // What came with a repository is not run before the person trusts it.
    if (provider.isOfConfig === true) {
      const problem = programProblem(program, placeIn(workdir, machine));
      return problem === undefined
        ? { ...found, state: "unclear", login: "it is the configuration's, and was not asked" }
        : { ...found, state: "absent", remedy };
    }
    const agent = { provider, workdir, asksPerson: provider.terminal !== undefined };
    const state = await lookAtCli(machine.cli(agent));
    return state === undefined ? { ...found, state: "absent", remedy } : foundBy(state);
  }
}

type Found = Pick<AgentRow, "state" | "version" | "login" | "problem" | "remedy">;

function foundBy({ problem, login, remedy, ...known }: CliState): Found {
  const version = known.version ?? null;
  if (problem !== undefined) return { version, login: null, state: "unusable", problem, remedy };
  const told = { version, login: login === undefined || login.detail === "" ? null : login.detail };
  switch (login?.state) {
    case undefined:
    case "ready":
      return { ...told, state: "ready" };
    case "unknown":
      return { ...told, state: "unclear", remedy };
    case "missing":
      return { ...told, state: "unusable", problem: login.detail, remedy };
  }
}

function describe(provider: Provider): Omit<AgentRow, keyof Found> {
  const { id, label, cli, terminal, headless, acp, sandbox, isOfConfig } = provider;
  const isByCli = terminal !== undefined || headless !== undefined;
  return {
    id,
    label,
    from: isOfConfig === true ? "config" : "panewright",
    over: isByCli ? "cli" : "acp",
    program: cli?.program ?? null,
    roles: terminal !== undefined || acp !== undefined,
    steps: headless !== undefined || acp !== undefined,
    sandbox: sandbox !== undefined,
    inside: insideOf(provider) !== undefined,
    tokens: terminal?.tellsTokens === true || acp?.tellsTokens === true,
    cost: acp?.usage?.some(({ from }) => from === "cost") === true,
    resumes: isByCli || (acp?.resume?.length ?? 0) > 0,
    asks: isByCli || (acp !== undefined && asksBeforeAll(acp))
      ? "always"
      : acp?.ask_mode === undefined
      ? "unknown"
      : "changes",
  };
}

function describeAbilities({ over, roles, steps, sandbox, inside, tokens, cost, resumes, asks }: AgentRow): string {
  const able = [
    [roles, over === "cli" ? "roles in panes" : "roles"],
    [steps, "steps"],
    [sandbox, "a sandbox"],
    [inside, "inside a sandbox"],
    [resumes, "resumes sessions"],
    [tokens || cost, `reports ${cost ? "tokens and cost" : "tokens"}`],
    [over === "acp", ASKS[asks]],
  ] as const;
  const words = able.filter(([is]) => is).map(([, text]) => text).join(", ");
  return over === "acp" ? `ACP: ${words}` : words;
}

const ASKS: Readonly<Record<AgentRow["asks"], string>> = {
  always: "always asks",
  changes: "asks before changes",
  unknown: "a person decides",
};

const STYLES: Readonly<Record<AgentRow["state"], Style>> = {
  ready: "good",
  unclear: "caution",
  unusable: "bad",
  absent: "faint",
};

const MARKS: Readonly<Record<AgentRow["state"], string>> = { ready: "ok", unclear: "?", unusable: "no", absent: "" };

/** The agents that are there, each with what it can do; then the others, with how they are installed. */
export function renderAgents(
  rows: readonly AgentRow[],
  { width, color = false }: { readonly width: number; readonly color?: boolean },
): string {
  const here = rows.filter(({ state }) => state !== "absent");
  const absent = rows.filter(({ state }) => state === "absent");
  const idWidth = Math.max(...rows.map(({ id }) => id.length));
  const indent = " ".repeat(idWidth + 8);
  const lines = (text: string) =>
    wrap(sanitizeLine(text), Math.max(20, width - indent.length)).map((line) => indent + line);
  const shown = here.flatMap((row) => {
    const { id, label, version, login, problem, remedy, state } = row;
    const mark = paint(MARKS[state], STYLES[state], color) + " ".repeat(2 - MARKS[state].length);
    const name = `${sanitizeLine(label)}${version === null ? "" : ` ${sanitizeLine(version)}`}`;
    const about = problem ?? login;
    return [
      `  ${mark}  ${paint(padEnd(id, idWidth), "strong", color)}  ${name}`,
      ...(about === null ? [] : lines(about)),
      ...lines(describeAbilities(row)).map((line) => paint(line, "faint", color)),
      ...(remedy === undefined ? [] : lines(remedy)),
    ];
  });
  const missing = absent.flatMap(({ id, remedy = "" }) => {
    const [first = "", ...rest] = lines(remedy);
    return [`      ${padEnd(id, idWidth)}  ${first.trimStart()}`, ...rest];
  });
  return [
    ...(shown.length === 0 ? [] : [paint("Here:", "strong", color), ...shown]),
    ...(missing.length === 0 ? [] : [
      ...(shown.length === 0 ? [] : [""]),
      paint("Not here:", "strong", color),
      ...missing,
    ]),
  ].map((line) => `${line}\n`).join("");
}
