import { assertEquals, assertStringIncludes } from "@std/assert";
import { findTranscript } from "../../lib/agents/claude_code/transcript_files.ts";
import { until } from "../support/until.ts";
import type { Respond } from "../lab/script.ts";
import type { CliName } from "../support/clis.ts";
import type { ProgramResult, RunningProgram } from "../support/program.ts";
import type { Sandbox } from "../support/sandbox.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";
import { answerOf, reviewProject } from "./review_project.ts";

interface Event {
  readonly type: string;
  readonly role?: string;
  readonly turnId?: string;
  readonly [key: string]: unknown;
}

function eventsOf({ stdout }: { readonly stdout: string }): readonly Event[] {
  return stdout.slice(0, stdout.lastIndexOf("\n") + 1).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/**
 * A model whose answers depend on the turn alone, however often its prompt comes and in which session.
 *
 * @param slow whose first prompt is being thought about until its agent is killed
 */
function answerByTurn(prompts: Map<string, string[]>, slow: string | undefined): Respond {
  return (request) => {
    const prompt = request.prompts.at(-1) ?? "";
    const target = responseTargetOf(prompt);
    if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
    prompts.set(target.name, [...prompts.get(target.name) ?? [], prompt]);
    const task = request.prompts.findLast((one) => one.includes("Round ")) ?? "";
    const [, round, cycle] = /Round (\d+) of at most \d+(?:, review cycle (\d+))?/.exec(task) ?? [];
    const turn = (Number(round) - 1) * 2 + Number(cycle ?? 1);
    const isSlow = target.name === slow && prompts.get(slow)?.length === 1;
    return workTurn(target, answerOf(target.name, turn), { thinkMs: isSlow ? 3_600_000 : 700 });
  };
}

async function setUp(provider: CliName, slow?: string, config: Readonly<Record<string, unknown>> = {}) {
  /** What each role was sent, by the name of its response file. */
  const prompts = new Map<string, string[]>();
  const project = await reviewProject({ provider, respond: answerByTurn(prompts, slow), config });
  return {
    ...project,
    prompts,
    start: (...args: readonly string[]): RunningProgram => project.start(...args, "--json"),
    resume: (...args: readonly string[]): Promise<ProgramResult> => project.run("resume", ...args, "--json"),
  };
}

/** Whether a session of Claude Code is on the disk with its first prompt. */
async function isResumable({ home, project: cwd }: Sandbox, sessionId: string): Promise<boolean> {
  const path = await findTranscript(`${home}/.claude`, { cwd, sessionId });
  return path !== undefined && /"type":"user".*\n/.test(await Deno.readTextFile(path));
}

/** Waits until a program has printed an event of that kind. */
async function printed(program: RunningProgram, accept: (event: Event) => boolean): Promise<Event> {
  const found = await until(
    () => eventsOf(program.output).find(accept),
    (event) => event !== undefined,
    () => `${program.output.stdout}${program.output.stderr}`,
  );
  return found!;
}

const pidOf = (events: readonly Event[], role: string) =>
  Number(events.findLast((event) => event.type === "agent_ready" && event.role === role)?.["pid"]);

for (const [provider, name] of [["codex", "Codex"], ["claude_code", "Claude Code"]] as const) {
  Deno.test(`a run that was killed with one of its agents goes on: four live on, one gets its session of ${name} back`, async () => {
    await using stage = await setUp(provider, "analyst_review");
    await using run = stage.start("run");
    await printed(run, ({ type, role }) => type === "message_sent" && role === "analyst_review");
    const isSession = ({ type, role }: Event) => type === "agent_session" && role === "analyst_review";
    const { sessionId } = await printed(run, isSession);
    await until(() => stage.prompts.has("analyst_review"));
    // Claude Code writes its transcript a moment after it has asked the model; before, there is nothing to resume.
    if (provider === "claude_code") await until(() => isResumable(stage.sandbox, String(sessionId)));
    const before = eventsOf(run.output);
    run.kill("SIGKILL");
    Deno.kill(pidOf(before, "analyst_review"), "SIGKILL");
    await run.ended;

    const resumed = await stage.resume();
    assertEquals(resumed.code, 0, resumed.stderr);
    const events = eventsOf(resumed);
    const adopted = events.filter(({ type }) => type === "agent_adopted").map(({ role }) => role).sort();
    assertEquals(adopted, ["analyst", "programmer", "programmer_review", "tester"]);
    const session = before.find(({ type, role }) => type === "agent_session" && role === "analyst_review");
    const starting = events.filter(({ type }) => type === "agent_starting");
    assertEquals(starting.map(({ role, resumes }) => [role, resumes]), [["analyst_review", session?.["sessionId"]]]);
    const sent = events.find(({ type, role }) => type === "message_sent" && role === "analyst_review");
    assertEquals(sent?.["what"], "continuation");
    assertStringIncludes(stage.prompts.get("analyst_review")?.[1] ?? "", "Continue the task of the previous prompt.");
    assertEquals(stage.prompts.get("analyst_summary")?.length, 2, "the finished turn was not played again");
    assertEquals(await Deno.readTextFile(`${stage.sandbox.project}/greeting.txt`), "hello, world\n");
    // The Claude Code that was killed has left its own socket.
    await Deno.remove(`${stage.sandbox.env["TMPDIR"]}/cc-socks`, { recursive: true }).catch(() => {});
    await stage.sandbox.assertNothingLeft();
  });
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`driver process, ${provider}: a run that was killed goes on: what its CLI left is ended, its session resumed`, async () => {
    const args = provider === "codex" ? { args: ["--skip-git-repo-check"] } : {};
    const roles = ["analyst", "analyst_review", "programmer", "programmer_review", "tester"];
    await using stage = await setUp(provider, "analyst_review", {
      roles: Object.fromEntries(roles.map((role) => [role, { driver: "process", ...args }])),
    });
    await using run = stage.start("run");
    await printed(run, ({ type, role }) => type === "message_sent" && role === "analyst_review");
    await until(() => stage.prompts.has("analyst_review"));
    const { sessionId } = await printed(run, ({ type, role }) => type === "agent_session" && role === "analyst_review");
    if (provider === "claude_code") await until(() => isResumable(stage.sandbox, String(sessionId)));
    run.kill("SIGKILL");
    await run.ended;

    const resumed = await stage.resume();
    assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
    const starting = eventsOf(resumed).find(({ type, role }) => type === "agent_starting" && role === "analyst_review");
    assertEquals(starting?.["resumes"], sessionId);
    assertStringIncludes(stage.prompts.get("analyst_review")?.[1] ?? "", "Continue the task of the previous prompt.");
    assertEquals(stage.prompts.get("analyst_summary")?.length, 2, "the finished turn was not played again");
    assertEquals(await Deno.readTextFile(`${stage.sandbox.project}/greeting.txt`), "hello, world\n");
    await Deno.remove(`${stage.sandbox.env["TMPDIR"]}/cc-socks`, { recursive: true }).catch(() => {});
    if (provider === "codex") await stage.sandbox.assertNothingLeft();
  });
}

Deno.test("a run that was stopped with Ctrl-C goes on with the sessions of its agents, also after two stops", async () => {
  await using stage = await setUp("codex");
  const { sandbox } = stage;
  for (const args of [["run"], ["resume"]]) {
    await using run = stage.start(...args);
    await printed(run, ({ type, turnId }) => type === "message_sent" && turnId === "r1-programmer-c1");
    const isKnown = ({ type, resumes }: Event) => type === "agent_session" || resumes !== undefined;
    await printed(run, (event) => event.role === "programmer" && isKnown(event));
    run.kill("SIGINT");
    const { code, stdout } = await run.ended;
    assertEquals(code, 130);
    assertStringIncludes(
      String(eventsOf({ stdout }).find(({ type }) => type === "run_finished")?.["resumeCommand"]),
      "panewright resume 2",
    );
    await sandbox.assertNothingLeft();
  }
  const { code, stdout, stderr } = await stage.resume();
  assertEquals(code, 0, stderr);
  const starting = eventsOf({ stdout }).filter(({ type }) => type === "agent_starting");
  assertEquals(
    starting.map(({ role, resumes }) => [role, typeof resumes]).sort(),
    // The analysts have done their part of the round, and no other round follows.
    [
      ["programmer", "string"],
      ["programmer_review", "undefined"],
      ["tester", "undefined"],
    ],
  );
  assertEquals(stage.prompts.get("analyst_summary")?.length, 2);
  assertEquals(await Deno.readTextFile(`${sandbox.project}/greeting.txt`), "hello, world\n");
  await sandbox.assertNothingLeft();
});
