import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { panewrightCommands, parseEvents } from "../support/panewright.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { type ReviewProject, reviewProject } from "./review_project.ts";

const RUN = ["run", "panewright.jsonc"] as const;

for (const panewright of await panewrightCommands()) {
  Deno.test(`run takes a job with five real Codex agents to PASS in two rounds (from ${panewright.name})`, async () => {
    await using project = await reviewProject({ panewright });
    const { sandbox, server, model } = project;
    const { code, stdout, stderr } = await project.run(...RUN, "--json");
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

/** The moments at which a run is stopped, each with another setting of its five agents. */
const MOMENTS = [[200, 1000], [1000, 3000], [3000, 6000], [6000, 15_000]] as const;

for (const [signal, exitCode, moments] of [["SIGINT", 130, MOMENTS], ["SIGTERM", 143, MOMENTS.slice(2, 3)]] as const) {
  Deno.test(`run stopped with ${signal} at any moment exits with ${exitCode} and leaves nothing`, async (t) => {
    for (const [from, to] of moments) {
      const afterMs = Math.round(from + Math.random() * (to - from));
      await t.step(`after ${afterMs} ms`, async () => {
        await using project = await reviewProject();
        await using program = project.start(...RUN);
        await systemClock.sleep(afterMs);
        program.kill(signal);
        const { code, stderr } = await program.ended;
        assertEquals(code, exitCode, stderr);
        assertNoStack(stderr);
        await project.sandbox.assertNothingLeft();
      });
    }
  });
}

Deno.test("run in a terminal ends with Ctrl-C, and leaves nothing", async () => {
  await using project = await reviewProject({ thinkMs: 2000 });
  {
    await using terminal = await openPersonTerminal(project);
    await terminal.command(...project.argv, ...RUN);
    await project.server.log.waitFor((entry) => entry.event === "busy", { timeoutMs: 60_000 });
    assertMatch(await terminal.screen(), /analyst/);
    await terminal.press("C-c");
    await terminal.shows(/^exit code 130/m);
  }
  await project.sandbox.assertNothingLeft();
});

for (const [start, name] of [["trust", /trust/i], ["login", /log ?in|sign ?in/i]] as const) {
  Deno.test(`run stops at Codex' ${start} screen: it names the screen and answers nothing`, async () => {
    await using project = await reviewProject({ start });
    const { sandbox, server, env } = project;
    const { code, stdout, stderr } = await project.run(...RUN);
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
    await using project = await reviewProject({
      respond: () => [{ do: "wait", ms: 1000 }, step],
      // Who waits for an idle agent waits in vain.
      config: { handoff: { poll_seconds: 0.5, idle_grace_seconds: 3600, response_timeout: 7200 } },
    });
    const { code, stderr } = await project.run(...RUN);
    assertEquals(code, 1, stderr);
    assertMatch(stderr, cause);
    assertNoStack(stderr);
    await project.sandbox.assertNothingLeft();
  });
}

async function read(project: ReviewProject, path: string): Promise<string> {
  return await Deno.readTextFile(path.startsWith("/") ? path : `${project.sandbox.project}/${path}`);
}

function assertNoStack(stderr: string): void {
  assertNotMatch(stderr, /^\s+at .+:\d+:\d+\)?$/m);
}
