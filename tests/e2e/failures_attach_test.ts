import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { type FailureStage, passAfter, setUpFailureStage, type StartedRun } from "./failures_stage.ts";

/** A person's terminal of a given size in which the run's panes are shown: a tmux of its own around the client. */
interface PersonsTerminal extends AsyncDisposable {
  resize(cols: number, rows: number): Promise<void>;
  /** Presses keys, by tmux's names. */
  press(...keys: readonly string[]): Promise<void>;
  screen(): Promise<string>;
}

async function attach(
  stage: FailureStage,
  run: StartedRun,
  { name, cols, rows }: { readonly name: string; readonly cols: number; readonly rows: number },
): Promise<PersonsTerminal> {
  const runId = String((await run.fact("run_started"))["runId"]);
  const tmux = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await stage.command("tmux", "-L", name, "-f", "/dev/null", ...args);
    assertEquals(code, 0, stderr);
    return stdout;
  };
  const client = ["env", "-u", "TMUX", "tmux", "-L", `panewright-${runId}`, "attach-session", "-t", "=panewright"];
  await tmux("new-session", "-d", "-x", String(cols), "-y", String(rows), "--", ...client);
  await tmux("set-option", "-g", "window-size", "manual");
  return {
    resize: async (width, height) => void await tmux("resize-window", "-x", String(width), "-y", String(height)),
    press: async (...keys) => void await tmux("send-keys", ...keys),
    screen: () => tmux("capture-pane", "-p"),
    async [Symbol.asyncDispose]() {
      await stage.command("tmux", "-L", name, "kill-server");
      await Deno.remove(`${stage.env["TMUX_TMPDIR"]}/tmux-${Deno.uid()}/${name}`).catch(() => {});
    },
  };
}

/** The sizes of all panes, each once. */
async function paneSizes(run: StartedRun): Promise<readonly string[]> {
  const sizes = await run.tmux("list-panes", "-a", "-F", "#{pane_width}x#{pane_height}");
  return [...new Set(sizes.split("\n"))];
}

async function clientsOf(run: StartedRun): Promise<number> {
  const clients = await run.tmux("list-clients", "-F", "#{client_control_mode}");
  return clients.split("\n").filter((line) => line === "0").length;
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await isSo()) return;
    await systemClock.sleep(50);
  }
  throw new Error(`This did not come: ${what}`);
}

Deno.test("terminal resized by an attached person: the panes keep their size and the run passes", async () => {
  await using stage = await setUpFailureStage({ tester: passAfter(6000) });
  await using run = stage.run();
  await run.untilTesterWorks();
  {
    await using person = await attach(stage, run, { name: "person", cols: 60, rows: 15 });
    await until(async () => await clientsOf(run) === 1, "the person's client");
    await until(async () => (await person.screen()).trim() !== "", "something to see");
    assertEquals(await paneSizes(run), ["120x40"]);
    await person.resize(200, 60);
    await systemClock.sleep(300);
    assertEquals(await paneSizes(run), ["120x40"]);
    await person.resize(30, 8);
    await systemClock.sleep(300);
    assertEquals(await paneSizes(run), ["120x40"]);
  }
  const { code, stderr } = await run.ended();
  assertEquals(code, 0, stderr);
  await stage.sandbox.assertNothingLeft();
});

Deno.test("a second person attaches, and both detach again: the run does not notice and passes", async () => {
  await using stage = await setUpFailureStage({ tester: passAfter(6000) });
  await using run = stage.run();
  await run.untilTesterWorks();
  {
    await using one = await attach(stage, run, { name: "one", cols: 60, rows: 15 });
    await using two = await attach(stage, run, { name: "two", cols: 150, rows: 50 });
    await until(async () => await clientsOf(run) === 2, "two clients");
    assertEquals(await paneSizes(run), ["120x40"]);
    assertStringIncludes(await run.tmux("list-sessions"), "(attached)");
    // The outer tmux gives on the key that the inner one takes for its own.
    await one.press("C-b", "d");
    await until(async () => await clientsOf(run) === 1, "the first one to detach");
    await two.press("C-b", "d");
    await until(async () => await clientsOf(run) === 0, "the second one to detach");
    assertEquals(await paneSizes(run), ["120x40"]);
  }
  const { code, stderr } = await run.ended();
  assertEquals(code, 0, stderr);
  await stage.sandbox.assertNothingLeft();
});
