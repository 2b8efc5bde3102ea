import { assert, assertEquals, assertRejects } from "@std/assert";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { Account } from "../../../lib/agents/process/account.ts";
import { AttemptWatch } from "../../../lib/agents/process/attempt_watch.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { ASK_COMMANDS } from "./support.ts";

Deno.test("what the agent told last cannot be taken in: the attempt fails by that, and follows nothing any more", async () => {
  await using dir = await tempDir();
  await dir.write({ "asks/.keep": "" });
  const account = new Account({ askCommands: ASK_COMMANDS, hasLog: false, onFact: () => {} });
  const watch = new AttemptWatch({
    ...{ workdir: dir.path, prompt: "Do it.", stepFolder: dir.path, clock: systemClock },
    ask: { commands: ASK_COMMANDS, channelFolder: `${dir.path}/asks`, launcherFolder: dir.path, panewright: ["true"] },
    signal: new AbortController().signal,
  }, account);
  const done: string[] = [];
  const untilWritten = new Promise<void>((resolve) => watch.written.addEventListener("abort", () => resolve()));
  const attempt = watch.run({
    start: () =>
      Promise.resolve({
        ended: Promise.resolve(0),
        listPids: () => Promise.resolve([]),
        stop: () => Promise.resolve(void done.push("stopped")),
      }),
    follow: () => [untilWritten.then(() => void done.push("followed"))],
    drain: () => {
      throw new Error("the disk is full");
    },
  });
  await assertRejects(() => attempt, Error, "the disk is full");
  assertEquals(done, ["stopped", "followed"]);
  assert(watch.written.aborted);
});
