import { captureScreen } from "../../../lib/tmux/capture.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { responseFileInstruction } from "../../../lib/turn/instruction.ts";
import { responsePathFor } from "../../../lib/turn/response_files.ts";
import { systemHost } from "../../../lib/base/ports/host.ts";
import { CODEX_RULES } from "../../../lib/agents/codex/rules.ts";
import { classify, findRegions, type Screen, type TerminalStatus } from "../../../lib/screen/mod.ts";
import { pasteText, sendKeys } from "../../../lib/tmux/input.ts";
import { until } from "../../support/until.ts";
import { setStage, sourceReplayProvider } from "./pane.ts";

interface RunningAgent {
  readonly workdir: string;
  paste(text: string): Promise<void>;
  keys(...keys: string[]): Promise<void>;
  /** Runs tmux commands against the pane, in one go: `["resize-window", "-x", "80"]` gets its target added. */
  tmux(...commands: readonly (readonly [string, ...string[]])[]): Promise<void>;
  capture(): Promise<Screen>;
  /** Waits for a screen for which it is true; fails with the screen after very many looks. */
  until(condition: (screen: Screen) => boolean): Promise<Screen>;
}

const statusOf = (screen: Screen): TerminalStatus => classify(screen, CODEX_RULES).status;
const textOf = (screen: Screen) => screen.rows.map((row) => row.text).join("\n");
const composerOf = (screen: Screen) => findRegions(screen, CODEX_RULES.layout).composer;
const isReady = (screen: Screen) => composerOf(screen) !== undefined && screen.title !== "";
const hasStatus = (status: TerminalStatus) => (screen: Screen) => statusOf(screen) === status;

/** Starts the program in a real pane, with the permissions of the provider's launch plan. */
async function withAgent(turns: readonly (readonly unknown[])[], test: (agent: RunningAgent) => Promise<void>) {
  await using stage = await setStage(turns);
  const { session, workdir, request } = stage;
  const { client } = session;
  const { argv, cwd } = await sourceReplayProvider.terminal.launch(request, systemHost());
  const pane = await session.openPane({ name: "tester", argv, cwd });
  const capture = () => captureScreen(client, pane, { joinWrapped: true });
  const agent: RunningAgent = {
    workdir,
    capture,
    paste: (text) => pasteText(client, pane.paneId, { text }),
    keys: (...keys) => sendKeys(client, pane.paneId, { keys }),
    async tmux(...commands) {
      const result = await client.runAll(
        commands.map(([command, ...args]) => [command, "-t", pane.paneId, ...args] as const),
      );
      assertEquals(result.code, 0, result.stderr);
    },
    until: (condition) => until(capture, condition, (screen) => `title: ${screen.title}\n${textOf(screen)}`),
  };
  await agent.until(isReady);
  await test(agent);
}

Deno.test("in a pane: a prompt is pasted and submitted, the response file is written, the turn completes", () =>
  withAgent([[
    { think: 800 },
    { respond: ["RESULT: PASS", "It is fine.", ""] },
    { stream: { text: "A rather long answer, streamed in pieces.", charactersPerSecond: 10 } },
  ]], async (agent) => {
    assertEquals(statusOf(await agent.capture()), "idle");
    const prompt = `${"Test it carefully. ".repeat(20)}\n\n${responseFileInstruction(agent.workdir, "tester")}`;
    await agent.paste(prompt);
    const pasted = await agent.until((screen) => composerOf(screen)?.state === "draft");
    assertEquals(composerOf(pasted)?.text, `[Pasted Content ${prompt.length} chars]`);
    await agent.keys("Enter");
    // The title may be seen before the frame that takes the draft away.
    const working = await agent.until((screen) =>
      hasStatus("processing")(screen) && composerOf(screen)?.state === "empty"
    );
    assertMatch(working.title ?? "", /^[\u2800-\u28ff] tester \| project$/);
    assertEquals(working.alternate, true);
    const streaming = await agent.until((screen) => textOf(screen).includes("• A rather long"));
    assert(!textOf(streaming).includes("• Working ("));
    assertEquals(statusOf(streaming), "processing");
    const completed = await agent.until(hasStatus("completed"));
    assertMatch(textOf(completed), /^ {2}Worked for \d+s • \d\d:\d\d$/m);
    assertEquals(completed.title, "tester | project");
    assertEquals(await Deno.readTextFile(responsePathFor(agent.workdir, "tester")), "RESULT: PASS\nIt is fine.\n");
  }));

Deno.test("in a pane: the screen follows the terminal's size, and C-c restores the terminal", () =>
  withAgent([[{ stream: "Heard." }]], async (agent) => {
    await agent.tmux(["resize-window", "-x", "70", "-y", "20"]);
    const small = await agent.until((screen) => screen.rows.length === 20 && composerOf(screen)?.firstRow === 16);
    assertEquals([statusOf(small), small.cursor], ["idle", [2, 16]]);
    await agent.keys("C-c");
    const ended = await agent.until((screen) => screen.dead === true);
    assertEquals([ended.alternate, ended.title, textOf(ended).trim()], [false, "", ""]);
  }));
