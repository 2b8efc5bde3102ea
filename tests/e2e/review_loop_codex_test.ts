import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import {
  type PanewrightCommand,
  panewrightCommands,
  panewrightFromSource,
  parseEvents,
} from "../support/panewright.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { type CodexProject, setUpCodexProject } from "./codex_project.ts";

const RUN = ["run", "panewright.jsonc"] as const;
const RUN_TIMEOUT_MS = 180_000;

for (const panewright of await panewrightCommands()) {
  Deno.test(`run takes a job with five real Codex agents to PASS in two rounds (from ${panewright.name})`, async () => {
    await using project = await setUpCodexProject({ panewright });
    const { sandbox, server, model, env } = project;
    const { code, stdout, stderr } = await runProgram([...panewright.argv, ...RUN, "--json"], {
      cwd: sandbox.project,
      env,
      timeoutMs: RUN_TIMEOUT_MS,
    });
    assertEquals(code, 0, stderr);

    const events = parseEvents(stdout);
    const all = (type: string) => events.filter((event) => event.type === type);
    assertEquals(all("test_command_finished").map((event) => event.passed), [false, true]);
    assertEquals(all("round_finished").map((event) => event.verdict), ["FAIL", "PASS"]);
    assertEquals(
      all("review_decided").map(({ role, round, cycle, verdict }) => `${round} ${role} ${cycle} ${verdict}`),
      [
        "1 analyst_review 1 REVISE",
        "1 analyst_review 2 APPROVED",
        "1 programmer_review 1 REVISE",
        "1 programmer_review 2 APPROVED",
        "2 programmer_review 1 REVISE",
        "2 programmer_review 2 APPROVED",
      ],
    );
    const last = events.at(-1);
    assertEquals([last?.type, last?.outcome, last?.rounds], ["run_finished", "pass", 2]);
    // The model server tells of the same tokens with each reply.
    const replies = server.log.entries.filter(({ event }) => event === "busy").length;
    const tokens = { inputTokens: 1200 * replies, cachedInputTokens: 0, outputTokens: 40 * replies };
    assertEquals(last?.usage, { "gpt-6.1-sol": tokens });
    assertEquals(Object.keys(last?.usageByRole ?? {}).length, 5);
    assertEquals(await Deno.readTextFile(`${sandbox.project}/greeting.txt`), "hello, world\n");

    const archived = all("response_received").map((event) => event.archivedAs ?? "");
    assertEquals(archived.length, 14);
    assertEquals(new Set(archived).size, 14);
    const changes = await Promise.all(
      archived.filter((path) => path.includes("programmer") && !path.includes("review")).map((path) =>
        read(project, path)
      ),
    );
    assertEquals(changes.map((text) => text.trim()), [
      "Change 1: greeting.txt says hello, wrld.",
      "Change 2: greeting.txt says hello, wrld.",
      "Change 3: greeting.txt says hello, world.",
      "Change 4: greeting.txt says hello, world.",
    ]);
    assertEquals([...Deno.readDirSync(`${sandbox.project}/.tmp/agent-responses`)], []);

    // Each prompt reached the model once, and each role kept a conversation of its own.
    const turns = [...model.prompts].map(([name, prompts]) => `${name} ${prompts.length}`).sort();
    assertEquals(turns, [
      "analyst_review 2",
      "analyst_summary 2",
      "programmer_review 4",
      "programmer_summary 4",
      "test_result 2",
    ]);
    assertEquals(new Set(server.log.entries.flatMap((entry) => entry.event === "busy" ? [entry.thread] : [])).size, 5);
    assertStringIncludes(model.prompts.get("programmer_summary")?.[2] ?? "", "greeting.txt holds 'hello, wrld'");

    await sandbox.assertNothingLeft();
  });
}

Deno.test("run shows a person which role works, and leaves stdout to results", async () => {
  const panewright = await panewrightFromSource();
  await using project = await setUpCodexProject({ panewright, thinkMs: 50 });
  const { code, stderr } = await runProgram([...panewright.argv, ...RUN], {
    cwd: project.sandbox.project,
    env: project.env,
    timeoutMs: RUN_TIMEOUT_MS,
  });
  assertEquals(code, 0, stderr);
  for (const role of ["analyst", "analyst_review", "programmer", "programmer_review", "tester"]) {
    assertStringIncludes(stderr, role);
  }
  // Neither colour nor cursor movement where stderr is no terminal.
  assertEquals(stderr.includes("\x1b"), false);
  await project.sandbox.assertNothingLeft();
});

for (const [signal, exitCode] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`run stopped with ${signal} at any moment exits with ${exitCode} and leaves nothing`, async (t) => {
    const panewright = await panewrightFromSource();
    for (const afterMs of [randomMs(200, 1000), randomMs(1000, 3000), randomMs(3000, 6000), randomMs(6000, 15_000)]) {
      await t.step(`after ${afterMs} ms`, () => stopAfter(panewright, { afterMs, signal, exitCode }));
    }
  });
}

async function stopAfter(
  panewright: PanewrightCommand,
  stop: { readonly afterMs: number; readonly signal: Deno.Signal; readonly exitCode: number },
): Promise<void> {
  await using project = await setUpCodexProject({ panewright });
  const { sandbox, env } = project;
  await using program = startProgram([...panewright.argv, ...RUN], { cwd: sandbox.project, env });
  await systemClock.sleep(stop.afterMs);
  program.kill(stop.signal);
  const { code, stderr } = await program.ended;
  assertEquals(code, stop.exitCode, stderr);
  assertNoStack(stderr);
  await sandbox.assertNothingLeft();
}

Deno.test("run in a terminal ends with Ctrl-C, and leaves nothing", async () => {
  const panewright = await panewrightFromSource();
  await using project = await setUpCodexProject({ panewright, thinkMs: 2000 });
  const { sandbox, server, env } = project;
  const tmux = (...args: string[]) =>
    runProgram(["tmux", "-L", "person", ...args], { cwd: sandbox.project, env, timeoutMs: 5000 });
  const result = `${sandbox.root}/code`;
  // A shell of job control, as a person has: Ctrl-C reaches the whole foreground job.
  const command = `${panewright.argv.join(" ")} ${RUN.join(" ")}; echo $? > ${result}.new; mv ${result}.new ${result}`;
  await tmux("new-session", "-d", "-x", "120", "-y", "40", "bash", "--norc", "-i");
  await tmux("send-keys", "-l", command);
  await tmux("send-keys", "Enter");
  await server.log.waitFor((entry) => entry.event === "busy", { timeoutMs: 60_000 });
  const { stdout: screen } = await tmux("capture-pane", "-p");
  assertMatch(screen, /analyst/);
  await tmux("send-keys", "C-c");
  assertEquals(await waitForText(result), "130\n");
  await tmux("kill-server");
  await Deno.remove(`${env["TMUX_TMPDIR"]}/tmux-${Deno.uid()}/person`);
  await sandbox.assertNothingLeft();
});

for (const [start, name] of [["trust", /trust/i], ["login", /log ?in|sign ?in/i]] as const) {
  Deno.test(`run stops at Codex' ${start} screen: it names the screen and answers nothing`, async () => {
    const panewright = await panewrightFromSource();
    await using project = await setUpCodexProject({ panewright, start });
    const { sandbox, server, env } = project;
    const { code, stdout, stderr } = await runProgram([...panewright.argv, ...RUN], {
      cwd: sandbox.project,
      env,
      timeoutMs: 90_000,
    });
    assertEquals(code, 3, stderr);
    assertMatch(stderr, name);
    assertNoStack(stderr);
    assertNotMatch(stdout, /pass/i);
    assertEquals(server.log.entries.filter((entry) => entry.event === "busy"), []);
    assertNotMatch(await Deno.readTextFile(`${env["CODEX_HOME"]}/config.toml`), /trust_level/);
    assertEquals([...Deno.readDirSync(`${env["CODEX_HOME"]}`)].filter((entry) => entry.name === "auth.json"), []);
    await sandbox.assertNothingLeft();
  });
}

for (
  const [name, step, cause] of [
    ["an answer of the model's server is an error", { do: "refuse", status: 400, message: "No such model" }, /error/i],
    ["an agent's process dies", { do: "shell", command: "kill -9 $PPID" }, /analyst/],
  ] as const
) {
  Deno.test(`run fails soon and says why when ${name}`, async () => {
    const panewright = await panewrightFromSource();
    await using project = await setUpCodexProject({
      panewright,
      respond: () => [{ do: "wait", ms: 1000 }, step],
      // Who waits for an idle agent waits in vain.
      config: { handoff: { poll_seconds: 0.5, idle_grace_seconds: 3600, response_timeout: 7200 } },
    });
    const { sandbox, env } = project;
    const { code, stderr } = await runProgram([...panewright.argv, ...RUN], {
      cwd: sandbox.project,
      env,
      timeoutMs: RUN_TIMEOUT_MS,
    });
    assertEquals(code, 1, stderr);
    assertMatch(stderr, cause);
    assertNoStack(stderr);
    await sandbox.assertNothingLeft();
  });
}

async function read(project: CodexProject, path: string): Promise<string> {
  return await Deno.readTextFile(path.startsWith("/") ? path : `${project.sandbox.project}/${path}`);
}

/** What a file holds once it is there. */
async function waitForText(path: string): Promise<string> {
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      return await Deno.readTextFile(path);
    } catch (error) {
      assert(error instanceof Deno.errors.NotFound);
      await systemClock.sleep(100);
    }
  }
  throw new Error(`There is no ${path} after 30 seconds`);
}

function assertNoStack(stderr: string): void {
  assertNotMatch(stderr, /^\s+at .+:\d+:\d+\)?$/m);
}

function randomMs(from: number, to: number): number {
  return Math.round(from + Math.random() * (to - from));
}
