import { CLI_LABELS } from "../support/clis.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../support/until.ts";
import type { StartedRun } from "./failures_stage.ts";
import { type OneTurnStage, PROMPT_MARK, setUpOneTurn } from "./one_turn_stage.ts";

/** Types into the only pane from the moment that there is one, until the words show; gives what was typed. */
async function typeWhileItStarts(run: StartedRun): Promise<{ readonly pane: string; readonly typed: string }> {
  await run.fact("agent_starting");
  const find = async () =>
    /^(%\d+) tester$/m.exec(await run.tmux("list-panes", "-a", "-F", "#{pane_id} #{window_name}"))?.[1];
  const pane = await until(find) ?? "";
  const capture = () => run.tmux("capture-pane", "-p", "-t", pane);
  await until(async () => {
    await run.tmux("send-keys", "-t", pane, "-l", "w");
    return await capture();
  }, (screen) => /^[›❯].*ww/m.test(screen));
  const typed = /^[›❯].*?(w+)/m.exec(await capture())?.[1] ?? "";
  return { pane, typed };
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`run: a draft that is typed while a real ${CLI_LABELS[provider]} starts holds its first prompt back, until it is deleted`, async () => {
    await using stage = await setUpOneTurn({ provider });
    await using run = stage.watch("run");
    const { pane } = await typeWhileItStarts(run);
    const held = await run.fact("message_held");
    assertEquals([held["what"], held["obstacle"]], ["prompt", "draft"]);
    const { stdout } = await stage.run("status");
    assertMatch(stdout, /waiting for a person[^]*draft +tester, seen .* ago\n/);
    const words = () => run.tmux("capture-pane", "-p", "-t", pane);
    for (;;) {
      if (!/^[›❯].*w/m.test(await words())) break;
      await run.tmux("send-keys", "-t", pane, "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace");
    }
    const { code, stderr } = await run.program.ended;
    assertEquals(code, 0, stderr);
    assertEquals(run.facts().filter(({ type }) => type === "message_sent").map(({ what }) => what), ["prompt"]);
    assertPromptSentOnce(stage);
    await stage.sandbox.assertNothingLeft();
  });

  Deno.test(`run: a draft in a real ${CLI_LABELS[provider]} that stays ends the run for a person, and the pane with it is kept`, async () => {
    await using stage = await setUpOneTurn({ provider, config: { permissions: { dialog_timeout_seconds: 1 } } });
    await using run = stage.watch("run");
    const { pane } = await typeWhileItStarts(run);
    const { code, stderr } = await run.program.ended;
    assertEquals(code, 3, stderr);
    assertStringIncludes(stderr, "a person's draft is in the agent's composer, and the prompt was not sent");
    const ofType = (type: string) => run.facts().filter((fact) => fact.type === type);
    assertEquals([ofType("panes_left").length, ofType("message_sent").length], [1, 0]);
    assertMatch(await run.tmux("capture-pane", "-p", "-t", pane), /^[›❯].*ww/m);
    const stopped = await stage.run("stop", (await run.folder()).split("/").at(-1)!);
    assertEquals(stopped.code, 0, stopped.stderr);
    await stage.sandbox.assertNothingLeft();
  });
}

function assertPromptSentOnce(stage: OneTurnStage): void {
  assertEquals(stage.conversation().split(PROMPT_MARK).length - 1, 1);
}
