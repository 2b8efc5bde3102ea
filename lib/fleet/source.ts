import { RuntimeError } from "../base/errors.ts";
import { systemProcessRunner, UNASKED } from "../base/ports/process.ts";
import { withoutRepository } from "../base/ports/git.ts";
import { lastLines } from "../base/text/lines.ts";
import type { Fleet } from "./connect.ts";
import type { Job } from "./job.ts";
import { getObject } from "./objects.ts";
import { takeBundle } from "./tree.ts";

const LIMIT_MS = 10 * 60_000;

/**
 * Brings what a job begins with into its store: from the bundle that came with it, or from an address, which the worker
 * reaches with its own person's settings of git.
 *
 * @throws {RuntimeError} with git's own words
 */
export async function fetchSource(
  fleet: Pick<Fleet, "manager" | "objects">,
  { job: { commit, source }, store, signal }: {
    readonly job: Job;
    readonly store: string;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  if (source.bundle !== undefined) {
    await takeBundle(await getObject(fleet, source.bundle), { commit, store, signal });
    return;
  }
  const { url = "" } = source;
  const refs = "+refs/heads/*:refs/brought/*";
  const { code, stderr } = await systemProcessRunner.run({
    argv: ["git", "-C", store, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--", url, refs],
    env: { ...withoutRepository(), ...UNASKED, GIT_TERMINAL_PROMPT: "0", GIT_ALLOW_PROTOCOL: "https:ssh:file" },
    clearEnv: true,
    timeoutMs: LIMIT_MS,
    signal,
  });
  if (code !== 0) throw new RuntimeError(`Cannot fetch ${url}: ${lastLines(stderr, 2).join("; ") || `code ${code}`}`);
  await takeCommit(store, { commit, signal });
}

async function takeCommit(
  store: string,
  { commit, signal }: { readonly commit: string; readonly signal: AbortSignal },
): Promise<void> {
  const argv = ["git", "-C", store, "update-ref", `refs/kept/${commit}`, commit] as const;
  const { code } = await systemProcessRunner.run({ argv, signal });
  if (code !== 0) throw new RuntimeError(`Cannot find commit ${commit.slice(0, 12)} in the repository of the job`);
}
