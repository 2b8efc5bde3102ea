import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { listRunIds } from "../../lib/run/find_run.ts";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { type ExecProject, execProject } from "./commands/exec_project.ts";

/** As at and crontab answer, which a machine of tests may not have. They keep what they are given in the home. */
const AT = `#!/bin/sh
case "$1" in 25:*) echo 'syntax error. Last token seen: 2' >&2; echo 'Garbled time' >&2; exit 1;; esac
echo "$*" >"$HOME/at.args"
cat >"$HOME/at.script"
env >"$HOME/at.env"
echo 'warning: commands will be executed using /bin/sh' >&2
echo 'job 7 at Wed Dec  2 02:00:00 2026' >&2
[ ! -e "$HOME/no-atd" ] || echo "Can't open /run/atd.pid to signal atd. No atd running?" >&2
`;
const ATRM = '#!/bin/sh\necho "$1" >"$HOME/atrm.args"\n';
const CRONTAB = `#!/bin/sh
if [ "$1" = - ]; then cat >"$HOME/crontab"; exit; fi
[ -e "$HOME/crontab" ] || { echo 'no crontab for tester' >&2; exit 1; }
cat "$HOME/crontab"
`;

interface LaterProject extends ExecProject {
  readonly home: string;
  /** Carries out a script as the timers do: with nothing of this process's environment. */
  carryOut(script: string): Promise<void>;
}

async function laterProject({ hasCron = false } = {}): Promise<LaterProject & AsyncDisposable> {
  const given = await execProject();
  const { sandbox } = given;
  const bin = `${sandbox.root}/timers`;
  await Deno.mkdir(bin);
  const env: ExecProject["env"] = { ...given.env, PATH: `${bin}:${given.env["PATH"]}` };
  const { panewright: { argv } } = given;
  const project = {
    ...given,
    env,
    run: (...args: readonly string[]) => runProgram([...argv, ...args], { cwd: given.path, env, timeoutMs: 600_000 }),
  };
  const fake = `${sandbox.root}/bin/fake-codex`;
  const script = await Deno.readTextFile(fake);
  await Deno.writeTextFile(fake, script.replace("\n", `\nFAKE_FOLDER=${sandbox.root}/fake\n`));
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
  for (const [name, text] of Object.entries({ at: AT, atrm: ATRM, crontab: CRONTAB })) {
    await Deno.writeTextFile(`${bin}/${name}`, text, { mode: 0o755 });
  }
  await Deno.copyFile("/usr/bin/sleep", `${bin}/cron`);
  const cron = hasCron ? new Deno.Command(`${bin}/cron`, { args: ["600"] }).spawn() : undefined;
  return {
    ...project,
    home: env["HOME"]!,
    async carryOut(script) {
      const { code, stderr } = await runProgram(["/bin/sh", "-c", script], { cwd: "/", env: {}, timeoutMs: 60_000 });
      assertEquals([code, stderr], [0, ""]);
      await until(async () => (await listRunIds(project.path)).length === 1);
      const [id] = await listRunIds(project.path);
      const journal = `${project.path}/.panewright/runs/${id}/journal.ndjson`;
      await until(async () => (await Deno.readTextFile(journal)).includes('"outcome":"pass","reason"'));
    },
    async [Symbol.asyncDispose]() {
      cron?.kill("SIGKILL");
      await cron?.status;
      await project[Symbol.asyncDispose]();
    },
  };
}

const SINGLE = ["exec", "task.md", "--pipeline", "single"] as const;

Deno.test("--at: at carries out the run at that time, without a terminal and with no key of this environment", async () => {
  await using project = await laterProject();
  const planned = await project.run(...SINGLE, "--at", "02:00 tomorrow");
  assertEquals([planned.code, planned.stdout], [0, ""], planned.stderr);
  assertStringIncludes(
    planned.stderr,
    'It begins on Wed Dec  2 02:00:00 2026; "atrm 7" takes it back.',
  );
  assertEquals(await Deno.readTextFile(`${project.home}/at.args`), "02:00 tomorrow\n");
  assertEquals(await listRunIds(project.path), []);
  const script = await Deno.readTextFile(`${project.home}/at.script`);
  for (const kept of [script, await Deno.readTextFile(`${project.home}/at.env`)]) {
    assertEquals([kept.includes("FAKE_FOLDER="), kept.includes("PATH=")], [false, true]);
    // What is trusted by the variable is what stands there now.
    assertEquals([project.env["PANEWRIGHT_TRUST"], kept.includes("PANEWRIGHT_TRUST")], ["1", false]);
  }
  await project.carryOut(script);
  const log = `${project.home}/.local/state/panewright/later/said.log`;
  assertMatch(await Deno.readTextFile(log), /^\d{8}-/m);

  // Somebody has changed it by then.
  const config = `${project.path}/panewright.jsonc`;
  const changed = (await Deno.readTextFile(config)).replace('"autonomy_level":3', '"autonomy_level":2');
  await Deno.writeTextFile(config, changed);
  await runProgram(["/bin/sh", "-c", script], { cwd: "/", env: {}, timeoutMs: 60_000 });
  assertStringIncludes(await Deno.readTextFile(log), "has changed since you trusted it");
  assertEquals((await listRunIds(project.path)).length, 1);
});

Deno.test("--every: a line of the crontab carries out the run, and the lines that were there stay", async () => {
  await using project = await laterProject({ hasCron: true });
  const before = "# mine\n5 4 * * * backup";
  await Deno.writeTextFile(`${project.home}/crontab`, before);
  const planned = await project.run(...SINGLE, "--every", "weekday,sunday", "--at", "2:05", "--json");
  const { type, when, line, log } = JSON.parse(planned.stdout);
  assertEquals([planned.code, type, when], [0, "run_planned", "every weekday,sunday at 2:05"], planned.stderr);
  assertEquals(log, `${project.home}/.local/state/panewright/later/said.log`);
  assertMatch(line, /^5 2 \* \* 1-5,0 \/bin\/sh '\/.+\/later\/[\da-f]{12}\.sh'$/);
  assertEquals(
    await Deno.readTextFile(`${project.home}/crontab`),
    `${before}\n# panewright: exec task.md\n${line}\n`,
  );
  // The same once more is no second line.
  assertEquals((await project.run(...SINGLE, "--every", "weekday,sunday", "--at", "2:05")).code, 0);
  assertEquals(
    await Deno.readTextFile(`${project.home}/crontab`),
    `${before}\n# panewright: exec task.md\n${line}\n`,
  );
  await project.carryOut(line.replace("5 2 * * 1-5,0 ", ""));
});

Deno.test("what cannot be begun later is told now: a time, days, a task, a daemon that does not run", async () => {
  await using project = await laterProject();
  const refusal = async (...args: readonly string[]) => {
    const { code, stderr } = await project.run(...args);
    assertEquals(code, 2, stderr);
    return stderr.split("\n")[0];
  };
  assertEquals(await refusal(...SINGLE, "--at", "25:00"), 'panewright: Cannot use --at 25:00: at says "Garbled time"');
  assertEquals(
    await refusal(...SINGLE, "--at=-f/etc/passwd"),
    "panewright: Cannot use --at -f/etc/passwd: that is no time",
  );
  assertEquals(
    await refusal(...SINGLE, "--every", "noon", "--at", "02:00"),
    'panewright: Cannot use --every noon: "noon" is no day',
  );
  assertEquals(
    await refusal(...SINGLE, "--every", "day"),
    "panewright: Cannot use --every without --at: say when, such as --at 02:00",
  );
  assertEquals(
    await refusal(...SINGLE, "--every", "day", "--at", "now + 1 hour"),
    "panewright: Cannot use --at now + 1 hour with --every: that is no time of day",
  );
  assertStringIncludes(await refusal("exec", "gone.md", "--at", "02:00") ?? "", "there is no such file");
  assertEquals(
    await refusal("exec", "-", "--at", "02:00"),
    "panewright: Cannot use --at with a task from standard input: name a file",
  );
  await Deno.writeTextFile(`${project.home}/no-atd`, "");
  assertEquals(
    await refusal(...SINGLE, "--at", "02:00"),
    "panewright: Cannot begin anything later: atd, which carries out the jobs of at, does not run",
  );
  assertEquals(await Deno.readTextFile(`${project.home}/atrm.args`), "7\n");
  assertEquals(await listRunIds(project.path), []);
});

Deno.test("a crontab that cannot be kept as it is is not written", async () => {
  await using project = await laterProject({ hasCron: true });
  const latin = new Uint8Array([0x23, 0xe9, 0x0a]);
  await Deno.writeFile(`${project.home}/crontab`, latin);
  const { code, stderr } = await project.run(...SINGLE, "--every", "day", "--at", "02:00");
  assertEquals(code, 2);
  assertMatch(
    stderr,
    /^panewright: Cannot add a line to your crontab: it would not stay as it is\n.*crontab -e: 0 2 \* \* \* \/bin\/sh '/s,
  );
  assertEquals(await Deno.readFile(`${project.home}/crontab`), latin);
});
