import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type ReadTimeline, readTimeline } from "../../../lib/lab/recordings/timeline_reader.ts";
import { loadTimeline } from "../../../lib/lab/recordings/timeline_file.ts";
import { isServerRunning } from "../../../lib/tmux/server.ts";
import { panewrightFromSource } from "../../support/panewright.ts";
import { runProgram, startProgram } from "../../support/program.ts";
import { cleanEnv, type TmuxSandbox, tmuxSandbox, until } from "../../tmux/support.ts";

const CLEAR = String.raw`\033[2J\033[H`;
const BULLET = String.raw`\342\200\242`;
const PROMPT = String.raw`\342\200\272`;
const SPINNER = String.raw`\342\240\213`;

/** Plays a turn of codex: working, then done. Words of the screen are those of codex 0.169.0. */
const AGENT = `
printf '\\033]2;${SPINNER} shop\\007'
printf '${CLEAR}\\033[1;2m${PROMPT} \\033[0mdo it in %s with %s\\r\\n\\r\\n\\033[2m${BULLET}\\033[0m \\033[2mWorking (1s ${BULLET} esc to interrupt)\\033[0m\\r\\n\\r\\n\\033[1m${PROMPT}\\033[0m \\033[2mAsk Codex to do anything\\033[0m' "$HOME/x" "$MY_API_KEY"
sleep 1
printf '\\033]2;shop\\007'
printf '${CLEAR}\\033[1;2m${PROMPT} \\033[0mdo it\\r\\n\\r\\n${BULLET} done\\r\\n\\r\\n\\033[2m  Worked for 1s ${BULLET} 05:50\\033[0m\\r\\n\\r\\n\\033[1m${PROMPT}\\033[0m \\033[2mAsk Codex to do anything\\033[0m'
sleep "$1"
`;

/** A sandbox with the program under test in it, and an agent to record. */
async function recordingSandbox() {
  const sandbox = await tmuxSandbox();
  const panewright = await panewrightFromSource();
  const sockets = `${sandbox.home}/sockets`;
  await Deno.mkdir(sockets);
  await Deno.writeTextFile(`${sandbox.home}/agent.sh`, AGENT);
  // Under its own name: a pane that shows a shell has lost its agent.
  await Deno.symlink("/bin/sh", `${sandbox.home}/codex`);
  const env = { ...cleanEnv(sandbox.home), ...panewright.env, TMUX_TMPDIR: sockets, MY_API_KEY: "very hidden value" };
  const argv = (...args: string[]) => [...panewright.argv, "record", "--cli-version", "0.169.0", ...args] as const;
  const options = { cwd: sandbox.home, env };
  return {
    ...sandbox,
    agent: (seconds: number) => [`${sandbox.home}/codex`, `${sandbox.home}/agent.sh`, String(seconds)] as const,
    start: (...args: string[]) => startProgram(argv(...args) as [string, ...string[]], options),
    run: (...args: string[]) => runProgram(argv(...args) as [string, ...string[]], { ...options, timeoutMs: 30_000 }),
    serversLeft: () =>
      [...Deno.readDirSync(sockets)].flatMap(({ name }) => [...Deno.readDirSync(`${sockets}/${name}`)]),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

/** The statuses that a recording saw, each once in a row. */
function statusesOf({ frames }: ReadTimeline): readonly string[] {
  const statuses = frames.map(({ status }) => status!.status);
  return statuses.filter((status, index) => status !== statuses[index - 1]);
}

/** Where a socket of the sandbox's own server is, for a program that has another folder for sockets. */
async function socketPath({ client }: TmuxSandbox): Promise<string> {
  return (await client.run(["display-message", "-p", "#{socket_path}"])).stdout.trim();
}

Deno.test("record starts a command in a tmux server of its own, records it to its end, and leaves nothing behind", async () => {
  await using sandbox = await recordingSandbox();
  const { code, stdout, stderr } = await sandbox.run(
    "--provider",
    "codex",
    "-o",
    "a.cast",
    "--size",
    "80x20",
    "--",
    ...sandbox.agent(1),
  );
  assertEquals([code, stdout], [0, `${sandbox.home}/a.cast\n`], stderr);
  assertMatch(stderr, /Attach to it from another terminal: tmux -L panewright-record-\w+ attach-session -t =record\n/);
  assertStringIncludes(stderr, "the command ended.");

  const timeline = await loadTimeline(`${sandbox.home}/a.cast`);
  assertEquals(timeline.header, { ...timeline.header, provider: "codex", version: "0.169.0", cols: 80, rows: 20 });
  // The pane shows the shell that becomes the agent first, and at the end that its program is gone.
  const statuses = statusesOf(timeline).filter((status) => status !== "unknown" && status !== "error");
  assertEquals(statuses, ["processing", "completed"]);
  const working = timeline.frames.find(({ status }) => status?.status === "processing");
  assertEquals([working?.meta.title, working?.meta.alternate], ["⠋ shop", false]);
  assertEquals(timeline.frames.at(-1)?.meta.dead, true);
  assert(timeline.frames.length < 10, `${timeline.frames.length} frames, though little changed`);
  assertEquals(sandbox.serversLeft(), []);
});

Deno.test("what is secret in the environment, and the name of the home folder, are not in the recording", async () => {
  await using sandbox = await recordingSandbox();
  const { code, stderr } = await sandbox.run(
    "--provider",
    "codex",
    "-o",
    "a.cast",
    "--size",
    "160x20",
    "--",
    ...sandbox.agent(0),
  );
  assertEquals(code, 0, stderr);
  const text = await Deno.readTextFile(`${sandbox.home}/a.cast`);
  assertStringIncludes(text, "do it in /");
  assertStringIncludes(text, "with reda ctedxx xxxxx");
  for (const secret of ["hidden", sandbox.home.split("/").at(-1)!]) {
    assert(!text.includes(secret), `${secret} is in it`);
  }
});

Deno.test("record --pane records somebody's pane until Ctrl-C, and touches nothing there", async () => {
  await using sandbox = await recordingSandbox();
  await using session = await sandbox.open({ cols: 100, rows: 20 });
  const pane = await session.openPane({ name: "codex", argv: sandbox.agent(100), cwd: sandbox.home });
  await using recording = sandbox.start(
    "--provider",
    "codex",
    "--pane",
    pane.paneId,
    "--socket",
    await socketPath(sandbox),
    "-o",
    "a.cast",
  );
  await until(
    () => Deno.readTextFile(`${sandbox.home}/a.cast`).catch(() => ""),
    (text) => text.includes("status: completed"),
  );
  recording.kill("SIGINT");
  const { code, stderr } = await recording.ended;
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, "stopped.");
  const timeline = await loadTimeline(`${sandbox.home}/a.cast`);
  assertEquals([timeline.warnings, timeline.header.cols, timeline.frames.at(-1)?.status?.status], [
    [],
    100,
    "completed",
  ]);
  assert(await isServerRunning(sandbox.client));
});

Deno.test("a recorder that is killed leaves behind all that it has seen", async () => {
  await using sandbox = await recordingSandbox();
  await using session = await sandbox.open({ cols: 100, rows: 20 });
  const pane = await session.openPane({ name: "codex", argv: sandbox.agent(100), cwd: sandbox.home });
  await using recording = sandbox.start(
    "--provider",
    "codex",
    "--pane",
    pane.paneId,
    "--socket",
    await socketPath(sandbox),
    "-o",
    "a.cast",
  );
  const text = await until(
    () => Deno.readTextFile(`${sandbox.home}/a.cast`).catch(() => ""),
    (text) => text.includes('"o"'),
  );
  recording.kill("SIGKILL");
  await recording.ended;
  const { frames } = readTimeline(await Deno.readTextFile(`${sandbox.home}/a.cast`));
  assert(frames.length >= readTimeline(text).frames.length && frames.length > 0);
});

Deno.test("a recording ends when the pane that it watches is closed", async () => {
  await using sandbox = await recordingSandbox();
  await using session = await sandbox.open({ cols: 100, rows: 20 });
  const pane = await session.openPane({ name: "codex", argv: sandbox.agent(100), cwd: sandbox.home });
  await session.openPane({ name: "other", argv: ["sleep", "100"], cwd: sandbox.home });
  await using recording = sandbox.start(
    "--provider",
    "codex",
    "--pane",
    pane.paneId,
    "--socket",
    await socketPath(sandbox),
    "-o",
    "a.cast",
    "--json",
    "-q",
  );
  await until(() => Deno.readTextFile(`${sandbox.home}/a.cast`).catch(() => ""), (text) => text.includes('"o"'));
  await session.closePane(pane);
  const { code, stdout, stderr } = await recording.ended;
  assertEquals([code, stderr], [0, ""]);
  const said = JSON.parse(stdout);
  assertEquals([said.file, said.ended], [`${sandbox.home}/a.cast`, "pane_gone"]);
});

Deno.test("another signal than Ctrl-C ends a recording as well, with the signal's exit code, and its server goes too", async () => {
  await using sandbox = await recordingSandbox();
  await using recording = sandbox.start("--provider", "codex", "-o", "a.cast", "--", ...sandbox.agent(100));
  await until(() => Deno.readTextFile(`${sandbox.home}/a.cast`).catch(() => ""), (text) => text.includes('"o"'));
  recording.kill("SIGTERM");
  assertEquals((await recording.ended).code, 143);
  assertEquals(sandbox.serversLeft(), []);
});

Deno.test("a file that exists is not replaced, and nothing is started", async () => {
  await using sandbox = await recordingSandbox();
  await Deno.writeTextFile(`${sandbox.home}/a.cast`, "mine");
  const { code, stderr } = await sandbox.run(
    "--provider",
    "codex",
    "-o",
    "a.cast",
    "--",
    "touch",
    `${sandbox.home}/started`,
  );
  assertEquals(code, 2);
  assertStringIncludes(stderr, "it exists already");
  assertEquals(await Deno.readTextFile(`${sandbox.home}/a.cast`), "mine");
  assertEquals(await Deno.stat(`${sandbox.home}/started`).then(() => true, () => false), false);
});

for (
  const [problem, code, args, message] of [
    ["no provider", 2, ["--pane", "%1"], "--provider is missing"],
    ["an unknown provider", 2, ["--provider", "emacs", "--pane", "%1"], '"emacs"'],
    ["neither pane nor command", 2, ["--provider", "codex"], "neither --pane nor a command"],
    [
      "both a pane and a command",
      2,
      ["--provider", "codex", "--pane", "%1", "--", "true"],
      "both a pane and a command",
    ],
    ["a pane that is no id", 2, ["--provider", "codex", "--pane", "work:1"], "a tmux pane id"],
    ["a size for a pane", 2, ["--provider", "codex", "--pane", "%1", "--size", "80x24"], "--size with --pane"],
    ["a size that is none", 2, ["--provider", "codex", "--size", "big", "--", "true"], "COLSxROWS"],
    ["a socket for a command", 2, ["--provider", "codex", "--socket", "x", "--", "true"], "--socket without --pane"],
    ["too short an interval", 2, ["--provider", "codex", "--pane", "%1", "--interval-ms", "5"], "10 or more"],
    [
      "a pane that does not exist",
      1,
      ["--provider", "codex", "--pane", "%9", "--socket", "panewright-test-none"],
      "Cannot read pane %9",
    ],
  ] as const
) {
  Deno.test(`record with ${problem} fails, says why, and leaves no file`, async () => {
    await using sandbox = await recordingSandbox();
    const before = [...Deno.readDirSync(sandbox.home)].map(({ name }) => name).toSorted();
    const result = await sandbox.run(...args);
    assertEquals(result.code, code, result.stderr);
    assertStringIncludes(result.stderr, message);
    assertEquals([...Deno.readDirSync(sandbox.home)].map(({ name }) => name).toSorted(), before);
  });
}

Deno.test("record --config names the statuses by one's own rules as well", async () => {
  await using sandbox = await recordingSandbox();
  const rule = { id: "mine", status: "error", region: "transcript", pattern: "^• done$", priority: 950 };
  await Deno.writeTextFile(`${sandbox.home}/mine.jsonc`, JSON.stringify({ rules: { codex: [rule] } }));
  const flags = ["--provider", "codex", "-o", "s.cast", "--size", "80x24", "--config", "mine.jsonc"];
  const { code, stderr } = await sandbox.run(...flags, "--", ...sandbox.agent(1));
  assertEquals(code, 0, stderr);
  assert(statusesOf(await loadTimeline(`${sandbox.home}/s.cast`)).includes("error"));
});
