import { type CommandResult, type CommandSpec, type ProcessRunner, systemProcessRunner } from "./process.ts";

/**
 * What a tree's own configuration could have git run, switched off: only what is asked here runs. Filters have names
 * of the tree's choice, and cannot be: nothing that would run one (`add`, `status`, `diff` of a working tree,
 * `hash-object` with filters) is asked this way.
 */
const NOTHING_RUNS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.editor=false",
  "core.askPass=false",
  "core.sshCommand=false",
  "core.attributesFile=/dev/null",
  "credential.helper=",
  "gpg.program=false",
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
];

/** What a person likes to see, or has git refuse or store in another way, and what we could not read or write. */
const AS_GIT_COMES = [
  "core.safecrlf=false",
  "core.splitIndex=false",
  "diff.context=3",
  "diff.dstPrefix=b/",
  "diff.ignoreSubmodules=none",
  "diff.interHunkContext=0",
  "diff.mnemonicPrefix=false",
  "diff.noPrefix=false",
  "diff.orderFile=/dev/null",
  "diff.relative=false",
  "diff.srcPrefix=a/",
  "diff.submodule=short",
];

const SETTINGS = [...NOTHING_RUNS, ...AS_GIT_COMES].flatMap((setting) => ["-c", setting]);

/** In a partial clone, git would fetch what is missing with a command that the configuration names. */
const NO_FETCH = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };
/** Also, a commit is what its name says, whatever is to be shown in its place. */
const QUIET = { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_REPLACE_OBJECTS: "1", ...NO_FETCH };

/** Where a person's own settings are: by these git may know that a repository is theirs. */
const OWN_SETTINGS = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)$/;

/** What leads git to another repository than that of its folder: git sets some of it for its hooks. */
const LEADING_VARIABLE =
  /^GIT_(?:(?:COMMON_)?DIR|WORK_TREE|INDEX_FILE|(?:ALTERNATE_)?OBJECT_DIRECTOR(?:Y|IES)|NAMESPACE|PREFIX|CEILING_DIRECTORIES)$/;

type GitSpec = Omit<CommandSpec, "argv" | "clearEnv">;

/** Runs git in a tree that anybody may have written, so that nothing which that tree configures is run. */
export async function runGit(
  args: readonly string[],
  { env = {}, ...spec }: GitSpec,
  processRunner: ProcessRunner = systemProcessRunner,
): Promise<CommandResult> {
  const own = Object.entries(Deno.env.toObject()).filter(([name]) => !/^GIT_/.test(name) || OWN_SETTINGS.test(name));
  return await processRunner.run({
    ...spec,
    argv: ["git", "--no-pager", ...SETTINGS, ...args],
    env: { ...Object.fromEntries(own), ...QUIET, ...env },
    clearEnv: true,
  });
}

/** Our environment without what leads git to another repository than that of its folder. */
export function withoutRepository(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => !LEADING_VARIABLE.test(name)));
}
