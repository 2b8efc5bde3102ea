import { removeTree } from "../base/ports/own_files.ts";
import { copy } from "@std/fs";
import { dirname, relative, resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { isAbsence, lstatOrUndefined } from "../base/ports/files.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { hostOfUrl } from "../sandbox/hosts.ts";
import { isSecret, withheldNames } from "../sandbox/spec.ts";
import { claudeInside } from "./claude_code/sandbox.ts";
import { codexInside } from "./codex/sandbox.ts";
import type { Provider, ProviderId } from "./provider.ts";
import type { CloneFolders, MeantSession, OwnSession, WholeSupport } from "./whole_support.ts";

export type { OwnSession } from "./whole_support.ts";

/** An agent, as the configuration wants it started. */
export interface WholeAgent {
  readonly provider: Provider;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
}

/** Of the agents that others are said to be like. */
const OF_CLIS: Readonly<Record<ProviderId, WholeSupport>> = { claude_code: claudeInside, codex: codexInside };

/** What is known of an agent's work inside; `undefined` where nothing is. */
export function insideOf({ whole }: Pick<Provider, "whole">): WholeSupport | undefined {
  if (typeof whole !== "string") return whole;
  return Object.hasOwn(OF_CLIS, whole) ? OF_CLIS[whole] : undefined;
}

/** @throws {UsageError} for an agent that is not known to work inside */
export function wholeSupportOf({ provider }: Pick<WholeAgent, "provider">): WholeSupport {
  const inside = insideOf(provider);
  if (inside !== undefined) return inside;
  const { id } = provider;
  throw new UsageError(
    `Cannot put ${id} into the sandbox: nothing is known of where it keeps its state and its login`,
    {
      hint: 'Use "sandbox": "commands" or "off" with it; "panewright agents" shows which agents can be inside.',
    },
  );
}

/** What an agent's CLI tries by itself when it starts, as a refusal tells it. */
export function ownTriesOf(agent: Pick<WholeAgent, "provider">, { env }: Surroundings): readonly string[] {
  return (insideOf(agent.provider)?.ownTries ?? []).map((what) =>
    what.replace("~", env["HOME"] ?? "~").replace("<uid>", String(Deno.uid()))
  );
}

/** The hosts that an agent needs: those of its model, and those that its settings, arguments and variables name. */
export async function hostsOfAgent(agent: WholeAgent, around: Surroundings): Promise<readonly string[]> {
  const support = wholeSupportOf(agent);
  const { folder, beside } = statePlaces(support, agent, around);
  const files = [...support.copied.filter((name) => SETTINGS_FILE.test(name)).map((name) => `${folder}/${name}`)];
  const texts = await Promise.all([...files, ...(beside ?? [])].map(readOr));
  const env = { ...around.env, ...agent.env };
  const withheld = new Set(withheldNames(Object.keys(env), support.variables));
  const variables = Object.entries(env).flatMap(([name, value]) => withheld.has(name) ? [] : [`${name}=${value}`]);
  const named = [...texts, ...agent.args, ...variables].flatMap((text) => [...text.matchAll(ADDRESS)]);
  return [...support.hosts, ...named.flatMap(([, address = ""]) => hostOfUrl(address) ?? [])];
}

const SETTINGS_FILE = /\.(?:jsonc?|toml)$/;

/** An address that a setting names: `base_url = "https://…"`, `"url": "https://…"`, `ANTHROPIC_BASE_URL=https://…`. */
const ADDRESS = /(?:url|endpoint)["']?\s*[:=]\s*["']?(https?:\/\/[^"'\s,}]+)/gi;

async function readOr(path: string): Promise<string> {
  return await Deno.readTextFile(path).catch(() => "");
}

function statePlaces({ state, beside }: WholeSupport, agent: Pick<WholeAgent, "env">, { env }: Surroundings) {
  const own = agent.env[state.variable] ?? env[state.variable];
  const home = env["HOME"] ?? "";
  const folder = own ?? `${home}/${state.folder}`;
  return { folder, beside: beside === undefined ? undefined : [`${own ?? home}/${beside}`] as const };
}

/** The sessions of a person that an agent can continue, the newest first. */
export async function findOwnSessions(
  provider: Provider,
  { env, ...meant }: Surroundings & MeantSession,
): Promise<readonly OwnSession[]> {
  const support = insideOf(provider);
  if (support?.sessions === undefined) return [];
  const { folder } = statePlaces(support, { env: {} }, { env });
  return await support.sessions.find(folder, meant);
}

/** An agent's own copy of its CLI's state. */
export interface AgentState {
  /** What it is started with, so that it uses that. */
  readonly env: Readonly<Record<string, string>>;
  /** What it may write besides its work. */
  readonly writable: readonly string[];
  readonly temporary: string;
  readonly variables: readonly string[];
}

/**
 * Where an agent's own copy of its CLI's state is, and what it is started with; the copy is made by
 * {@linkcode copyState}.
 *
 * @param root absolute path of the agent's own folder
 */
export function agentStateAt(root: string, agent: WholeAgent, around: Surroundings): AgentState {
  const support = wholeSupportOf(agent);
  const folder = `${root}/state`;
  const { folder: from, beside = [] } = statePlaces(support, agent, around);
  const login = support.login === undefined ? [] : [`${from}/${support.login}`];
  refuseSecrets(agent, [...support.copied.map((name) => `${from}/${name}`), ...login, ...beside], around);
  return {
    env: {
      ...support.env,
      [support.state.variable]: folder,
      ...(support.temporary === undefined ? {} : { [support.temporary]: `${root}/tmp` }),
    },
    writable: [root, ...login.flatMap((path) => realFileOf(path) ?? [])],
    temporary: `${root}/tmp`,
    variables: support.variables,
  };
}

/** What is hidden inside comes in by no pack of a configuration that does not name the agent whose it is. */
function refuseSecrets(
  { provider: { id, isOfConfig = false, whole } }: WholeAgent,
  paths: readonly string[],
  { env }: Surroundings,
) {
  const home = realFileOf(env["HOME"] ?? "/") ?? "/";
  const isOwnWord = isOfConfig && typeof whole !== "string";
  const secret = paths.find((path) => isOwnWord && isSecret(relative(home, realFileOf(path) ?? resolve(path))));
  if (secret === undefined) return;
  throw new UsageError(
    `Cannot put ${id} into the sandbox: its pack takes ${secret} inside, which may hold a key or a login`,
  );
}

/**
 * Makes an agent's copy anew, without what its sessions have left there.
 *
 * @param around.clone where it works in one
 */
export async function copyState(
  root: string,
  agent: WholeAgent,
  around: Surroundings & {
    readonly clone?: CloneFolders;
    /** The session that it continues, in a folder. */
    readonly adopts?: { readonly session: OwnSession; readonly cwd: string };
  },
): Promise<void> {
  const support = wholeSupportOf(agent);
  const { folder: from, beside } = statePlaces(support, agent, around);
  const to = `${root}/state`;
  makeOwnFolder(root);
  for (const folder of [to, `${root}/tmp`]) {
    clearWay(root, folder);
    makeOwnFolder(folder);
  }
  for (const name of [...support.copied, support.beside, support.login]) {
    if (name === undefined) continue;
    clearWay(root, `${to}/${name}`);
    await removeTree(`${to}/${name}`).catch(() => {});
  }
  for (const name of support.copied) await copyOver(`${from}/${name}`, `${to}/${name}`);
  if (beside !== undefined && support.beside !== undefined) await copyOver(beside[0], `${to}/${support.beside}`);
  if (support.login !== undefined) {
    await shareLogin(`${from}/${support.login}`, `${to}/${support.login}`);
  }
  if (around.adopts !== undefined && support.sessions !== undefined) {
    const { cwd, session } = around.adopts;
    const path = `${to}/${support.sessions.pathOf(session, cwd)}`;
    // What the agent has made of it stays; a link could lead to what is hidden inside.
    const isOwn = lstatOrUndefined(session.file)?.isFile === true;
    if (isOwn && lstatOrUndefined(path) === undefined) await copyOver(session.file, path);
  }
  await support.adapt?.(to);
  if (around.clone !== undefined) await support.trustClone?.(to, around.clone);
}

/** An agent may have put links, or files, where the folders of its copy were: from the top, or one would be followed. */
function clearWay(root: string, path: string): void {
  let at = root;
  for (const name of relative(root, path).split("/")) {
    at = `${at}/${name}`;
    if (lstatOrUndefined(at)?.isDirectory === false) Deno.removeSync(at);
  }
}

async function shareLogin(from: string, link: string): Promise<void> {
  await Deno.mkdir(dirname(link), { recursive: true, mode: 0o700 });
  const login = realFileOf(from);
  if (login !== undefined) await Deno.symlink(login, link);
}

function realFileOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}

async function copyOver(from: string, to: string): Promise<void> {
  try {
    const real = await Deno.realPath(from);
    await Deno.mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await copy(real, to);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}
