import { assertEquals, assertMatch } from "@std/assert";
import { tempDir } from "../../support/temp_dir.ts";
import { type Act, cast, only, runIn, says, step } from "./support.ts";

/** The turn ends well, though calls of it were not permitted. */
function denied(calls: readonly string[], write?: string): Act {
  return async (request) => {
    if (write !== undefined) await Deno.writeTextFile(`${request.workdir}/${write}`, "x");
    return { ...await says("I could not.")(request), denied: calls };
  };
}

Deno.test("a step that was permitted nothing, changed nothing and checks nothing has failed, and says what it wanted", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const agents = cast(denied(["Bash npm test", "Write /w/a.ts"]), says());
  const { report, events } = await runIn(dir, [step("a"), step("b")], agents);
  assertEquals([report.outcome, agents.requests.length], ["fail", 1]);
  assertMatch(
    report.reason,
    /its CLI did not permit 2 calls: Bash npm test; Write \/w\/a\.ts, it changed no file, and the step has no check/,
  );
  assertEquals(only(events, "warning").map(({ message }) => message), [
    'step "a": its CLI did not permit 2 calls: Bash npm test; Write /w/a.ts; permissions and the step\'s args say what it may do',
  ]);
});

Deno.test("where it cannot be told whether it changed a file, a step that was not permitted a call and checks nothing has failed", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const act: Act = async (request) => {
    const { code } = await new Deno.Command("sh", {
      args: ["-c", ': > "$(printf "no-utf-8-\\377")"'],
      cwd: request.workdir,
    }).output();
    assertEquals(code, 0);
    return await denied(["Bash npm test"])(request);
  };
  const { report } = await runIn(dir, [step("a")], cast(act));
  assertEquals(report.outcome, "fail");
  assertMatch(report.reason, /cannot tell whether it changed a file, and the step has no check/);
});

Deno.test("what was not permitted is a warning only, where a file was changed or a check decides", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Build it." });
  const checks = [{ type: "fileExists", paths: ["task.md"] }] as const;
  const steps = [step("writes"), step("checked", { checks })];
  const agents = cast(denied(["Bash npm test"], "made.txt"), denied(["Bash npm test"]));
  const { report, events } = await runIn(dir, steps, agents);
  assertEquals([report.outcome, only(events, "warning").length], ["pass", 2]);
});
