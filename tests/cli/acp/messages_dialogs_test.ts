import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { FakeStep } from "../../lab/acp_fake_agent.ts";
import { acpRoles } from "../../support/acp_roles.ts";
import { ANSWERS } from "../../support/jobs.ts";
import { until } from "../../support/until.ts";

/** Asks whether it may make a file. */
function asks(name: string): FakeStep {
  const made = { run: ["touch", name] } as const;
  return { permission: "make a file", command: `touch ${name}`, allowed: [made], rejected: [] };
}

Deno.test("two agents ask at once, one of them in the turn of a message: each gets its answer, also after kill -9", async () => {
  await using stage = await acpRoles({
    scripts: {
      programmer: { turns: [{ times: 99, steps: [asks("own"), { respond: ANSWERS.programmer }, { say: "Done." }] }] },
      tester: {
        turns: [
          {
            when: "A message from outside|Your program was ended",
            times: 99,
            steps: [asks("outside"), { respond: "Made." }, { say: "Done." }],
          },
          { times: 99, steps: [{ respond: ANSWERS.tester }, { say: "Done." }] },
        ],
      },
    },
    config: { start_agent: "programmer", permissions: { ask: [{ command: "touch **" }] } },
  });
  const { project } = stage.sandbox;
  let before = 0;
  /** What a role's agent waits for in the process under way. */
  const asked = async (role: string) => {
    const records = (await stage.records()).slice(before).filter((record) => record.role === role);
    const last = records.findLast(({ type }) => type === "dialog_waiting" || type === "dialog_closed");
    return last?.type === "dialog_waiting" ? last["question"] : undefined;
  };
  await using run = stage.start("run");
  await until(() => asked("programmer"));
  const left = await stage.call("send", "@1", "tester", "--json", "Make the file.");
  assertEquals(left.code, 0, left.stderr);
  await until(() => asked("tester"));
  const several = await stage.call("answer", "@1", "no");
  assertEquals(several.code, 2);
  assertStringIncludes(several.stderr, "several questions of run");
  const questions = await stage.call("questions");
  for (const name of ["touch own", "touch outside"]) assertStringIncludes(questions.stdout, name);
  Deno.kill(run.pid, "SIGKILL");
  await run.ended;
  before = (await stage.records()).length;
  await using resumed = stage.start("resume", "@1");
  const [outside, own] = [await until(() => asked("tester")), await until(() => asked("programmer"))];
  assert(outside !== own);
  const id = (await stage.folder()).replace(/^.*\//, "");
  // The second to ask has its answer first.
  const first = await stage.call("answer", id, "--question", String(outside), "yes");
  assertEquals(first.code, 0, first.stderr);
  await stage.record("message_answered");
  assertEquals([await asked("tester"), await asked("programmer")], [undefined, own]);
  const second = await stage.call("answer", id, "--question", String(own), "yes");
  assertEquals(second.code, 0, second.stderr);
  const { code, stderr } = await resumed.ended;
  assertEquals(code, 0, stderr);
  for (const name of ["own", "outside"]) assert((await Deno.lstat(`${project}/${name}`)).isFile);
  const records = await stage.records();
  assertEquals(records.filter(({ type }) => type === "message_answered").length, 1);
  const verdicts = records.filter(({ type }) => type === "round_finished").map(({ verdict }) => verdict);
  assertEquals(verdicts, ["PASS"]);
  await stage.sandbox.assertNothingLeft();
});
