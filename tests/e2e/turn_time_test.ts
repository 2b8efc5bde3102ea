import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { passAfter, type PrintedFact, setUpFailureStage, type StartedRun } from "./failures_stage.ts";

const LIMIT_SECONDS = 20;
const HANDOFF = { poll_seconds: 0.5, idle_grace_seconds: 10, response_timeout: LIMIT_SECONDS };

function usedSeconds(facts: readonly PrintedFact[]): readonly number[] {
  return facts.filter(({ type }) => type === "turn_time").map((fact) => Number(fact["usedSeconds"]));
}

async function killAfter(run: StartedRun, seconds: number): Promise<void> {
  await run.fact("turn_time", (fact) => Number(fact["usedSeconds"]) >= seconds);
  run.program.kill("SIGKILL");
  await run.program.ended;
}

Deno.test("a run that is killed in the middle of a turn, twice, ends by the response timeout after the rest of the turn", async () => {
  await using stage = await setUpFailureStage({ config: { handoff: HANDOFF } });
  await using run = stage.run();
  await killAfter(run, 5);
  const id = (await run.folder()).split("/").at(-1)!;
  await using second = stage.start("resume", id, "--json");
  await killAfter(second, 12);
  const before = usedSeconds([...run.facts(), ...second.facts()]);
  assertEquals(before, before.toSorted((one, other) => one - other), "the second process went on where the first was");

  await using third = stage.start("resume", id, "--json");
  const { code, stderr } = await third.ended();
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, `the limit of ${LIMIT_SECONDS} s passed (last status: processing)`);
  assertStringIncludes(stderr, "A turn that is resumed has what is left of it: resume the run with --raise");
  const after = usedSeconds(third.facts());
  assert(after.every((seconds) => seconds > before.at(-1)!), `${before} and then ${after}`);
  assert(Math.floor(after.at(-1)!) === LIMIT_SECONDS, `at its limit, not at ${after.at(-1)} s`);
  await stage.sandbox.assertNothingLeft();

  // Nothing is left of its time: a response is waited for no longer, until a person gives it more.
  await using fourth = stage.start("resume", id, "--json");
  assertEquals((await fourth.ended()).code, 1);
  assertEquals(fourth.facts().filter(({ type }) => type === "message_sending"), []);
  const resumeOf = (run: StartedRun) => run.facts().find(({ type }) => type === "run_finished")?.["resumeCommand"];
  const resumeCommand = resumeOf(fourth);
  assertEquals(resumeCommand, resumeOf(third));
  assertEquals(String(resumeCommand).split(" ").slice(-2), ["--raise", `'response_timeout=${2 * LIMIT_SECONDS}'`]);
  await stage.script(passAfter(100));
  await using last = stage.start("resume", id, "--json", "--raise", `response_timeout=${2 * LIMIT_SECONDS}`);
  const ended = await last.ended();
  assertEquals(ended.code, 0, ended.stderr);
  await stage.sandbox.assertNothingLeft();
});
