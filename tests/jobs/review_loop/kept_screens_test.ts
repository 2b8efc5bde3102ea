import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { keepDialogScreens, keepScreen } from "../../../lib/jobs/review_loop/kept_screens.ts";
import type { RoleAgent } from "../../../lib/jobs/review_loop/role_agent.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { createRunFolder } from "../../../lib/run/run_folder.ts";
import { createDetailLoader } from "../../../lib/api/report/details.ts";
import { parseScreen } from "../../../lib/screen/mod.ts";
import { tempDir } from "../../support/temp_dir.ts";

const REDACTOR = createRedactor(["correct-horse-battery"]);
const TURN = { turnId: "r1-programmer-c1", role: "programmer" } as const;

const SCREEN = parseScreen("\x1b[1mRun this?\x1b[0m\ncurl -u correct-horse-battery\n", {
  cols: 80,
  rows: 24,
  title: "correct-horse-battery",
});

/** As much of an agent in a pane as is looked at; `look` may fail. */
function pane(look: () => Promise<unknown> = () => Promise.resolve({ screen: SCREEN })): RoleAgent {
  return { via: "pane", provider: { id: "codex" }, look } as unknown as RoleAgent;
}

async function runFolder() {
  const dir = await tempDir();
  return { dir, folder: await createRunFolder(dir.path, { now: new Date("2026-11-20T08:00:00Z") }) };
}

Deno.test("a screen is kept with its styles and its size, without secrets", async () => {
  const { dir, folder } = await runFolder();
  await using _dir = dir;
  const file = await keepScreen(pane(), { folder, name: TURN.turnId, redactor: REDACTOR });
  assertEquals(file, "evidence/r1-programmer-c1.ansi");
  const text = await Deno.readTextFile(`${folder.path}/${file}`);
  assertStringIncludes(text, "\x1b[1mRun this?");
  const sidecar = await Deno.readTextFile(`${folder.path}/evidence/r1-programmer-c1.json`);
  assertEquals([JSON.parse(sidecar).cols, JSON.parse(sidecar).provider], [80, "codex"]);
  assertEquals(`${text}${sidecar}`.includes("correct-horse"), false);
  const load = createDetailLoader({ folder, redactor: REDACTOR });
  const shown = await load({ kind: "screen", ref: "screen-1", title: "Its screen", from: "file", path: file! });
  assertEquals([shown.columns, shown.rows, shown.problem], [80, 24, undefined]);
});

Deno.test("of an agent without a pane it is kept what it said last; of one that is gone, nothing", async () => {
  const { dir, folder } = await runFolder();
  await using _dir = dir;
  const agent = { via: "acp", evidence: () => "I use correct-horse-battery." } as unknown as RoleAgent;
  const file = await keepScreen(agent, { folder, name: "a", redactor: REDACTOR });
  assertStringIncludes(await Deno.readTextFile(`${folder.path}/${file}`), "I use redacted");
  const gone = pane(() => Promise.reject(new Error("the pane is gone")));
  assertEquals(await keepScreen(gone, { folder, name: "b", redactor: REDACTOR }), undefined);
  await Deno.remove(folder.evidenceDir, { recursive: true });
  assertEquals(await keepScreen(pane(), { folder, name: "c", redactor: REDACTOR }), undefined);
});

Deno.test("the screen of a dialog is recorded once it is on the disk; disposal waits for it, and no failure is told", async () => {
  const { dir, folder } = await runFolder();
  await using _dir = dir;
  const facts: ReviewFact[] = [];
  let isBroken = false;
  const record = (fact: ReviewFact) => {
    if (isBroken) throw new Error("the journal cannot be written");
    facts.push(fact);
  };
  const open = () => keepDialogScreens({ folder, redactor: REDACTOR, terminalOf: () => pane(), record });
  {
    await using screens = open();
    screens.keep({ ...TURN, question: "q1" });
    screens.keep(TURN);
    assertEquals(facts, []);
  }
  const kept = facts.flatMap((fact) => fact.type === "screen_kept" ? [fact] : []);
  const files = kept.map(({ file, moment }) => `${moment} ${file.replace(/\d{10,}/, "TIME")}`);
  // They are kept side by side.
  assertEquals(files.toSorted(), [
    "dialog evidence/r1-programmer-c1-dialog-TIME.ansi",
    "dialog evidence/r1-programmer-c1-q1.ansi",
  ]);
  isBroken = true;
  await using broken = open();
  broken.keep(TURN);
});

Deno.test("of dialogs that the policy answers the first 20 screens of a turn are kept, without secrets", async () => {
  const { dir, folder } = await runFolder();
  await using _dir = dir;
  const terminalOf = () => pane(() => Promise.reject(new Error("it shows something else by now")));
  await using screens = keepDialogScreens({ folder, redactor: REDACTOR, terminalOf, record: () => {} });
  const shown = { screen: SCREEN, provider: "codex" };
  const files: (string | undefined)[] = [];
  for (let count = 0; count < 21; count++) files.push(await screens.keepAnswered(TURN.turnId, shown));
  assertEquals(files.map((file) => file === undefined), Array.from({ length: 21 }, (_, index) => index === 20));
  assertEquals(new Set(files).size, 21);
  const text = await Deno.readTextFile(`${folder.path}/${files[0]}`);
  assertStringIncludes(text, "\x1b[1mRun this?");
  assertEquals(text.includes("correct-horse"), false);
  assertEquals(typeof await screens.keepAnswered("r2-programmer-c1", shown), "string");
  await Deno.remove(folder.evidenceDir, { recursive: true });
  assertEquals(await screens.keepAnswered("r3-programmer-c1", shown), undefined);
});
