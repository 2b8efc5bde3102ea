import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { watchScreen } from "../../../lib/api/operations/screen.ts";
import { HOSTILE_TEXTS } from "../../support/hostile_texts.ts";
import { agentReady, execWaiting, RUN_ID, writeReview, writeRun } from "../../support/run_folders.ts";
import { readEvents, testServer } from "./support.ts";
import { activityLine, activityPathOf } from "../../../lib/run/activity_file.ts";
import { initialProgress, type Progress } from "../../../lib/journal/progress.ts";
import type { Worker } from "../../../lib/journal/workers.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import type { ScreenEvent } from "../../../lib/api/output/screen_event.ts";
import { ScreenHub } from "../../../lib/api/follow/screens/screen_hub.ts";
import type { WatchedRun } from "../../../lib/api/follow/screens/role_screen.ts";
import type { PaneRef } from "../../../lib/tmux/client.ts";
import { sanitizeText } from "../../../lib/base/text/sanitize.ts";
import { plainRow } from "../../../lib/base/text/ansi.ts";
import { tmuxSandbox, until } from "../../tmux/support.ts";

const SINCE = "2026-11-20T07:26:05.000Z";
const SECRET = "correct-horse-battery";

/** A run whose state a test changes. */
interface FakeRun extends WatchedRun {
  progress: Progress;
  executed: boolean;
}

function fakeRun(workdir: string, progress: Progress): FakeRun {
  return { folder: runFolderAt(workdir, "20261120-072605-3fa9"), progress, executed: true };
}

function worker(pane: PaneRef | undefined, change: Partial<Worker> = {}): Worker {
  const known = { wrapperShell: undefined, launchedAtMs: 0, processStart: undefined };
  return {
    name: "programmer",
    provider: "codex",
    status: "processing",
    since: SINCE,
    sessionId: undefined,
    pane: pane === undefined ? undefined : { terminalId: pane.paneId, pid: pane.pid, ...known },
    folder: undefined,
    ...change,
  };
}

type Screen = Extract<ScreenEvent, { readonly type: "screen" }>;

/** Follows a role and keeps what it is told. */
function collect(hub: ScreenHub, run: WatchedRun) {
  const events: ScreenEvent[] = [];
  const leave = new AbortController();
  const done = (async () => {
    try {
      for await (const event of hub.follow(run, "programmer", leave.signal)) events.push(event);
    } catch (error) {
      if (!leave.signal.aborted) throw error;
    }
  })();
  return {
    events,
    last: () => events.at(-1),
    screens: () => events.filter((event): event is Screen => event.type === "screen"),
    done,
    leave: async () => {
      leave.abort();
      await done;
    },
  };
}

Deno.test("the screen of a role is told as it changes: styled, without secrets, with cursor, size and status", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 60, rows: 6 });
  const script =
    `printf '\\033[31mred\\033[0m ${SECRET}\\033]8;;http://evil\\007\\033]2;title ${SECRET}\\007 a\\342\\200\\256b';` +
    " read line; printf 'got %s' \"$line\"; read line";
  const pane = await session.openPane({ name: "programmer", argv: ["sh", "-c", script], cwd: sandbox.home });
  const state = { socket: sandbox.client.socket, name: "test", existing: false, mark: "m", opened: true };
  const run = fakeRun(sandbox.home, { ...initialProgress("run"), session: state, workers: [worker(pane)] });
  await using hub = new ScreenHub({ redactor: createRedactor([SECRET]) });
  const first = collect(hub, run);
  const second = collect(hub, run);
  await until(() => first.screens().at(-1)?.pane?.text ?? "", (text) => text.includes("red"));
  assertEquals(hub.size, 1);
  const { pane: frame, status, provider, since } = first.screens().at(-1)!;
  assertEquals([status, provider, since, frame?.columns, frame?.rows], ["processing", "codex", SINCE, 60, 6]);
  assertEquals(frame?.text.split("\n")[0], "\x1b[31mred\x1b[39m redactedxxxxxxxxxxxxx ab");
  assertEquals(frame?.title.includes(SECRET), false);
  assertEquals(frame?.cursor, { column: 28, row: 0 });

  await session.client.run(["send-keys", "-t", pane.paneId, "hello", "Enter"]);
  await until(() => second.screens().at(-1)?.pane?.text ?? "", (text) => plainRow(text).includes("got hello"));

  run.progress = { ...run.progress, workers: [worker(pane, { status: "idle" })] };
  await until(() => first.screens().at(-1)?.status, (seen) => seen === "idle");
  const told = first.events.map((event) => JSON.stringify({ ...event, at: "" }));
  assertEquals(told.filter((event, index) => event === told[index - 1]), [], "what stands still is not told again");

  await first.leave();
  assertEquals(hub.size, 1);
  await second.leave();
  assertEquals(hub.size, 0);
  await until(async () => (await sandbox.client.run(["list-clients"])).stdout, (clients) => clients === "");
});

Deno.test("a role is watched from before its agent is ready until its terminal is closed", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 60, rows: 6 });
  const run = fakeRun(sandbox.home, initialProgress("run"));
  await using hub = new ScreenHub({ redactor: createRedactor([]) });
  const seen = collect(hub, run);
  await until(() => seen.last(), (event) => event?.type === "screen");
  assertEquals(seen.screens()[0]?.pane, null);
  assertEquals([seen.screens()[0]?.status, seen.screens()[0]?.why], ["none", "its agent was not started yet"]);

  const state = { socket: sandbox.client.socket, name: "test", existing: false, mark: "m", opened: true };
  const argv = ["sh", "-c", "echo trust this folder?; read line"] as const;
  const pane = await session.openPane({ name: "programmer", argv, cwd: sandbox.home });
  run.progress = { ...run.progress, session: state, workers: [worker(undefined, { status: "starting" })] };
  await until(() => seen.screens().at(-1)?.pane?.text ?? "", (text) => text.includes("trust this folder?"));

  run.progress = { ...run.progress, workers: [worker(pane, { status: "idle" })] };
  await session.closePane(pane);
  await until(() => seen.screens().at(-1)?.pane, (frame) => frame === null);
  assertStringIncludes(seen.screens().at(-1)?.why ?? "", "the pane is gone");
  run.executed = false;
  await seen.done;
  assertEquals(seen.last()?.type, "end");
});

Deno.test("another program in a pane of that number is not shown", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 60, rows: 6 });
  const pane = await session.openPane({ name: "x", argv: ["sh", "-c", "echo private; read line"], cwd: sandbox.home });
  const state = { socket: sandbox.client.socket, name: "test", existing: true, mark: "m", opened: true };
  const workers = [worker({ ...pane, pid: pane.pid + 1 })];
  const run = fakeRun(sandbox.home, { ...initialProgress("run"), session: state, workers });
  await using hub = new ScreenHub({ redactor: createRedactor([]) });
  const seen = collect(hub, run);
  await until(() => seen.last(), (event) => event?.type === "screen");
  assertEquals(seen.screens()[0]?.pane, null);
  assertStringIncludes(seen.screens()[0]?.why ?? "", "another program");
  assertEquals((await sandbox.client.run(["list-clients"])).stdout, "", "no client is added to a person's session");
  await seen.leave();
});

Deno.test("an agent without a terminal shows its last rows first, and then what is new", async () => {
  const home = await Deno.makeTempDir();
  try {
    const workers = [worker(undefined, { protocol: "acp" })];
    const run = fakeRun(home, { ...initialProgress("run"), workers });
    const path = activityPathOf(run.folder, "programmer");
    await Deno.mkdir(run.folder.agentsDir, { recursive: true });
    const say = (text: string) => activityLine({ at: SINCE, activity: { type: "message", text } });
    await Deno.writeTextFile(path, Array.from({ length: 700 }, (_, index) => say(`row ${index}\n`)).join(""));
    await using hub = new ScreenHub({ redactor: createRedactor([SECRET]) });
    const seen = collect(hub, run);
    const activities = () => seen.events.filter((event) => event.type === "activity");
    await until(() => activities().length, (count) => count > 0);
    const [first] = activities();
    assert(first !== undefined && first.isReset);
    assertEquals([first.rows.length, first.rows[0]?.text, first.rows.at(-1)?.text], [500, "row 200", "row 699"]);
    await Deno.writeTextFile(path, say(`more \x1b[2J${SECRET}\n`), { append: true });
    await until(() => activities().length, (count) => count > 1);
    const added = activities()[1]!;
    assertEquals([added.isReset, added.rows.length, added.rows[0]?.text], [
      false,
      1,
      "more \\x1b[2Jredactedxxxxxxxxxxxxx",
    ]);
    run.executed = false;
    await seen.done;
    assertEquals(seen.last()?.type, "end");
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("a follower who reads slowly is told the newest, not all", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 40, rows: 4 });
  const argv = ["sh", "-c", "while read line; do echo said $line; done"] as const;
  const pane = await session.openPane({ name: "programmer", argv, cwd: sandbox.home });
  const state = { socket: sandbox.client.socket, name: "test", existing: false, mark: "m", opened: true };
  const run = fakeRun(sandbox.home, { ...initialProgress("run"), session: state, workers: [worker(pane)] });
  await using hub = new ScreenHub({ redactor: createRedactor([]) });
  const quick = collect(hub, run);
  const leave = new AbortController();
  const slow = hub.follow(run, "programmer", leave.signal);
  await slow.next();
  for (const word of ["one", "two", "three"]) {
    await session.client.run(["send-keys", "-t", pane.paneId, word, "Enter"]);
    await until(() => quick.screens().at(-1)?.pane?.text ?? "", (text) => text.includes(`said ${word}`));
  }
  const { value } = await slow.next();
  assert(value?.type === "screen" && value.pane !== null);
  assertStringIncludes(value.pane.text, "said three");
  await slow.return(undefined);
  await quick.leave();
});

/** What is answered, by the schema that the OpenAPI document has. */
const FRAMES = watchScreen.replies[200]!.schema!;

Deno.test("over HTTP: frames as the document has them; unknown roles, pipelines and runs are refused", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 60, rows: 6 });
  const argv = ["sh", "-c", "printf '\\033[1mready\\033[0m'; read line"] as const;
  const pane = await session.openPane({ name: "programmer", argv, cwd: sandbox.home });
  const dir = { path: sandbox.home };
  const { socket } = sandbox.client;
  const started = agentReady({ socket, pid: pane.pid }).map((fact) =>
    fact.type === "session_opening"
      ? { ...fact, session: "test" }
      : fact.type === "agent_ready"
      ? { ...fact, terminalId: pane.paneId }
      : fact
  );
  const folder = await writeReview(dir, started);
  const exec = "20261120-080000-77c1";
  await writeRun({ workdir: dir.path, id: exec, events: execWaiting(dir.path, exec) });
  const held = await tryLockFile(folder.lockPath, "process 1");
  await using server = testServer(dir.path);
  const path = `/v1/runs/${RUN_ID}/screens/programmer`;
  const response = await server.ask(path);
  assertEquals([response.status, response.headers.get("content-type")], [200, "text/event-stream"]);
  const events = readEvents(response);
  const { value: first } = await events.next();
  FRAMES.parse(first?.data);
  assertEquals([first?.event, first?.data.type, first?.data.status], ["message", "screen", "idle"]);
  assertStringIncludes(first?.data.pane.text, "\x1b[1mready");
  const second = readEvents(await server.ask(path));
  assertStringIncludes((await second.next()).value?.data.pane.text, "ready");
  assertEquals(server.app.context.screens.size, 1);
  await second.return(undefined);

  held?.[Symbol.dispose]();
  await session.closePane(pane);
  const rest = await Array.fromAsync(events);
  for (const { data } of rest) FRAMES.parse(data);
  assertEquals(rest.at(-1)?.data.type, "end");
  await until(() => server.app.context.screens.size, (size) => size === 0);

  const codeOf = async (wrong: string) => (await (await server.ask(wrong)).json()).code;
  assertEquals(await codeOf(`/v1/runs/${RUN_ID}/screens/boss`), "unknown_role");
  assertEquals(await codeOf(`/v1/runs/${exec}/screens/programmer`), "unknown_role");
  assertEquals(await codeOf("/v1/runs/20261120-072605-0000/screens/programmer"), "unknown_run");
});

Deno.test("hostile text of an agent stays text", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ cols: 80, rows: 24 });
  const text = HOSTILE_TEXTS.flatMap(({ units }) => units.map((unit) => unit.repeat(9))).join("\n");
  await Deno.writeTextFile(`${sandbox.home}/hostile`, text);
  const argv = ["sh", "-c", "cat hostile; printf '\\033[0m\\033[?1049l\\nover'; read line"] as const;
  const pane = await session.openPane({ name: "programmer", argv, cwd: sandbox.home });
  const state = { socket: sandbox.client.socket, name: "test", existing: false, mark: "m", opened: true };
  const run = fakeRun(sandbox.home, { ...initialProgress("run"), session: state, workers: [worker(pane)] });
  await using hub = new ScreenHub({ redactor: createRedactor([]) });
  const seen = collect(hub, run);
  await until(() => seen.screens().at(-1)?.pane?.text ?? "", (shown) => shown.includes("over"));
  const frame = seen.screens().at(-1)!.pane!;
  // deno-lint-ignore no-control-regex -- the only control sequence that may be there
  const shown = frame.text.replaceAll(/\x1b\[[0-9;:]*m/g, "").replaceAll(/[\u00ad\u200d]/g, "");
  assertEquals(shown, sanitizeText(shown));
  assertEquals(frame.text.split("\n").length, frame.rows);
  await seen.leave();
});
