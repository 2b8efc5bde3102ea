import { errorText } from "../../base/text/error_text.ts";
import type { Provider } from "../../agents/provider.ts";
import { eventStreamText, type HookTrial, TRIAL_COMMANDS, type TrialWay } from "../../agents/hook_trial.ts";
import { hasRun, type Seen, type TrialOptions } from "./ground.ts";
import { playInPane } from "./pane_trial.ts";
import { playWithoutPane } from "./process_trial.ts";

/** What a trial has to show, in the order in which it is told. */
const ROWS = {
  allowed: "an allowed command runs without a dialog",
  asked: "an asked command is asked about before it runs",
  denied: "a denied command does not run",
  turns: "the turn is reported",
} as const;

export type TrialRow = keyof typeof ROWS;

export interface TrialReport {
  /** Why nothing could be seen; missing where something was. */
  readonly problem?: string;
  /** What did not hold, by rows of what a trial has to show. */
  readonly failed: readonly TrialRow[];
}

export const rowText = (row: TrialRow): string => ROWS[row];

/**
 * Tries a CLI's hooks with the flags of a run, in a home and a repository of its own, whose settings switch hooks off,
 * and with a model on loopback that has three commands run: one is allowed, one asked about, one denied.
 */
export async function tryHooks(
  { provider, trial }: { readonly provider: Provider; readonly trial: HookTrial },
  options: TrialOptions,
): Promise<TrialReport> {
  const { limitSeconds = 60, signal, way } = options;
  const limit = AbortSignal.timeout(limitSeconds * 1000);
  const seen: Seen = {
    ...{ told: false, taken: false, ended: false },
    ...{ heard: new Set<string>(), permission: new Set<string>(), ran: new Set<string>() },
  };
  let problem = `nothing came of it in ${limitSeconds} s`;
  try {
    await play({ provider, trial }, { ...options, seen, signal: AbortSignal.any([signal, limit]) });
    problem = "its model was not asked";
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) problem = errorText(error).split("\n")[0] ?? "";
  }
  if (!seen.told) return { problem, failed: [] };
  const { allowed, asked, denied } = TRIAL_COMMANDS;
  const asks = way === "pane" || trial.asksWithoutTerminal ? seen.permission : seen.heard;
  const holds: Record<TrialRow, boolean> = {
    allowed: asks.has(allowed) && seen.ran.has(allowed),
    asked: asks.has(asked) && !seen.ran.has(asked),
    denied: seen.heard.has(denied) && !seen.ran.has(denied),
    turns: way === "process" || (seen.taken && seen.ended),
  };
  return { failed: (Object.keys(ROWS) as TrialRow[]).filter((row) => !holds[row]) };
}

async function play(
  { provider, trial }: { readonly provider: Provider; readonly trial: HookTrial },
  options: TrialOptions & { readonly seen: Seen },
): Promise<void> {
  const { version, way, seen, searchPath } = options;
  await using stack = new AsyncDisposableStack();
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "panewright-trial-" }));
  stack.defer(() => Deno.remove(root, { recursive: true }).catch(() => {}));
  const at = { home: `${root}/home`, project: `${root}/project`, temporary: `${root}/tmp` };
  for (const folder of Object.values(at)) await Deno.mkdir(folder);
  const server = stack.use(serveModel({ trial, way, seen }));
  const own = await trial.prepare({ ...at, version, way, baseUrl: `http://127.0.0.1:${server.addr.port}` });
  const env = {
    ...{ HOME: at.home, PATH: searchPath, TERM: "tmux-256color", LANG: "C.UTF-8", TMPDIR: at.temporary },
    ...own,
  };
  const ground = { ...options, provider, trial, root, project: at.project, env };
  try {
    await (way === "pane" ? playInPane(ground) : playWithoutPane(ground));
  } finally {
    for (const command of Object.values(TRIAL_COMMANDS)) if (hasRun(at.project, command)) seen.ran.add(command);
  }
}

function serveModel(
  { trial, way, seen }: { readonly trial: HookTrial; readonly way: TrialWay; readonly seen: Seen },
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    if (request.method === "HEAD") return new Response(null);
    if (request.method !== "POST" || !trial.isModelPath(new URL(request.url).pathname)) {
      return Response.json({ data: [] });
    }
    const { events, asksForCommand } = trial.answer(await request.json(), way);
    seen.told ||= asksForCommand;
    return new Response(eventStreamText(events), { headers: { "content-type": "text/event-stream" } });
  });
}
