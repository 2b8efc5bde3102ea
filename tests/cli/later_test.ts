import { assertEquals, assertMatch, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import { onceAt, planBySystemd } from "../../lib/cli/later/systemd_timers.ts";
import { listRunIds } from "../../lib/run/find_run.ts";
import { tempDir } from "../support/temp_dir.ts";
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

/** As the commands of systemd answer where a person's own manager of services runs. */
const SYSTEMD = `#!/bin/sh
echo "\${0##*/} $*" >>"$HOME/systemd.calls"
[ "\${0##*/} $*" != "loginctl show-user --property=Linger --value" ] || echo yes
`;

interface LaterProject extends ExecProject {
  readonly home: string;
  /** Carries out a script as the timers do: with nothing of this process's environment. */
  carryOut(script: string): Promise<void>;
}

async function laterProject({ hasCron = false, hasSystemd = false } = {}): Promise<LaterProject & AsyncDisposable> {
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
  const systemctl = hasSystemd ? SYSTEMD : "#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n";
  const others = { systemctl, "systemd-run": SYSTEMD, loginctl: SYSTEMD };
  for (const [name, text] of Object.entries({ at: AT, atrm: ATRM, crontab: CRONTAB, ...others })) {
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

Deno.test("where neither at nor cron runs, the timers of systemd carry out the run", async () => {
  await using project = await laterProject({ hasSystemd: true });
  const { home } = project;
  await Deno.writeTextFile(`${home}/no-atd`, "");
  const once = await project.run(...SINGLE, "--at", "02:00 2031-05-17", "--json");
  const { takenBackBy, when } = JSON.parse(once.stdout);
  assertEquals([once.code, when], [0, "on 2031-05-17 02:00:00"], once.stderr);
  const [, name = ""] = /^systemctl --user stop (panewright-[\da-f]{12})\.timer$/.exec(takenBackBy) ?? [];
  const later = `${home}/.local/state/panewright/later`;
  const calls = async () => (await Deno.readTextFile(`${home}/systemd.calls`)).trim().split("\n");
  assertEquals(
    (await calls()).at(-1),
    `systemd-run --user --quiet --unit=${name} --on-calendar=2031-05-17 02:00:00 --timer-property=AccuracySec=1s ` +
      `--property=KillMode=process /bin/sh ${later}/${name}.sh`,
  );
  await project.carryOut(`exec /bin/sh ${later}/${name}.sh`);
  // Nobody needs the script again.
  assertEquals((await Array.fromAsync(Deno.readDir(later))).map((entry) => entry.name), ["said.log"]);
  const unread = await project.run(...SINGLE, "--at", "teatime");
  assertEquals(unread.code, 2);
  assertMatch(
    unread.stderr,
    /^panewright: Cannot use --at teatime: the timers of systemd, .*\n {2}Name a time as 02:00/,
  );

  const again = await project.run(...SINGLE, "--every", "weekday,sunday", "--at", "2:05");
  assertEquals(again.code, 0, again.stderr);
  const [, weekly = ""] = /disable --now (panewright-[\da-f]{12})\.timer" takes it back/.exec(again.stderr) ?? [];
  assertEquals((await calls()).slice(-2), [
    "systemctl --user daemon-reload",
    `systemctl --user enable --quiet --now ${weekly}.timer`,
  ]);
  const units = `${home}/.config/systemd/user/${weekly}`;
  assertStringIncludes(await Deno.readTextFile(`${units}.timer`), "OnCalendar=Mon..Fri,sunday *-*-* 2:05:00\n");
  assertStringIncludes(await Deno.readTextFile(`${units}.service`), `ExecStart=/bin/sh "${later}/${weekly}.sh"\n`);
});

Deno.test("a machine that lacks a command of systemd says which, and one without systemctl has no such timers", async () => {
  await using dir = await tempDir();
  const plan = (there: readonly string[]) =>
    planBySystemd(
      { script: "#!/bin/sh\ntrue\n", folder: dir.path, title: "exec", days: undefined, now: new Date() },
      {
        ...{ time: "now + 1 hour", env: { HOME: dir.path } },
        runner: {
          run: ({ argv: [program] }) =>
            there.includes(program)
              ? Promise.resolve({ code: 0, stdout: "", stderr: "", timedOut: false, truncated: false })
              : Promise.reject(new Deno.errors.NotFound(program)),
        },
      },
    );
  assertEquals(await plan([]), undefined);
  await assertRejects(() => plan(["systemctl"]), UsageError, 'systemd-run says "it is not on this machine"');
  assertMatch((await plan(["systemctl", "systemd-run"]))?.when ?? "", /^on .*, if you are logged in then/);
});

Deno.test("a time for a timer of systemd is the next such point of local time", () => {
  const now = new Date(2026, 11, 31, 23, 30, 5);
  for (
    const [time, at] of [
      ["23:45", "2026-12-31 23:45:00"],
      ["2:00", "2027-01-01 02:00:00"],
      ["02:00 tomorrow", "2027-01-01 02:00:00"],
      ["22:00 2031-05-07", "2031-05-07 22:00:00"],
      ["now + 3 hours", "2027-01-01 02:30:05"],
      ["now+1 minute", "2026-12-31 23:31:05"],
    ] as const
  ) assertEquals(onceAt(time, now), at);
  for (const time of ["23:00 today", "02:00 2026-12-31"]) {
    assertThrows(() => onceAt(time, now), UsageError, "that is past");
  }
  assertThrows(() => onceAt("02:00 2031-02-31", now), UsageError, "there is no such day");
  for (const time of ["noon", "24:00", "--user", "02:00; rm"]) {
    assertThrows(() => onceAt(time, now), UsageError, "do not read it");
  }
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
