import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TextLineStream } from "@std/streams";
import type { RunFolder } from "../../lib/run/run_folder.ts";
import { agentReady, reviewStarted, writeRun } from "../support/run_folders.ts";
import { cleanEnvironment, panewrightArgv } from "../support/run_panewright.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

/** Only a command that hangs takes this long: it is killed, and the test fails. */
const WATCHDOG_MS = 120_000;

const ID = "20261120-072605-3fa9";

interface Called {
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Driver extends AsyncDisposable {
  /** Calls command lines one after the other. */
  callAll(cwd: string, commands: readonly (readonly string[])[]): Promise<readonly Called[]>;
}

/** A program of its own that calls command lines, and is killed when one of them hangs. */
function startDriver(): Driver {
  const [deno, ...rest] = panewrightArgv(["--permission-set=tests"]);
  const driver = new URL("../support/hostile_run_driver.ts", import.meta.url).pathname;
  const child = new Deno.Command(deno, {
    args: [...rest.slice(0, -1), driver],
    clearEnv: true,
    env: cleanEnvironment(),
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream()).getReader();
  return {
    async callAll(cwd, commands) {
      const called: Called[] = [];
      for (const args of commands) {
        const watchdog = setTimeout(() => child.kill("SIGKILL"), WATCHDOG_MS);
        try {
          await input.write(new TextEncoder().encode(`${JSON.stringify({ cwd, args })}\n`));
          const { value } = await lines.read();
          assert(value !== undefined, `hung, or ended: ${args.join(" ")}`);
          called.push(JSON.parse(value));
        } finally {
          clearTimeout(watchdog);
        }
      }
      return called;
    },
    async [Symbol.asyncDispose]() {
      await input.close().catch(() => {});
      await lines.cancel();
      await child.status;
    },
  };
}

const RUN_COMMANDS = [
  ["status", ID],
  ["runs"],
  ["logs", ID],
  ["logs", ID, "--follow"],
  ["resume", ID],
  ["answer", ID, "yes"],
  ["questions"],
  ["attach", ID, "--print"],
  ["stop", ID],
  ["audit", "show", ID],
  ["audit", "verify", ID],
  ["clean", "--older-than", "0h", "--keep", "0", "--all"],
  ["status"],
];

const FILES = ["journalPath", "auditPath", "lockPath"] as const;

async function fifo(path: string): Promise<void> {
  await Deno.remove(path).catch(() => {});
  const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
  assert(success);
}

async function link(to: string, path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch(() => {});
  await Deno.symlink(to, path);
}

const HOSTILE: Readonly<Record<string, (folder: RunFolder, dir: TempDir) => Promise<unknown>>> = {
  "FIFOs in place of files": async (folder) => {
    for (const file of FILES) await fifo(folder[file]);
    await Deno.mkdir(`${folder.path}/answers`);
    await fifo(`${folder.path}/answers/q1.json`);
  },
  "a FIFO in place of the lock": async ({ lockPath }) => await fifo(lockPath),
  "links to a device in place of files": async (folder) => {
    for (const file of FILES) await link("/dev/zero", folder[file]);
  },
  "a link to a device in place of the lock": async ({ lockPath }) => await link("/dev/zero", lockPath),
  "files of a terabyte": async (folder) => {
    for (const file of FILES) {
      await Deno.writeTextFile(folder[file], "");
      await Deno.truncate(folder[file], 2 ** 40);
    }
  },
  "folders in place of files": async (folder) => {
    for (const file of FILES) {
      await Deno.remove(folder[file]).catch(() => {});
      await Deno.mkdir(folder[file]);
    }
  },
  "a link in place of the archive of responses": async ({ responsesDir }, dir) => {
    await dir.write({ "elsewhere/precious.md": "precious" });
    await link(`${dir.path}/elsewhere`, responsesDir);
  },
  "a link in place of the agents' programs": async ({ binDir }, dir) => {
    await dir.write({ "elsewhere/precious": "precious" });
    await link(`${dir.path}/elsewhere`, binDir);
  },
  "a link in place of the run's folder": async ({ path }, dir) => {
    await Deno.rename(path, `${dir.path}/elsewhere`);
    await link(`${dir.path}/elsewhere`, path);
  },
  "a link in place of .panewright": async (_folder, dir) => {
    await Deno.rename(`${dir.path}/.panewright`, `${dir.path}/elsewhere`);
    await link(`${dir.path}/elsewhere`, `${dir.path}/.panewright`);
  },
};

Deno.test("a hostile folder of a run: every command ends, and says what is wrong", async (t) => {
  await using driver = startDriver();
  for (const [what, spoil] of Object.entries(HOSTILE)) {
    await t.step(what, async () => {
      await using dir = await tempDir();
      const folder = await writeRun({
        workdir: dir.path,
        id: ID,
        events: [reviewStarted(dir.path, ID), ...agentReady()],
      });
      await dir.write({ "panewright.jsonc": "{}" });
      await spoil(folder, dir);
      const called = await driver.callAll(dir.path, RUN_COMMANDS);
      for (const { args, code, stderr } of called) {
        const context = `${args.join(" ")}: ${code} ${stderr}`;
        assert(code >= 0 && code <= 3, context);
        assert(!stderr.includes("    at "), `a stack trace: ${context}`);
        if (code !== 0) assertStringIncludes(stderr, "annot ", context);
      }
      // What a link leads to stays.
      if (what.includes("link") && await Deno.lstat(`${dir.path}/elsewhere`).then(() => true, () => false)) {
        const names = await Array.fromAsync(Deno.readDir(`${dir.path}/elsewhere`), ({ name }) => name);
        assert(names.length > 0);
      }
    });
  }
});

Deno.test("the folder of runs as a link is refused by every command", async () => {
  await using driver = startDriver();
  await using dir = await tempDir();
  await dir.write({ "elsewhere/runs/.keep": "", "panewright.jsonc": "{}" });
  await Deno.symlink(`${dir.path}/elsewhere`, `${dir.path}/.panewright`);
  for (const { args, code, stderr } of await driver.callAll(dir.path, RUN_COMMANDS)) {
    assertEquals(code, 2, args.join(" "));
    assertStringIncludes(stderr, ".panewright: it is a symbolic link", args.join(" "));
  }
});

const CONFIG_COMMANDS = [
  ["validate"],
  ["config", "show"],
  ["doctor"],
  ["run"],
  ["exec"],
  ["resume", ID],
  ["explain", "--config", "panewright.jsonc", "panewright.jsonc"],
];

const HOSTILE_CONFIGS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  "a FIFO": fifo,
  "a link to a device": (path) => link("/dev/zero", path),
  "a file of a terabyte": async (path) => {
    await Deno.writeTextFile(path, "");
    await Deno.truncate(path, 2 ** 40);
  },
  "a folder": (path) => Deno.mkdir(path),
};

Deno.test("a hostile file in place of the config: every command ends, and refuses it", async (t) => {
  await using driver = startDriver();
  for (const [what, make] of Object.entries(HOSTILE_CONFIGS)) {
    await t.step(what, async () => {
      await using dir = await tempDir();
      await writeRun({ workdir: dir.path, id: ID, events: [reviewStarted(dir.path, ID), ...agentReady()] });
      await make(`${dir.path}/panewright.jsonc`);
      for (const { args, code, stdout, stderr } of await driver.callAll(dir.path, CONFIG_COMMANDS)) {
        assert(code > 0 && code <= 3, `${args.join(" ")}: ${code} ${stdout} ${stderr}`);
      }
    });
  }
});

const HOSTILE_TASKS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  ...HOSTILE_CONFIGS,
  "a link to a secret": (path) => link("/etc/passwd", path),
};

Deno.test("a hostile file in place of a task, a prompt, a job or a rules file: every command ends, and refuses it", async (t) => {
  await using driver = startDriver();
  for (const [what, make] of Object.entries(HOSTILE_TASKS)) {
    await t.step(what, async () => {
      await using dir = await tempDir();
      await make(`${dir.path}/hostile.md`);
      const agent = { provider: "codex", providers: { codex: { command: ["true"] } } };
      const pipelines = { one: [{ name: "build", prompt: "hostile.md", check: { type: "none" } }] };
      await dir.write({
        "task.md": "Build it.",
        "exec.jsonc": JSON.stringify({ ...agent, pipelines }),
        "job.jsonc": JSON.stringify({ ...agent, prompt_file: "hostile.md" }),
        "rules.jsonc": JSON.stringify({ ...agent, rules_file: "hostile.md" }),
        "self.jsonc": JSON.stringify({
          ...agent,
          pipelines: { one: [{ name: "build", prompt: "self", check: { type: "none" } }] },
        }),
      });
      const commands = [
        ...what === "a folder" ? [] : [["exec", "hostile.md", "--trust", "--config", "self.jsonc"]],
        ["exec", "task.md", "--trust", "--config", "exec.jsonc"],
        ["validate", "exec.jsonc"],
        ["run", "job.jsonc", "--trust"],
        ["run", "rules.jsonc", "--trust"],
      ];
      for (const { args, code, stdout, stderr } of await driver.callAll(dir.path, commands)) {
        const context = `${args.join(" ")}: ${code} ${stdout} ${stderr}`;
        assert(code > 0 && code <= 3, context);
        assertStringIncludes(stdout + stderr, "hostile.md", context);
        assert(!stderr.includes("    at "), `a stack trace: ${context}`);
      }
    });
  }
});
