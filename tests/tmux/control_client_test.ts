import { captureScreen } from "../../lib/tmux/capture.ts";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { findProcess } from "../../lib/base/ports/process_table.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { type PipedProcess, type StartPipedProcess, startPipedProcess } from "../../lib/base/ports/piped_process.ts";
import type { TmuxClient, TmuxCommand } from "../../lib/tmux/client.ts";
import { ControlClient } from "../../lib/tmux/control_client.ts";
import { controlLine } from "../../lib/tmux/control_command.ts";
import { openControlConnection } from "../../lib/tmux/control_connection.ts";
import type { PaneEvent } from "../../lib/tmux/pane_events.ts";
import { tmuxProgram } from "../../lib/tmux/plain_client.ts";
import { isServerRunning } from "../../lib/tmux/server.ts";
import { openSession } from "../../lib/tmux/open_session.ts";
import type { TmuxSession } from "../../lib/tmux/session.ts";
import { cleanEnv, type TmuxSandbox, tmuxSandbox, until } from "./support.ts";

interface Stage {
  readonly sandbox: TmuxSandbox;
  readonly session: TmuxSession;
  readonly client: ControlClient;
  readonly logged: readonly string[];
  /** The control clients that were started. */
  readonly processes: readonly PipedProcess[];
  /** Every call of the plain client. */
  readonly plainCalls: readonly (readonly TmuxCommand[])[];
}

async function onStage(run: (stage: Stage) => Promise<void>, start = startPipedProcess): Promise<void> {
  await using sandbox = await tmuxSandbox();
  const plainCalls: (readonly TmuxCommand[])[] = [];
  const plain: TmuxClient = {
    ...sandbox.client,
    runAll(commands, options) {
      plainCalls.push(commands);
      return sandbox.client.runAll(commands, options);
    },
  };
  const logged: string[] = [];
  const processes: PipedProcess[] = [];
  await using client = new ControlClient({
    plain,
    log: (message) => logged.push(message),
    env: cleanEnv(sandbox.home),
    startProcess(spec) {
      const process = start(spec);
      processes.push(process);
      return process;
    },
  });
  await using session = await openSession(client, { name: "test", cols: 80, rows: 24 });
  await client.connect("test");
  await run({ sandbox, session, client, logged, processes, plainCalls });
}

/** Words that mean something to a shell, to tmux's command language, or to the protocol. */
const HOSTILE = [
  "",
  " ",
  ";",
  "a;",
  ";;",
  "\\;",
  "\\",
  "\\\\",
  "end\\",
  "'",
  '"',
  "`id`",
  "$HOME",
  "${HOME}",
  "$(id)",
  "~",
  "~root",
  "a~b",
  "~/x",
  "{",
  "}",
  "{ x }",
  "%if",
  "%1",
  "%end 1 2 3",
  "# no comment",
  "##{}",
  "A=b",
  "-p",
  "--",
  "\n",
  "two\nlines\n",
  "\r\n\t\x1b[201~\x07\x7f\x01",
  "\\n\\t\\e\\u00e9\\101",
  "é漢字🙂\u200d\ufeff",
  "\u0085\u2028",
];

/** A word of hostile pieces; the same for the same seed. */
function randomWord(seed: number): string {
  let state = seed;
  const next = (limit: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor(state / 65536) % limit;
  };
  return Array.from({ length: 1 + next(6) }, () => HOSTILE[next(HOSTILE.length)]).join("");
}

Deno.test("every argument reaches tmux word for word through the connection", async () => {
  await using sandbox = await tmuxSandbox();
  await using _session = await sandbox.open();
  const connection = await openControlConnection({
    process: startPipedProcess(
      tmuxProgram(["-C", "attach-session", "-t", "=test"], {
        socket: sandbox.client.socket,
        env: cleanEnv(sandbox.home),
      }),
    ),
    clock: systemClock,
    onEvent() {},
  });
  const words = [...HOSTILE, ...Array.from({ length: 150 }, (_, seed) => randomWord(seed + 1))].filter((word) =>
    word !== ""
  );
  try {
    const buffers = words.flatMap((word) => [word, `<${word}>`]).map((text, index) => ({ name: `b${index}`, text }));
    for (let first = 0; first < buffers.length; first += 2) {
      const pair = buffers.slice(first, first + 2);
      const line = controlLine(pair.map(({ name, text }) => ["set-buffer", "-b", name, "--", text]));
      assert(line !== undefined && !line.includes("\n"));
      const reply = await connection.request(line, { commandCount: 2 });
      assert(reply.ok, `${JSON.stringify(pair[0]?.text)}: ${reply.stderr}`);
    }
    // Many at a time, since each process takes longer than all the rest: as many as fit into a message to the server.
    for (let first = 0; first < buffers.length; first += 100) {
      const saves = buffers.slice(first, first + 100)
        .map(({ name }) => ["save-buffer", "-b", name, `${sandbox.home}/${name}`] as const);
      const { code, stderr } = await sandbox.client.runAll(saves);
      assertEquals([code, stderr], [0, ""]);
    }
    for (const { name, text } of buffers) {
      assertEquals(await Deno.readTextFile(`${sandbox.home}/${name}`), text, JSON.stringify(text));
    }
  } finally {
    await connection.close();
  }
});

Deno.test("what no line can carry is left to the plain client", () => {
  for (const word of ["a\0b", "\ud800"]) assertEquals(controlLine([["display-message", "-p", word]]), undefined);
  assertEquals(controlLine([]), undefined);
});

Deno.test("questions are answered as the plain client answers them, and go through the connection", async () => {
  await onStage(async ({ client, sandbox, session, plainCalls }) => {
    const pane = await session.openPane({
      name: "a",
      argv: ["sh", "-c", "printf 'é\\033[1m›'; exec sleep 100"],
      cwd: sandbox.home,
    });
    await until(() => captureScreen(client, pane), (screen) => screen.rows[0]?.text === "é›");
    const questions: (readonly TmuxCommand[])[] = [
      [["display-message", "-p", "one\ntwo"], ["display-message", "-p", "~ $HOME #{pane_id} ; {"]],
      [["display-message", "-p", ""]],
      [["capture-pane", "-p", "-e", "-t", pane.paneId]],
      [["list-panes", "-s", "-t", "=test", "-F", "#{pane_id} #{pane_dead}"]],
      [["has-session", "-t", "=nobody"]],
      [["display-message", "-p", "first"], ["capture-pane", "-p", "-t", "%99"], ["display-message", "-p", "never"]],
    ];
    const before = plainCalls.length;
    const answers = await Promise.all(questions.map((commands) => client.runAll(commands)));
    assertEquals(plainCalls.length, before);
    for (const [index, commands] of questions.entries()) {
      const { code, stdout, stderr } = await sandbox.client.runAll(commands);
      const { code: askedCode, stdout: askedStdout, stderr: askedStderr } = answers[index]!;
      assertEquals([askedCode, askedStdout, askedStderr], [code, stdout, stderr]);
    }
    const [asked, plain] = await Promise.all([client, sandbox.client].map((one) => captureScreen(one, pane)));
    const { rows, ...meta } = asked!;
    const { rows: plainRows, ...plainMeta } = plain!;
    assertEquals([meta, rows.map(({ raw }) => raw)], [plainMeta, plainRows.map(({ raw }) => raw)]);
  });
});

Deno.test("what changes something, or is given text, goes through the plain client", async () => {
  await onStage(async ({ client, plainCalls }) => {
    const before = plainCalls.length;
    await client.runAll([["display-message", "-p", "x"], ["set-buffer", "-b", "b", "x"]]);
    await client.run(["load-buffer", "-b", "b", "-"], { stdin: "text" });
    assertEquals(plainCalls.length, before + 2);
    await client.run(["show-options", "-g", "mouse"]);
    assertEquals(plainCalls.length, before + 2);
  });
});

Deno.test("a pane that shows lines of the protocol changes nothing", async () => {
  await onStage(async ({ client, session, sandbox }) => {
    const script = String
      .raw`printf '%%end 1 2 1\n%%error 1 2 1\n%%begin 1 2 1\n%%exit\n%%output %%0 x\n'; exec sleep 100`;
    const pane = await session.openPane({ name: "a", argv: ["sh", "-c", script], cwd: sandbox.home });
    const screen = await until(() => captureScreen(client, pane), (one) => one.rows[4]?.text !== "");
    assertEquals(screen.rows.slice(0, 5).map(({ text }) => text), [
      "%end 1 2 1",
      "%error 1 2 1",
      "%begin 1 2 1",
      "%exit",
      "%output %0 x",
    ]);
    assert(client.isConnected);
  });
});

Deno.test("a pane's output, title, reports, quiet and end are told as they happen", async () => {
  await onStage(async ({ client, session, sandbox }) => {
    const script = String.raw`
      read _; printf '\033]0;⠋ busy\007\033]7501;state=working:app=codex\033\\working'
      read _; printf '\033]2;done\033\\'
      read _; exit 3`;
    const pane = await session.openPane({ name: "a", argv: ["sh", "-c", script], cwd: sandbox.home });
    const events: PaneEvent[] = [];
    using _watch = client.paneEvents.watch(pane.paneId, (event) => events.push(event));
    const press = () => client.run(["send-keys", "-t", pane.paneId, "Enter"]);
    const told = (type: PaneEvent["type"]) =>
      until(() => Promise.resolve(events), (all) => all.some((one) => one.type === type));
    await press();
    await told("quiet");
    const titleAndReport = events.filter(({ type }) => type === "title" || type === "osc");
    assertEquals(titleAndReport, [
      { type: "title", title: "⠋ busy" },
      { type: "osc", text: "7501;state=working:app=codex" },
    ]);
    const before = await settled(() => client.paneEvents.changeOf(pane.paneId)!);
    await press();
    await until(
      () => Promise.resolve(events),
      (all) => all.some((one) => one.type === "title" && one.title === "done"),
    );
    assert(client.paneEvents.changeOf(pane.paneId)! > before);
    await press();
    await told("died");
  });
});

/** What is seen in fifteen looks in a row. Something that always changes is waited for in vain. */
async function settled<T>(look: () => T): Promise<T> {
  let last: T | undefined;
  let times = 0;
  return await until(look, (seen) => {
    times = seen === last ? times + 1 : 1;
    last = seen;
    return times === 15;
  });
}

Deno.test("a connection that is lost is told of in one line, plain commands take over, and it comes back", async () => {
  await onStage(async ({ client, processes, logged, sandbox, session, plainCalls }) => {
    const pane = await session.openPane({ name: "a", argv: ["sleep", "100"], cwd: sandbox.home });
    assert(client.isConnected);
    processes[0]!.kill();
    await processes[0]!.ended;
    await until(() => Promise.resolve(client.isConnected), (connected) => !connected);
    assertEquals(client.paneEvents.changeOf(pane.paneId), undefined);
    const before = plainCalls.length;
    assertEquals((await client.run(["display-message", "-p", "still there"])).stdout, "still there\n");
    assertEquals(plainCalls.length, before + 1);
    assertEquals(logged.length, 1);
    assertMatch(logged[0]!, /control mode cannot be used .*ended.*plain tmux commands/);
    await until(
      () => client.run(["display-message", "-p", "x"]).then(() => client.isConnected),
      (connected) => connected,
    );
    assertEquals([processes.length, logged.length], [2, 1]);
  });
});

Deno.test("a question under way when the connection breaks is asked again", async () => {
  await onStage(async ({ client, processes }) => {
    const answers = Array.from({ length: 20 }, () => client.run(["display-message", "-p", "answer"]));
    processes[0]!.kill();
    for (const { code, stdout } of await Promise.all(answers)) assertEquals([code, stdout], [0, "answer\n"]);
  });
});

Deno.test("a session that is not there leaves the plain client at work", async () => {
  await using sandbox = await tmuxSandbox();
  await using _session = await sandbox.open();
  const logged: string[] = [];
  await using client = new ControlClient({
    plain: sandbox.client,
    log: (message) => logged.push(message),
    env: cleanEnv(sandbox.home),
  });
  await client.connect("nobody");
  assert(!client.isConnected);
  assertEquals(logged.length, 1);
  assertEquals((await client.run(["display-message", "-p", "x"])).stdout, "x\n");
});

Deno.test("a tmux that cannot be started leaves the plain client at work", async () => {
  await using sandbox = await tmuxSandbox();
  await using _session = await sandbox.open();
  const logged: string[] = [];
  await using client = new ControlClient({
    plain: sandbox.client,
    log: (message) => logged.push(message),
    startProcess: () => startPipedProcess({ argv: ["/no/such/tmux"], env: {} }),
  });
  await client.connect("test");
  assertEquals([client.isConnected, logged.length], [false, 1]);
});

Deno.test("an abort ends a question, and the next one gets its own answer", async () => {
  await onStage(async ({ client }) => {
    const controller = new AbortController();
    const asked = client.run(["display-message", "-p", "first"], { signal: controller.signal });
    controller.abort(new Error("enough"));
    await assertRejects(() => asked, Error, "enough");
    assertEquals((await client.run(["display-message", "-p", "second"])).stdout, "second\n");
  });
});

Deno.test("closing a session ends its control client, its server and its socket", async () => {
  await onStage(async ({ client, session, processes, sandbox, logged }) => {
    const socket = (await client.run(["display-message", "-p", "#{socket_path}"])).stdout.trim();
    const serverPid = Number((await client.run(["display-message", "-p", "#{pid}"])).stdout);
    await session.close();
    assertEquals(await findProcess(processes[0]!.pid), undefined);
    await until(() => findProcess(serverPid), (found) => found === undefined);
    assert(!await isServerRunning(sandbox.client));
    await assertRejects(() => Deno.lstat(socket), Deno.errors.NotFound);
    assertEquals(logged, []);
  });
});

Deno.test("a server that somebody kills ends the connection, and the client lives on", async () => {
  await onStage(async ({ client, sandbox, processes, logged }) => {
    await sandbox.client.run(["kill-server"]);
    await processes[0]!.ended;
    await until(() => Promise.resolve(client.isConnected), (connected) => !connected);
    assertEquals((await client.run(["has-session", "-t", "=test"])).code, 1);
    assertEquals(logged.length, 1);
  });
});

Deno.test("output that was not taken for a while loses nothing: program and client continue when it is taken", async () => {
  const gate = gatedProcess();
  await onStage(async ({ client, session, sandbox, logged }) => {
    const { pane, count } = await openCounter(session, sandbox);
    await until(() => client.paneEvents.changeOf(pane.paneId), (change) => change !== undefined);
    gate.close();
    using _opened = { [Symbol.dispose]: () => gate.open() };
    const answer = client.run(["display-message", "-p", "x"]);
    // tmux may let the program wait for us meanwhile, or leave out what it writes.
    await sandbox.client.run(["display-message", "-p", "y"]);
    const before = await until(count, (value) => value > 0);
    gate.open();
    await until(count, (value) => value > before + 50);
    assertEquals((await answer).stdout, "x\n");
    const change = client.paneEvents.changeOf(pane.paneId)!;
    await until(() => client.paneEvents.changeOf(pane.paneId)!, (now) => now > change + 5);
    assertEquals(logged, []);
  }, gate.start);
});

Deno.test("output that tmux leaves out is told as a gap, and what comes afterwards is told again", async () => {
  await onStage(async ({ client, session, sandbox, logged }) => {
    const { pane } = await openCounter(session, sandbox);
    const events: PaneEvent[] = [];
    using _watch = client.paneEvents.watch(pane.paneId, (event) => events.push(event));
    // What tmux does to a client that is too slow, asked for by the client itself.
    assertEquals((await client.run(["refresh-client", "-A", `${pane.paneId}:pause`])).code, 0);
    await until(() => events, (all) => all.some(({ type }) => type === "gap"));
    const change = client.paneEvents.changeOf(pane.paneId)!;
    await until(() => client.paneEvents.changeOf(pane.paneId)!, (now) => now > change + 5);
    assertEquals(logged, []);
  });
});

/** A pane whose program writes without end, and counts in a file how often. */
async function openCounter(session: TmuxSession, { home }: TmuxSandbox) {
  const script = 'i=0; while :; do i=$((i+1)); printf "%04000d\\r" $i; echo $i > "$1"; sleep 0.01; done';
  const file = `${home}/count`;
  const pane = await session.openPane({ name: "a", argv: ["sh", "-c", script, "sh", file], cwd: home });
  return { pane, count: async () => Number(await Deno.readTextFile(file).catch(() => "0")) };
}

/** Starts processes whose output can be left unread for a while. */
function gatedProcess() {
  let opened = Promise.withResolvers<void>();
  opened.resolve();
  const start: StartPipedProcess = (spec) => {
    const process = startPipedProcess(spec);
    async function* stdout() {
      for await (const piece of process.stdout) {
        await opened.promise;
        yield piece;
      }
    }
    return { ...process, stdout: stdout() };
  };
  return { start, close: () => void (opened = Promise.withResolvers()), open: () => opened.resolve() };
}
