import { present } from "../../base/schema.ts";
import type { TypedInput, TypedInputTrial } from "../typed_input.ts";
import { findNativeCodex } from "./program.ts";

const FEATURE = "unified_exec_tty";

/**
 * The setting (`-c`) with which no command gets a terminal, without which nothing can be typed into it (0.169.0). Only
 * the CLI's own `--enable` goes before it; a version that does not know it passes over it.
 */
export const NO_TERMINALS = `features.${FEATURE}=false`;

const TRIAL_MS = 60_000;

export const codexTypedInput: TypedInput = { findProblem: findTerminals };

/** The list of features has what comes of all settings. */
async function findTerminals(
  { launch: { args = [], command, env, workdir }, host, processRunner, signal }: TypedInputTrial,
): Promise<string | undefined> {
  const enabling = args.find((arg) => arg.includes(FEATURE));
  if (enabling !== undefined) return `its argument ${enabling} gives them terminals`;
  const [program, ...leading] = command ?? [findNativeCodex(host) ?? "codex"];
  const { stdout } = await processRunner.run({
    argv: [program, ...leading, "-c", NO_TERMINALS, "features", "list"],
    ...{ cwd: workdir, timeoutMs: TRIAL_MS },
    ...present({ env, signal }),
  });
  const [state] = stdout.split("\n").flatMap((line) =>
    new RegExp(`^${FEATURE}\\s.*\\s(\\w+)\\s*$`).exec(line)?.[1] ?? []
  );
  if (state === undefined) return "this version has no setting that keeps terminals from them";
  return state === "false" ? undefined : "its settings give them terminals";
}
