import { assert, assertEquals, assertMatch } from "@std/assert";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { pasteText } from "../../lib/tmux/input.ts";
import { setUpStage, untilStatus, watchStatus } from "./agent_stage.ts";

for (const tui of ["fullscreen", "default"] as const) {
  Deno.test(`a permission dialog of a real Claude Code (${tui}) is seen and accepted once`, async () => {
    await using stage = await setUpStage({
      provider: "claude_code",
      tui,
      respond: () => [
        { do: "wait", ms: 1000 },
        { do: "shell", command: "touch one" },
        { do: "wait", ms: 1000 },
        { do: "call", tool: "Write", input: { file_path: "two.txt", content: "two\n" } },
        { do: "wait", ms: 1000 },
        { do: "say", text: "Both are there." },
      ],
    });
    const claude = await stage.start();
    await using watch = watchStatus(claude, stage.server);
    await claude.submit("Make two files");
    for (const kind of ["command", "file_write"]) {
      await untilStatus(claude, "waiting_user_answer");
      const { dialog } = await claude.status();
      assert(dialog?.kind === kind);
      await claude.answerDialog(dialog, "accept");
    }
    await untilStatus(claude, "completed");
    watch.assertNoFalseRest();
    const names = [...Deno.readDirSync(stage.sandbox.project)].map(({ name }) => name).toSorted();
    assertEquals(names, ["one", "two.txt"]);
    assertEquals(stage.logged, []);
  });
}

Deno.test("a permission dialog that Claude Code defers, because somebody types, is work until it shows", async () => {
  await using stage = await setUpStage({
    provider: "claude_code",
    respond: () => [{ do: "wait", ms: 1500 }, { do: "shell", command: "touch one" }, { do: "say", text: "Done." }],
  });
  const claude = await stage.start();
  await using watch = watchStatus(claude, stage.server);
  await claude.submit("Make a file");
  const typing = new AbortController();
  const typed = (async () => {
    while (!typing.signal.aborted) {
      await pasteText(stage.session.client, claude.pane.paneId, { text: "x" });
      await systemClock.sleep(150);
    }
  })();
  await stage.server.log.waitFor((entry) => entry.event === "idle", { timeoutMs: 10_000 });
  await systemClock.sleep(1500);
  const deferred = watch.samples.slice(-8).map(({ status, rule }) => `${status} ${rule}`);
  typing.abort();
  await typed;
  await untilStatus(claude, "waiting_user_answer");
  watch.assertNoFalseRest();
  assert(deferred.every((one) => one.startsWith("processing")), JSON.stringify(deferred));
  const { dialog } = await claude.status();
  assert(dialog?.kind === "command");
  await claude.answerDialog(dialog, "accept");
  await untilStatus(claude, "completed");
});

Deno.test("a background agent of Claude Code is work, and so is the turn that its end begins", async () => {
  let mains = 0;
  await using stage = await setUpStage({
    provider: "claude_code",
    respond: ({ prompts }) => {
      if (prompts.at(-1)?.includes("SUBTASK")) return [{ do: "wait", ms: 4000 }, { do: "say", text: "Sub done." }];
      const input = {
        description: "Sub task",
        prompt: "SUBTASK",
        subagent_type: "general-purpose",
        run_in_background: true,
      };
      return ++mains === 1
        ? [{ do: "call", tool: "Agent", input }, { do: "say", text: "It runs." }]
        : [{ do: "wait", ms: 1000 }, { do: "say", text: "All done." }];
    },
  });
  const claude = await stage.start();
  await using watch = watchStatus(claude, stage.server);
  await claude.submit("Use a helper");
  await untilStatus(claude, "completed");
  assertEquals(mains, 2);
  watch.assertNoFalseRest();
  // Also between its turns, while its composer is free below a finished answer, it counts as at work, by both
  // witnesses.
  const worked = watch.samples.slice(watch.samples.findIndex(({ status }) => status === "processing"));
  const course = worked.map(({ status }) => status).filter((status, index, all) => status !== all[index - 1]);
  assertMatch(course.join(), /^processing(?:,completed)?$/);
  assert(worked.some(({ rule }) => rule === "background-agents"));
  assertEquals(stage.logged, []);
});
