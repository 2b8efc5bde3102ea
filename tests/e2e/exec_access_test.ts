import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { present } from "../../lib/base/schema.ts";
import type { Step, Turn } from "../lab/steps.ts";
import { CAN_RUN } from "../support/can_run_sandbox.ts";
import type { CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { type CliProject, cliProject } from "./cli_project.ts";

const shell = (command: string): Step => ({ do: "shell", command });
const done: Step = { do: "say", text: "All done." };

/** A CLI, and how its model writes a file without a shell. */
interface Mode {
  readonly name: string;
  readonly provider: CliName;
  readonly version?: string;
  readonly model?: string;
  readonly write: (path: string) => Step;
}

const addFile = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+text\n*** End Patch`;

const CODEX_PLAIN: Mode = {
  name: "Codex with plain tools",
  provider: "codex",
  model: "gpt-5.5",
  write: (path) => ({ do: "call", tool: "apply_patch", input: addFile(path) }),
};

const MODES: readonly Mode[] = [
  {
    name: "Codex in code mode",
    provider: "codex",
    write: (path) => {
      const input = `text(JSON.stringify(await tools.apply_patch(${JSON.stringify(addFile(path))})));`;
      return { do: "call", tool: "exec", input };
    },
  },
  CODEX_PLAIN,
  {
    name: "Claude Code",
    provider: "claude_code",
    write: (path) => ({ do: "call", tool: "Write", input: { file_path: path, content: "text\n" } }),
  },
];

interface AccessProject extends CliProject {
  exists(path: string): Promise<boolean>;
  /** What the CLI has reported and recorded of the only attempt. */
  records(): Promise<string>;
}

/** A git repository with one step that may write to src/ only. */
async function accessProject(
  { provider, version, model }: Mode,
  { respond, settings = {} }: {
    readonly respond: (project: string) => Turn;
    readonly settings?: Readonly<Record<string, unknown>>;
  },
): Promise<AccessProject> {
  const step = { name: "build", prompt: "self", check: { type: "none" }, file_access: { allow_write: ["src/**"] } };
  const args = provider === "codex" ? [] : ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"];
  const project = await cliProject({
    provider,
    ...present({ version }),
    codex: present({ model }),
    isRepository: true,
    respond: (_request, sandbox) => respond(sandbox.project),
    files: { "task.md": "Do it.\n" },
  });
  // By its own path, which tells its version.
  const main = [{ ...step, command: project.cli, args }];
  await project.configure({ provider, pipelines: { main }, ...settings });
  const folder = project.sandbox.project;
  await Deno.mkdir(`${folder}/src`);
  return {
    ...project,
    exists: (path) => exists(`${folder}/${path}`),
    async records() {
      const attempt = `${folder}/.panewright/runs/${project.runId()}/steps/01-build/attempt-1`;
      const files = ["raw.ndjson", "session.ndjson"].map((name) => Deno.readTextFile(`${attempt}/${name}`));
      return (await Promise.all(files.map((file) => file.catch(() => "")))).join("\n");
    },
  };
}

/** Ways to write elsewhere than in src/ that a command's text does not tell. */
const TRICKS = [
  'at=$(pwd); echo x > "$at/hidden.txt"; echo "*" > "$at/.gitignore"; echo KEY=1 > "$at/.env"',
  'git init --quiet --template= "$at/vendor/lib"; echo x > "$at/vendor/lib/x.ts"',
  'git add task.md; git update-index --skip-worktree task.md; echo x > "$at/task.md"',
  'mkdir -p "$at/.git/hooks"; echo x > "$at/.git/hooks/pre-commit"',
  "git config core.bare true",
];

for (const mode of MODES) {
  Deno.test(`exec, ${mode.name}: what a step may not write is refused before it is written, and the agent is told why`, async () => {
    await using project = await accessProject(mode, {
      respond: (folder) => [
        mode.write(`${folder}/other.txt`),
        mode.write(`${folder}/../elsewhere.txt`),
        shell("echo x > shell.txt"),
        shell(`cd src && touch ../touched.txt; echo x > ${folder}/../elsewhere.txt`),
        mode.write(`${folder}/src/tool.txt`),
        shell("echo x > src/shell.txt && ls > /dev/null"),
        done,
      ],
    });
    const { code, stdout, stderr } = await project.run("exec", "task.md", "--json");
    assertEquals(code, 0, stdout + stderr);
    const refused = ["other.txt", "../elsewhere.txt", "shell.txt", "touched.txt"];
    assertEquals(await Promise.all(refused.map(project.exists)), refused.map(() => false));
    assertEquals(await Promise.all(["src/tool.txt", "src/shell.txt"].map(project.exists)), [true, true]);
    const told = await project.records();
    for (const name of ["other.txt", "elsewhere.txt", "shell.txt", "touched.txt"]) {
      assertMatch(
        told,
        new RegExp(`This step may write to these files only: src/\\*\\*\\. \\S*${name} is not among them`),
      );
    }
    const [changed] = parseEvents(stdout).filter(({ type }) => type === "files_changed");
    assertEquals(changed?.files, ["src/shell.txt", "src/tool.txt"]);
  });

  Deno.test(`exec, ${mode.name}: what its shell writes and its text does not tell is found after the step`, async () => {
    await using project = await accessProject(mode, { respond: () => [shell(TRICKS.join("; ")), done] });
    const { code, stdout, stderr } = await project.run("exec", "task.md", "--json");
    assertEquals(code, 1, stdout + stderr);
    const [checked] = parseEvents(stdout).filter(({ type }) => type === "writes_checked");
    assertEquals(checked?.outside, [
      ".env",
      ".git/config",
      ".git/hooks/pre-commit",
      ".gitignore",
      "hidden.txt",
      "task.md",
      "vendor/lib/.git/HEAD",
      "vendor/lib/.git/config",
      "vendor/lib/x.ts",
    ]);
  });
}

for (const [where, isKept] of [["which is there", true], ["which is not there", false]] as const) {
  Deno.test({
    name: `exec, Codex in its sandbox, with a folder of allow_write ${where}: what its commands may write, and an ask`,
    ignore: !CAN_RUN.codex,
    async fn() {
      await using project = await accessProject(MODES[0]!, {
        settings: { sandbox: "cli" },
        respond: () => [
          shell('f=hidden; echo x > "$f.txt"; mkdir -p src; echo x > src/in.txt; echo x > $HOME/out.txt'),
          shell('panewright ask "Is this $((40 + 2))?"'),
          done,
        ],
      });
      if (!isKept) await Deno.remove(`${project.sandbox.project}/src`);
      const { code, stdout, stderr } = await project.run("exec", "task.md");
      assertEquals(code, 3, stdout + stderr);
      assertStringIncludes(stdout, "Is this 42?");
      const files = ["src/in.txt", "hidden.txt", "../home/out.txt"];
      assertEquals(await Promise.all(files.map(project.exists)), [true, !isKept, false]);
    },
  });
}

Deno.test("exec, Codex without such hooks: that nothing is refused is told, and what was written is found", async () => {
  const mode: Mode = { ...CODEX_PLAIN, version: "0.53.0" };
  await using project = await accessProject(mode, { respond: () => [shell("echo x > other.txt"), done] });
  const { code, stdout, stderr } = await project.run("exec", "task.md");
  assertEquals(code, 1, stdout + stderr);
  assertStringIncludes(stderr, "file_access is not enforced for codex 0.53.0, only from 0.130.0 on");
  assertStringIncludes(stderr, "the CLI runs no hook for its tools");
  assertStringIncludes(stderr, "1 file changed outside of allow_write: other.txt");
});
