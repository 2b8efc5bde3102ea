import { assertEquals } from "@std/assert";
import { responseFileInstruction } from "../../../lib/turn/instruction.ts";
import { ensureResponseDir, responsePathFor } from "../../../lib/turn/response_files.ts";
import { composerText } from "../../../lib/lab/replay/composer.ts";
import type { Key } from "../../../lib/base/text/keys.ts";
import { createSession, type Session } from "../../../lib/lab/replay/session.ts";
import { activityOf } from "../../../lib/lab/replay/state.ts";
import { parseReplayScript } from "../../../lib/lab/replay/script.ts";
import { until } from "../../support/until.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { createManualClock, type ManualClock } from "./manual_clock.ts";

interface Playing {
  readonly session: Session;
  readonly clock: ManualClock;
  readonly workdir: string;
  /** Submits a prompt with the tester's instruction at its end and lets the turn begin. */
  prompt(text?: string): Promise<void>;
  press(...keys: Key[]): Promise<void>;
  type(text: string): Promise<void>;
  /** The response file's text; undefined where there is none. */
  response(): Promise<string | undefined>;
  /** The types of the transcript's cells. */
  cells(): string[];
}

/** Plays a script for the tester, and waits until nothing sleeps any more. */
async function play(
  turns: readonly unknown[],
  test: (playing: Playing) => Promise<void>,
  options: { readonly repeatLast?: boolean; readonly onPrompt?: (prompt: string) => void } = {},
) {
  await using folder = await tempDir();
  const workdir = folder.path;
  await ensureResponseDir(workdir);
  const clock = createManualClock();
  const { onPrompt, ...inScript } = options;
  const script = parseReplayScript(JSON.stringify({ roles: { tester: { turns, ...inScript } } }), "script");
  const session = createSession({
    script: script.roles.tester!,
    role: "tester",
    workdir,
    clock,
    timeOfDay: () => "05:50",
    onChange: () => {},
    ...(onPrompt === undefined ? {} : { onPrompt }),
  });
  const press = async (...keys: Key[]) => {
    keys.forEach((key) => session.input({ type: "key", key }));
    await clock.advance(0);
  };
  await test({
    session,
    clock,
    workdir,
    press,
    async prompt(text = "Test it.") {
      session.input({ type: "paste", text: `${text}\n\n${responseFileInstruction(workdir, "tester")}` });
      await press("enter");
    },
    async type(text) {
      session.input({ type: "text", text });
      await clock.advance(0);
    },
    async response() {
      try {
        return await Deno.readTextFile(responsePathFor(workdir, "tester"));
      } catch {
        return undefined;
      }
    },
    cells: () => session.state.cells.map((cell) => cell.type),
  });
}

Deno.test("a turn is played step by step and ends with the time it took", () =>
  play(
    [[{ think: 1000 }, { commentary: "I look." }, { run: { command: "ls", ms: 500 } }, { stream: "Done." }]],
    async (p) => {
      await p.prompt();
      assertEquals([activityOf(p.session.state), p.cells()], ["working", ["prompt"]]);
      await p.clock.advance(1000);
      assertEquals(p.cells(), ["prompt", "message", "command"]);
      await p.clock.advance(500);
      assertEquals(activityOf(p.session.state), "resting");
      assertEquals(p.session.state.cells.at(-1), { type: "worked_for", ms: 1500, at: "05:50" });
      assertEquals(p.clock.sleepers, 0);
    },
  ));

Deno.test("the response file is written where the prompt says, before the turn ends", () =>
  play([[{ think: 10 }, { respond: ["RESULT: PASS", ""] }, { think: 1000 }]], async (p) => {
    await p.prompt();
    await p.clock.advance(10);
    await until(async () => await p.response() !== undefined);
    assertEquals(await p.response(), "RESULT: PASS\n");
    assertEquals(activityOf(p.session.state), "working");
  }));

Deno.test("a prompt gets the turn that names it, and the turns after it follow", () => {
  const turns = [
    [{ respond: "first" }],
    { when: "Round 2", steps: [{ respond: "second" }] },
    [{ respond: "third" }],
  ];
  return play(turns, async (p) => {
    for (const [prompt, wanted] of [["Round 2.", "second"], ["Go on.", "third"], ["Round 2.", "second"]] as const) {
      await p.prompt(prompt);
      await until(async () => await p.response() === wanted && activityOf(p.session.state) === "resting");
      assertEquals(await p.response(), wanted);
    }
  });
});

Deno.test("each prompt that is taken is told at once, also one that has to wait", async () => {
  const taken: string[] = [];
  await play([[{ think: 100 }], [{ think: 100 }]], async (p) => {
    await p.type("one");
    await p.clock.advance(200);
    await p.press("enter");
    await p.type("two");
    await p.clock.advance(0);
    assertEquals(taken, ["one"]);
    await p.press("tab");
    assertEquals(taken, ["one", "two"]);
    await p.clock.advance(500);
    assertEquals(taken, ["one", "two"]);
  }, { onPrompt: (prompt) => taken.push(prompt) });
});

Deno.test("no response file, an empty one and one of two pieces can be scripted", async () => {
  await play([[{ think: 1 }], [{ respond: "" }]], async (p) => {
    await p.prompt();
    await p.clock.advance(1);
    assertEquals([await p.response(), activityOf(p.session.state)], [undefined, "resting"]);
    await p.prompt();
    await until(() => activityOf(p.session.state) === "resting");
    assertEquals(await p.response(), "");
  });
  await play([[{ respond: { text: "first second", pauseMs: 700 } }]], async (p) => {
    await p.prompt();
    await until(() => p.clock.sleepers > 0);
    assertEquals([await p.response(), activityOf(p.session.state)], ["first ", "working"]);
    await p.clock.advance(700);
    await until(() => activityOf(p.session.state) === "resting");
    assertEquals(await p.response(), "first second");
  });
});

Deno.test("a late response file comes after the turn is over", () =>
  play([[{ think: 5 }, { respond: { text: "late", afterIdleMs: 2000 } }]], async (p) => {
    await p.prompt();
    await p.clock.advance(5);
    assertEquals(activityOf(p.session.state), "resting");
    await p.clock.advance(1999);
    assertEquals(await p.response(), undefined);
    await p.clock.advance(1);
    await until(async () => await p.response() !== undefined);
    assertEquals(await p.response(), "late");
  }));

Deno.test("a prompt without an instruction, and a file outside the folder, end the turn with an error row", () =>
  play([[{ respond: "x" }], [{ writeFile: { path: "../x", text: "x" } }]], async (p) => {
    p.session.input({ type: "paste", text: "Just talk." });
    await p.press("enter");
    assertEquals(p.session.state.cells.at(-1), { type: "error", text: "The prompt names no response file." });
    await p.prompt();
    await until(() => activityOf(p.session.state) === "resting");
    assertEquals(p.session.state.cells.at(-1), {
      type: "error",
      text: 'Cannot write "../x": it leaves the working directory',
    });
  }));

const APPROVAL = [{ run: { command: "touch x", approval: "May I?", ms: 100 } }, { stream: "Done." }];

for (const keys of ["y", "1", "p", "2", "ab y"]) {
  Deno.test(`an approval dialog takes ${JSON.stringify(keys)} for a yes`, () =>
    play([APPROVAL], async (p) => {
      await p.prompt();
      assertEquals(p.session.state.dialog, { command: "touch x", reason: "May I?", selected: 0 });
      await p.type(keys);
      assertEquals(activityOf(p.session.state), "working");
      await p.clock.advance(100);
      assertEquals(p.cells(), ["prompt", "decision", "command", "message", "worked_for"]);
    }));
}

for (const input of ["n", "3", ["escape"], ["ctrl-c"], ["down", "down", "enter"], ["up", "enter"]] as const) {
  Deno.test(`an approval dialog takes ${JSON.stringify(input)} for a no, and the turn ends`, () =>
    play([APPROVAL], async (p) => {
      await p.prompt();
      await (typeof input === "string" ? p.type(input) : p.press(...input));
      assertEquals(p.cells(), ["prompt", "decision", "command", "interrupted"]);
      assertEquals([activityOf(p.session.state), p.clock.sleepers], ["resting", 0]);
    }));
}

Deno.test("Enter accepts the selected option of a dialog, a paste and other characters do nothing", () =>
  play([APPROVAL], async (p) => {
    await p.prompt();
    p.session.input({ type: "paste", text: "yes, 1" });
    await p.type("a d x");
    assertEquals(activityOf(p.session.state), "asking");
    assertEquals(composerText(p.session.state.composer), "");
    await p.press("enter");
    assertEquals(activityOf(p.session.state), "working");
    await p.clock.advance(100);
  }));

for (const key of ["escape", "ctrl-c"] as const) {
  Deno.test(`${key} interrupts endless work, and the next prompt gets the next turn`, () =>
    play([[{ endless: true }], [{ stream: "Second." }]], async (p) => {
      await p.prompt();
      await p.clock.advance(60_000);
      assertEquals(activityOf(p.session.state), "working");
      await p.press(key);
      assertEquals(p.cells(), ["prompt", "interrupted"]);
      await p.prompt();
      assertEquals(p.cells().slice(-3), ["prompt", "message", "worked_for"]);
    }));
}

Deno.test("prompts sent while the agent works wait for their turn; an interruption gives them back", () =>
  play([[{ think: 100 }], [{ endless: true }]], async (p) => {
    await p.prompt();
    await p.type("second");
    await p.clock.advance(10);
    await p.press("tab");
    assertEquals(p.session.state.queued, ["second"]);
    await p.clock.advance(100);
    assertEquals([p.cells().at(-1), p.session.state.queued], ["prompt", []]);
    p.session.input({ type: "paste", text: "third" });
    await p.press("enter");
    assertEquals(p.session.state.queued, ["third"]);
    await p.press("escape");
    assertEquals([composerText(p.session.state.composer), p.session.state.queued], ["third", []]);
  }));

Deno.test("a prompt after the last turn is an error row, or the last turn again", async () => {
  await play([[{ stream: "One." }]], async (p) => {
    await p.prompt();
    await p.prompt();
    const last = p.session.state.cells.at(-1);
    assertEquals(last, { type: "error", text: "The replay script has only 1 turn for this role." });
  });
  await play([[{ stream: "One." }]], async (p) => {
    await p.prompt();
    await p.prompt();
    assertEquals(p.cells().slice(-3), ["prompt", "message", "worked_for"]);
  }, { repeatLast: true });
});

Deno.test("a scripted error ends the turn", () =>
  play([[{ fail: "high demand" }]], async (p) => {
    await p.prompt();
    assertEquals(p.session.state.cells.at(-1), { type: "error", text: "high demand" });
  }));

Deno.test("a crash ends the session with its exit code and without restoring the terminal", () =>
  play([[{ crash: { exitCode: 9 } }]], async (p) => {
    await p.prompt();
    assertEquals(await p.session.ended, { exitCode: 9, restoreTerminal: false });
    assertEquals(activityOf(p.session.state), "working");
  }));

Deno.test("C-c clears a draft first and quits on an empty composer; /quit quits", async () => {
  await play([[]], async (p) => {
    await p.type("draft");
    await p.press("ctrl-c");
    assertEquals(composerText(p.session.state.composer), "");
    await p.press("ctrl-c");
    assertEquals(await p.session.ended, { exitCode: 0, restoreTerminal: true });
  });
  await play([[{ think: 1000 }]], async (p) => {
    await p.prompt();
    p.session.input({ type: "paste", text: "/quit" });
    await p.press("enter");
    assertEquals(await p.session.ended, { exitCode: 0, restoreTerminal: true });
    await p.clock.advance(0);
    assertEquals(p.clock.sleepers, 0);
  });
});

Deno.test("files of the project are written, so that its own tests see them", () =>
  play([[{ writeFile: { path: "src/greet.sh", text: ["echo hello", ""] } }, { stream: "Done." }]], async (p) => {
    await p.prompt();
    await until(() => activityOf(p.session.state) === "resting");
    assertEquals(await Deno.readTextFile(`${p.workdir}/src/greet.sh`), "echo hello\n");
  }));
