import * as z from "zod";
import { SANDBOX_MODES } from "../base/terms.ts";
import { DELIVERIES } from "../run/plan.ts";
import { hostProblem } from "../sandbox/hosts.ts";
import type { ShapedSlice } from "./shapes.ts";

const host = () =>
  z.string().superRefine((text, context) => {
    const problem = hostProblem(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: `must name a host: ${problem}` });
  });

const UNITS = ["MB", "GB", "TB"] as const;

const DISK_SIZE = new RegExp(String.raw`^\d{1,6}(?:\.\d{1,3})? ?(?:${UNITS.join("|")})$`);

/** How many bytes `20GB` are. */
export function bytesOfSize(size: string): number {
  const unit = UNITS.findIndex((one) => size.endsWith(one));
  return Number.parseFloat(size) * 1024 ** (unit + 2);
}

const patterns = () => z.array(z.string().regex(/^[^\n\0]+$/, "must be a pattern in one line"));
const paths = () => z.array(z.string().regex(/^(?!\/|~|(?:.*\/)?\.\.(?:\/|$)).+$/s, "must be a path in the folder"));

/** Where runs work, and what a workspace has besides the files of its commit. */
export const WORKSPACE_SETTINGS = {
  isolation: {
    names: { key: "isolation", env: "PANEWRIGHT_ISOLATION" },
    value: { kind: "choice", of: ["none", "workspace"], default: "none" },
    description:
      "`workspace`: new runs work in a clone of the repository, apart from your checkout, until you `panewright apply` what came " +
      "of it. `none`: in the working directory itself.",
  },
  deliver: {
    names: { key: "deliver", env: "PANEWRIGHT_DELIVER" },
    value: { kind: "choice", of: DELIVERIES, default: "leave" },
    description:
      "What is done with the work of a run in a workspace once it has passed: `leave` it there; a `branch` of yours, named by the " +
      "workspace; a `commit` on the branch that is checked out, which moves only where nothing of yours is overwritten; or a " +
      "`pull_request` by your `gh` or `glab`. The commit is in your name.",
  },
  share: {
    names: { key: "workspace.share" },
    value: { kind: "shape", schema: patterns, must: "an array of patterns as in .gitignore" },
    description:
      "What git ignores and each workspace gets a copy of from your checkout, as patterns of `.gitignore`. What the repository's " +
      "`.worktreeinclude` names is brought as well. Without it, `node_modules/` where there is no `workspace.setup`.",
    example: ["node_modules/", ".env.test"],
  },
  maxDisk: {
    names: { key: "workspace.max_disk" },
    value: {
      kind: "text",
      pattern: DISK_SIZE,
      must: 'a size such as "20GB"',
    },
    description:
      "How much all workspaces of this person may take on the disk, with what they borrow from. From four fifths of it on you are " +
      "told; beyond it no other one is made. Without it there is no limit.",
    example: "20GB",
  },
  setup: {
    names: { key: "workspace.setup" },
    value: { kind: "command" },
    description:
      "Runs once in each new workspace, before its agents and before the checks of a merge: what installs dependencies.",
    example: "npm ci",
  },
  setupFiles: {
    names: { key: "workspace.setup_files" },
    value: { kind: "shape", schema: paths, must: "an array of paths", default: [] },
    description:
      "The files that `workspace.setup` depends on: while they are the same, what it has made (what git ignores) is copied " +
      "instead of made again.",
    example: ["package-lock.json"],
  },
  setupSeconds: {
    names: { key: "workspace.setup_seconds" },
    value: { kind: "seconds", above: 0, default: 600 },
    description: "How many seconds `workspace.setup` may take.",
  },
} as const satisfies ShapedSlice;

/** What holds agents where they work. */
export const SANDBOX_SETTINGS = {
  sandbox: {
    names: { key: "sandbox", env: "PANEWRIGHT_SANDBOX" },
    value: { kind: "choice", of: SANDBOX_MODES, default: "off" },
    description:
      "`agent`: the operating system holds each agent, the test command and checks in a sandbox: they write to the working " +
      "directory and to `permissions.writable`, read no secrets of the home, and reach the hosts of their models and of " +
      "`sandbox_network` alone. `commands` (or `cli`): each agent runs in the sandbox that its own CLI brings, and is refused " +
      "where that cannot be read back: commands write to the same folders, and have no network. `auto`: `agent` where the " +
      "machine can, else `commands`.",
  },
  sandboxNetwork: {
    names: { key: "sandbox_network" },
    value: { kind: "shape", schema: () => z.array(host()), must: "an array of hosts", default: [] },
    description:
      "Hosts that agents reach from the sandbox around them, besides those of their models: names, with a port " +
      "or with `*.` before them, such as those that your package manager installs from.",
    example: ["packages.example.org", "*.files.example.org:443"],
  },
  sandboxEnv: {
    names: { key: "sandbox_env" },
    value: {
      kind: "shape",
      schema: () => z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, "must be the name of a variable")),
      must: "an array of names of variables",
      default: [],
    },
    description:
      "Variables that agents get in the sandbox around them, besides those that programs and their CLI need.",
    example: ["DATABASE_URL"],
  },
} as const satisfies ShapedSlice;

export { EVIDENCE_SETTINGS } from "../evidence/settings.ts";

/** Which files are tests, and which ones agents never see. */
export const TEST_FILE_SETTINGS = {
  tests: {
    names: { key: "evidence.tests" },
    value: { kind: "shape", schema: patterns, must: "an array of globs", default: [] },
    description:
      "Which files are tests, as globs below the top of the repository (`**` for any folders), in place of the names by which " +
      "common runners find them.",
    example: ["checks/**/*.lua"],
  },
  hidden: {
    names: { key: "evidence.hidden" },
    value: { kind: "shape", schema: patterns, must: "an array of patterns as in .gitignore", default: [] },
    description:
      "Tests that agents never see, as patterns of `.gitignore`: files of your checkout that git ignores. They are put into a " +
      "fresh checkout of the result, where the checks, or `evidence.hidden_cmd`, must pass.",
    example: ["acceptance/"],
  },
} as const satisfies ShapedSlice;
