import { assertEquals, fail } from "@std/assert";
import { readPack } from "../../../lib/lab/recordings/pack.ts";
import { EMPTY_COMPOSER, pasteText, typeText } from "../../../lib/lab/replay/composer.ts";
import { renderFrame } from "../../../lib/lab/replay/render.ts";
import {
  addCell,
  type AgentState,
  beginTurn,
  type Cell,
  endTurn,
  initialState,
} from "../../../lib/lab/replay/state.ts";
import { parseScreen, type Screen, styleAt } from "../../../lib/screen/mod.ts";

const PACK = new URL("../../../fixtures/screens/codex/0.169.0.ndjson.gz", import.meta.url);
/** What the recorded sessions were started with. */
const FRESH = initialState({
  asksForApproval: false,
  workdir: "/home/dev/shop/api",
  model: "GPT-6.1-Sol",
  sessionTitle: "Mock title",
});
/** The rows of the header with its title and folder: it says that this is a replay. */
const HEADER_ROWS = 3;

/** A start-up warning of the recorded session, at the right end of the footer. */
const NOTICE = / +⚠ \d+ warning · f2 to view$/;

const say = (text: string, streaming = false): Cell => ({ type: "message", text, streaming });
const add = (state: AgentState, ...cells: Cell[]) => cells.reduce(addCell, state);
const complete = (state: AgentState, { ms, at }: { ms: number; at: string }) =>
  endTurn(state, { type: "completed", nowMs: ms, at });

const LINES = "First pasted line\nSecond pasted line\nThird";
const FIRST = complete(
  add(beginTurn(FRESH, LINES, 0), say(Array(8).fill("First answer from the mock.").join(" "))),
  { ms: 8000, at: "06:02" },
);
const SECOND = beginTurn(FIRST, "Second question?", 0);
const THIRD = beginTurn(
  complete(add(SECOND, say("Second answer.")), { ms: 4000, at: "06:02" }),
  "Third question, hangs",
  0,
);

const TOUCH = "touch /home/dev/lab/tmp/approved.txt && sleep 3 && echo approved-run";
const NEEDS_APPROVAL = add(
  beginTurn({ ...FRESH, asksForApproval: true }, "do the thing needing approval", 0),
  say("I need to run a command outside the sandbox."),
);
const APPROVED = add(NEEDS_APPROVAL, { type: "decision", approved: true, command: TOUCH });
const ran = (command: string, output: string, exitCode = 0): Cell => ({
  type: "command",
  command,
  result: { output, exitCode },
});

/**
 * The visible characters of each row below the header, and how each is drawn: bold, dim, italic, reverse, coloured.
 * Which colour it is does not matter: that of the title changes from session to session, and commands are highlighted.
 */
function looks(screen: Screen, rows: number): string[] {
  return screen.rows.slice(HEADER_ROWS, rows).flatMap((row) => {
    const text = row.text.replace(NOTICE, "");
    const drawn = [...text].map((character, offset) => {
      const { bold, dim, italic, reverse, foreground } = styleAt(row, offset);
      const marks = [bold && "b", dim && "d", italic && "i", reverse && "r", foreground !== undefined && "c"];
      return character === " " ? " " : marks.filter((mark) => mark).join("") || ".";
    });
    return [text, drawn.join(" ").trimEnd()];
  });
}

const STATES: Readonly<Record<string, readonly [AgentState, nowMs: number]>> = {
  "pasted-not-submitted-220x50": [{ ...FRESH, composer: pasteText(EMPTY_COMPOSER, LINES) }, 0],
  "typed-not-submitted-220x50": [{ ...FRESH, composer: typeText(EMPTY_COMPOSER, "hello typed text", 0) }, 0],
  "processing-waiting-220x50": [beginTurn(FRESH, LINES, 0), 1900],
  "completed-220x50": [FIRST, 0],
  "second-turn-processing-220x50": [SECOND, 1200],
  "draft-while-working-220x50": [
    { ...THIRD, composer: typeText(EMPTY_COMPOSER, "draft typed while working", 0) },
    2000,
  ],
  "error-final-220x50": [
    endTurn(beginTurn(FRESH, "make an error", 0), {
      type: "error",
      text: "We’re currently experiencing high demand, which may cause temporary errors.",
    }),
    0,
  ],
  "processing-exploring-220x50": [
    add(
      beginTurn(FRESH, "Please run things", 0),
      say("I will look at the files first."),
      { type: "explored", files: ["README.md"], done: true },
    ),
    700,
  ],
  "esc-while-working-120x40": [endTurn(beginTurn(FRESH, "hang", 0), { type: "interrupted" }), 0],
  "approval-waiting-220x50": [
    {
      ...add(NEEDS_APPROVAL, { type: "command", command: TOUCH, result: undefined }),
      dialog: { command: TOUCH, reason: "Do you want to allow creating the file?", selected: 0 },
    },
    0,
  ],
  "approval-y-ran-220x50": [add(APPROVED, { type: "command", command: TOUCH, result: undefined }), 2500],
  "approval-completed-220x50": [
    complete(add(APPROVED, ran(TOUCH, "approved-run"), say("The command was handled.")), { ms: 6000, at: "06:04" }),
    0,
  ],
};

const recordings = new Map((await readPack(await Deno.readFile(PACK), PACK.pathname)).map((one) => [one.name, one]));

for (const [name, [state, nowMs]] of Object.entries(STATES)) {
  Deno.test(`a screen looks like the recording ${name}`, () => {
    const { ansi, cols = 0, rows = 0 } = recordings.get(name) ?? fail(`there is no recording ${name}`);
    const drawn = renderFrame(state, { columns: cols, rows, nowMs }).rows.join("\n");
    assertEquals(looks(parseScreen(drawn), rows), looks(parseScreen(ansi), rows));
  });
}
