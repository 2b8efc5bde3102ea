import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { runGit } from "../../../lib/base/ports/git.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { filesChangedSince, leaveChangesIn, noteFilesIn, readFilesNote } from "../../../lib/jobs/files/changes.ts";
import { fingerprintFiles } from "../../../lib/jobs/files/fingerprint.ts";
import { gitActs } from "../../../lib/jobs/files/git_acts.ts";
import { UntoldError } from "../../../lib/jobs/files/list.ts";
import { postProcess } from "../../../lib/jobs/review_loop/post_process.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

interface Tree {
  readonly dir: TempDir;
  /** The repository. */
  readonly repo: string;
  /** A program that leaves a mark. */
  readonly evil: string;
  git(...args: readonly string[]): Promise<void>;
  set(key: string, value: string): Promise<void>;
  write(name: string, text: string): Promise<void>;
}

interface Way {
  readonly name: string;
  /** What an agent does with the tree. */
  readonly attack: (tree: Tree) => Promise<void>;
  /** What runs it where git is not kept from it, to show that it is one. */
  readonly plain: readonly (readonly string[])[];
}

const STATUS = [["status"]];
const COMMIT = [["add", "--all"], ["commit", "-qm", "x"]];

const WAYS: readonly Way[] = [
  {
    name: "hooks",
    plain: COMMIT,
    async attack({ repo, evil }) {
      for (const hook of ["pre-commit", "post-index-change", "post-commit", "reference-transaction"]) {
        await Deno.symlink(evil, `${repo}/.git/hooks/${hook}`);
      }
    },
  },
  {
    name: "a folder of hooks",
    plain: COMMIT,
    attack: async ({ set, repo, evil }) => {
      await Deno.mkdir(`${repo}/h`);
      await Deno.symlink(evil, `${repo}/h/pre-commit`);
      await set("core.hooksPath", "h");
    },
  },
  ...["clean", "smudge", "process"].map((kind): Way => ({
    name: `a filter: ${kind}`,
    plain: kind === "smudge" ? [["checkout", "-f", "HEAD", "--", "."]] : COMMIT,
    async attack({ set, write, evil, repo }) {
      await write(".gitattributes", "* filter=evil\n");
      await set(`filter.evil.${kind}`, evil);
      if (kind === "smudge") await Deno.remove(`${repo}/a.txt`);
    },
  })),
  {
    name: "textconv",
    plain: [["diff"]],
    attack: async ({ set, write, evil }) => {
      await write(".git/info/attributes", "* diff=evil\n");
      await set("diff.evil.textconv", evil);
    },
  },
  { name: "diff.external", plain: [["diff"]], attack: ({ set, evil }) => set("diff.external", evil) },
  { name: "fsmonitor", plain: STATUS, attack: ({ set, evil }) => set("core.fsmonitor", evil) },
  {
    name: "commondir",
    plain: STATUS,
    attack: async ({ repo, dir, write, evil }) => {
      await copyGit(`${repo}/.git`, `${dir.path}/other.git`);
      await runGit(["config", "-f", `${dir.path}/other.git/config`, "core.fsmonitor", evil], { cwd: repo });
      await write(".git/commondir", `${dir.path}/other.git\n`);
    },
  },
  {
    name: "gitdir",
    plain: STATUS,
    attack: async ({ repo, dir, write, evil }) => {
      await Deno.rename(`${repo}/.git`, `${dir.path}/moved.git`);
      await runGit(["config", "-f", `${dir.path}/moved.git/config`, "core.fsmonitor", evil], { cwd: dir.path });
      await write(".git", `gitdir: ${dir.path}/moved.git\n`);
    },
  },
  {
    name: "an include",
    plain: STATUS,
    attack: async ({ set, write, evil }) => {
      await write("inc", `[core]\n\tfsmonitor = ${evil}\n`);
      await set("include.path", "../inc");
    },
  },
  {
    name: "core.worktree",
    plain: STATUS,
    attack: async ({ set, dir, evil }) => {
      await Deno.mkdir(`${dir.path}/elsewhere`);
      await set("core.fsmonitor", evil);
      await set("core.worktree", `${dir.path}/elsewhere`);
    },
  },
  { name: "core.editor", plain: [["commit", "--amend"]], attack: ({ set, evil }) => set("core.editor", evil) },
  {
    name: "gpg.program",
    plain: COMMIT,
    attack: async ({ set, evil }) => {
      await set("gpg.program", evil);
      await set("commit.gpgSign", "true");
    },
  },
  {
    name: "sshCommand of a partial clone",
    plain: [["fetch", "origin"]],
    attack: async ({ set, evil }) => {
      await set("core.sshCommand", evil);
      await set("remote.origin.url", "ssh://127.0.0.1:1/x");
      await set("remote.origin.promisor", "true");
      await set("extensions.partialClone", "origin");
      await set("core.repositoryFormatVersion", "1");
    },
  },
  {
    name: "credential.helper",
    plain: [["credential", "fill"]],
    attack: ({ set, evil }) => set("credential.helper", `!${evil}`),
  },
  {
    name: "the settings of a submodule",
    plain: STATUS,
    attack: async ({ git, repo, evil }) => {
      await git("init", "-q", "sub");
      await git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "s");
      await git("add", "sub");
      await git("-C", "sub", "config", "core.fsmonitor", evil);
      await Deno.writeTextFile(`${repo}/sub/x`, "");
      await git("-C", "sub", "-c", "core.fsmonitor=false", "add", "x");
    },
  },
];

async function copyGit(from: string, to: string): Promise<void> {
  const { code } = await systemProcessRunner.run({ argv: ["cp", "-r", from, to] });
  assertEquals(code, 0);
}

async function tree(): Promise<Tree & AsyncDisposable> {
  const dir = await tempDir();
  const repo = `${dir.path}/repo`;
  await dir.write({ "repo/a.txt": "1\n", "repo/b.txt": "1\n", "run/.keep": "", "home/.keep": "" });
  const evil = `${dir.path}/evil.sh`;
  await Deno.writeTextFile(evil, `#!/bin/sh\necho "$0 $*" >> ${dir.path}/MARK\ncat 2>/dev/null\n`, { mode: 0o755 });
  const git = async (...args: readonly string[]) => {
    const { code, stderr } = await plainGit(dir, args);
    assertEquals(code, 0, `${args.join(" ")}: ${stderr}`);
  };
  const set = (key: string, value: string) => git("config", key, value);
  const write = async (name: string, text: string) => await Deno.writeTextFile(`${repo}/${name}`, text);
  await git("init", "-q");
  await git("add", "--all");
  await git("commit", "-qm", "1");
  return { dir, repo, evil, git, set, write, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

/** git as anybody runs it, with nobody's own settings. */
async function plainGit({ path }: TempDir, args: readonly string[]) {
  const who = ["NAME=Test", "EMAIL=test@example.invalid"].flatMap((
    each,
  ) => [`GIT_AUTHOR_${each}`, `GIT_COMMITTER_${each}`]);
  return await systemProcessRunner.run({
    argv: ["git", ...args],
    cwd: `${path}/repo`,
    clearEnv: true,
    env: {
      ...Object.fromEntries(who.map((each) => each.split("=") as [string, string])),
      ...{ PATH: Deno.env.get("PATH") ?? "", HOME: `${path}/home`, GIT_TERMINAL_PROMPT: "0" },
    },
    stdin: "protocol=https\nhost=example.invalid\n\n",
    timeoutMs: 20_000,
  });
}

const unlessUntold = async (look: () => Promise<unknown>) => {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof UntoldError)) throw error;
  }
};

for (const { name, attack, plain } of WAYS) {
  Deno.test(`nothing that an agent leaves for git is run by us: ${name}`, async () => {
    await using made = await tree();
    const { dir, repo, write } = made;
    const mark = () => Deno.readTextFile(`${dir.path}/MARK`).catch(() => undefined);
    const place = { workdir: repo, folder: `${dir.path}/run`, signal: new AbortController().signal };
    const acts = await gitActs({ folder: repo });
    assertEquals(await gitActs({ folder: repo }), acts);
    const baseline = await noteFilesIn(place);
    await attack(made);
    await write("b.txt", "2\n");
    await Deno.remove(`${dir.path}/MARK`).catch(() => {});

    await unlessUntold(async () => {
      const note = await readFilesNote(place.folder, baseline);
      const changed = await filesChangedSince(note, place);
      await leaveChangesIn(place, { changed, note, redactor: createRedactor([]) });
    });
    await unlessUntold(() => noteFilesIn(place));
    await unlessUntold(() => fingerprintFiles({ workdir: repo, sinceMs: 0, except: [] }));
    await unlessUntold(() => gitActs({ folder: repo }));
    assertEquals(await mark(), undefined);

    const problems: string[] = [];
    await postProcess({ gitCommitMessage: "Done" }, {
      ...{ workdir: repo, acts, done: [] },
      onEnd: (_command, problem) => problems.push(problem ?? "none"),
    });
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, 'the post-processing: "git add --all"');
    assertEquals(await mark(), undefined, "git add or git commit ran it");

    for (const args of plain) await plainGit(dir, args);
    assert(await mark() !== undefined, "this way runs nothing in a plain git either: it shows nothing");
  });
}
