import { removeTree } from "../../base/ports/own_files.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { agentsFolderOf } from "../../run/state_names.ts";
import { STATE_FOLDER_HINT, stateFolder } from "../../base/ports/state_folder.ts";
import { PanewrightError, UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { openWholeSandbox } from "../../jobs/whole_sandbox.ts";
import { ESCAPES } from "../../sandbox/escapes.ts";
import { setEscapeStage, type Tried } from "../../sandbox/try_escapes.ts";
import type { Finding } from "../preflight/finding.ts";

const CHECK = "sandbox";

/** Opens the sandbox around agents, and tries from inside each known way out. */
export async function* findEscapes(
  { env, signal }: { readonly env: (name: string) => string | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Finding> {
  try {
    yield* tryAll({ home: env("HOME") ?? "/", signal });
  } catch (error) {
    if (!(error instanceof PanewrightError)) throw error;
    yield { check: CHECK, status: "fail", detail: error.message, ...present({ remedy: error.hint }) };
  }
}

async function* tryAll({ home, signal }: { readonly home: string; readonly signal: AbortSignal }) {
  const [state, clock] = [stateFolder(), systemClock];
  if (state === undefined) {
    throw new UsageError("Cannot try the sandbox: there is no folder for what it needs", { hint: STATE_FOLDER_HINT });
  }
  await using stage = await setEscapeStage({ home, state, clock, signal });
  const { workdir } = stage;
  const name = `look-${crypto.randomUUID().slice(0, 8)}`;
  await using _folder = {
    [Symbol.asyncDispose]: () => removeTree(agentsFolderOf(name) ?? "").catch(() => {}),
  };
  await using open = await openWholeSandbox(new Map(), {
    ...{ workdir, name, clock, signal, writable: [], whole: { network: [], variables: [] } },
    folder: { path: `${workdir}/.panewright` },
    onRefusal: () => {},
    onGone: () => {},
  });
  if ("notOpened" in open) throw new TypeError("A sandbox that is asked for by name has nothing in its place");
  const counts = { held: 0, not_held: 0, limit: 0, untried: 0 };
  for (const escape of ESCAPES) {
    const tried = await stage.attempt(escape, {
      confine: async (argv) => (await open.commands.confine({ argv, env: {}, cwd: workdir }, signal)).argv,
      onEnd: () => open.disarmGit("command"),
    });
    counts[tried.outcome]++;
    yield findingOf(tried);
  }
  const { held, not_held: out, limit, untried } = counts;
  const detail =
    `${held} ways out held, ${out} not held, ${limit} known not to be held, ${untried} cannot be tried here`;
  yield out === 0 ? { check: CHECK, status: "ok", detail } as const : {
    ...{ check: CHECK, status: "fail", detail } as const,
    remedy: "Do not rely on the sandbox on this machine, and report what is not held.",
  };
}

function findingOf({ name, outcome, detail = "" }: Tried): Finding {
  const check = `${CHECK}: ${name}`;
  switch (outcome) {
    case "held":
      return { check, status: "ok", detail: "held" };
    case "untried":
      return { check, status: "ok", detail: `cannot be tried here: ${detail}` };
    case "limit":
      return { check, status: "warn", detail: "not held, as is known", remedy: capitalized(detail) };
    case "not_held":
      return {
        ...{ check, status: "fail", detail: `not held: ${detail}` } as const,
        remedy: "A program in the sandbox gets out here.",
      };
  }
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
