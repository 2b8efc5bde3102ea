import { basename } from "@std/path/posix";
import { RuntimeError, UsageError } from "../../base/errors.ts";
import { withoutRepository } from "../../base/ports/git.ts";
import { type CommandSpec, systemProcessRunner, UNASKED } from "../../base/ports/process.ts";
import { present } from "../../base/schema.ts";
import { lastLines } from "../../base/text/lines.ts";
import { findProgram } from "../../run/programs.ts";
import type { Workspace } from "../../workspace/workspace.ts";

export interface ForgeOptions {
  /** The request's branch. */
  readonly branch: string;
  readonly remote: string;
  readonly signal: AbortSignal;
  readonly env: (name: string) => string | undefined;
  /** Whether nobody is there who could be asked for a passphrase. @default {false} */
  readonly isUnattended?: boolean;
  /** What cannot be done without it. @default {"deliver NAME"} */
  readonly what?: string;
}

/** The person's own program for the forge that a remote is at, with their login. */
export interface Forge {
  readonly kind: "gh" | "glab";
  /** What it says; it throws in its words where it fails. */
  call(args: readonly string[], stdin?: string): Promise<string>;
  git(args: readonly string[]): Promise<string>;
}

/** @throws {UsageError} where there is no such remote or program */
export function findForge(
  { name, top }: Pick<Workspace, "name" | "top">,
  { branch, env, isUnattended = false, remote, signal, what: given }: ForgeOptions,
): Promise<Forge> {
  const what = given ?? `deliver ${name}`;
  const run = (argv: readonly [string, ...string[]], stdin?: string) =>
    call({ argv, cwd: top, signal, env: isUnattended ? UNASKED : {}, ...present({ stdin }) }, given ?? "deliver it");
  const git = (args: readonly string[]) => run(["git", ...args]);
  return git(["remote", "get-url", remote]).then((address) => {
    const kind = /gitlab/i.test(address) ? "glab" : "gh";
    const program = findProgram(kind, { folder: top, searchPath: env("PATH") ?? "" });
    if (program === undefined) {
      throw new UsageError(`Cannot ${what}: there is no program "${kind}" on PATH, which opens the request`, {
        hint:
          `Install it and log in (${kind} auth login), or make a branch only: panewright apply ${name} --branch ${branch}`,
      });
    }
    return { kind, git, call: (args, stdin) => run([program, ...args], stdin) };
  }, () => {
    throw new UsageError(`Cannot ${what}: the repository has no remote "${remote}"`, {
      hint: `Name one with --remote, or make a branch only: panewright apply ${name} --branch ${branch}`,
    });
  });
}

/** Calls a program of the person's with what they have: their login, their hooks. */
async function call({ argv, env, ...spec }: CommandSpec, what: string): Promise<string> {
  const own = { ...withoutRepository(), ...env, GIT_TERMINAL_PROMPT: "0" };
  const { code, stderr, stdout } = await systemProcessRunner.run({ ...spec, argv, clearEnv: true, env: own });
  if (code === 0) return stdout.trim();
  const [program, verb] = [basename(argv[0]), argv[1]];
  const words = lastLines(stderr === "" ? stdout : stderr, 5).join("\n");
  throw new RuntimeError(`Cannot ${what}: ${program} ${verb} has failed (exit code ${code})`, { hint: words });
}
