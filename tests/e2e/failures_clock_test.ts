import { assert, assertEquals } from "@std/assert";
import { startProgram } from "../support/program.ts";
import { passAfter, setUpFailureStage, watchProgram } from "./failures_stage.ts";

const HOUR_MS = 3_600_000;
const PRELOAD = new URL("./failures_clock.ts", import.meta.url).pathname;

for (const [how, byMs] of [["back", -HOUR_MS], ["forward", HOUR_MS]] as const) {
  Deno.test(`clock set ${how} by an hour in the middle of a turn: nothing changes but the time stamps`, async () => {
    await using stage = await setUpFailureStage({
      tester: passAfter(4000),
      config: { handoff: { poll_seconds: 0.5, idle_grace_seconds: 3, response_timeout: 30 } },
    });
    const { sandbox: { project, root }, panewright } = stage;
    const env = { ...stage.env, CLOCK_SET_BY: String(byMs), CLOCK_SET_WHEN: `${root}/set` };
    const [deno, run, ...args] = panewright.argv;
    assertEquals(run, "run");
    const argv = [deno, "run", `--preload=${PRELOAD}`, ...args, "run", "--json"] as const;
    await using running = watchProgram(startProgram([...argv], { cwd: project, env }), { env, project });
    await running.untilTesterWorks();
    await Deno.writeTextFile(`${root}/set`, "");
    const { code, stderr } = await running.ended();
    assertEquals(code, 0, stderr);
    assertEquals(running.facts().filter(({ type }) => type === "warning"), []);
    const [first, last] = [running.facts().at(0), running.facts().at(-1)];
    const shownMs = Date.parse(String(last?.["at"])) - Date.parse(String(first?.["at"]));
    assert(Math.abs(shownMs - byMs) < 60_000, `the clock was set by ${shownMs} ms`);
    assert(Number(last?.["seconds"]) > 4 && Number(last?.["seconds"]) < 30, "a duration is none of the wall clock");
    await stage.sandbox.assertNothingLeft();
  });
}
