import { assert, assertEquals } from "@std/assert";
import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import type { Recording } from "../../lib/lab/recordings/recording.ts";
import { findRulePack } from "../../lib/agents/classify_screen.ts";
import { classify, type DialogInfo, parseScreen } from "../../lib/screen/mod.ts";
import { readRows } from "../../lib/screen/row_breaks.ts";
import { recordingsOf } from "../support/screens.ts";

const DIALOGS = new URL("../../fixtures/dialogs", import.meta.url).pathname;

function dialogOf({ provider = "", ansi, ...meta }: Recording): DialogInfo | undefined {
  return classify(parseScreen(ansi, meta), findRulePack(provider)).dialog;
}

/** A run of blanks at the edge is shown shortened, and blanks at the end of a line not at all. */
const squeeze = (text: string) => text.replaceAll(/ +/g, " ").replaceAll(" \n", "\n");

const recordings = (await Array.fromAsync(readCorpus(DIALOGS))).map(({ recording }) => recording);

for (
  const { provider, version } of [...Map.groupBy(recordings, (each) => `${each.provider} ${each.version}`).values()]
    .map(([first]) => first!)
) {
  Deno.test(`${provider} ${version}: a command that is broken into rows is told as it is, or as one of several`, () => {
    const mine = recordings.filter((each) => each.provider === provider && each.version === version);
    assert(mine.length >= 7);
    for (const recording of mine) {
      const { name, subject = "" } = recording;
      const dialog = dialogOf(recording);
      assert(dialog, name);
      const readings = [dialog.subject ?? "", ...dialog.otherReadings];
      if (name.includes("longer-than-screen")) {
        assertEquals([dialog.subjectComplete, dialog.otherReadings], [false, []], name);
      } else if (name.includes("runs-of-blanks")) {
        assert(readings.map(squeeze).includes(squeeze(subject)), `${name}: ${JSON.stringify(readings)}`);
      } else {
        assert(dialog.subjectComplete, name);
        assert(readings.includes(subject), `${name}: ${JSON.stringify(readings)}`);
        // A line end at the edge looks like a wrapped row; elsewhere the first reading is right.
        if (!name.includes("lines-in-wrapped")) assertEquals(dialog.subject, subject, name);
      }
    }
  });
}

Deno.test("rows: a row with room for the next word ended by itself, any other may have been wrapped", () => {
  const rows = (...texts: readonly string[]) => texts.map((text) => ({ text, endColumn: text.length }));
  const limits = { left: 0, right: 10 };
  assertEquals(readRows(rows("npm test"), limits), { best: "npm test", others: [], all: true });
  assertEquals(readRows(rows("cd a", "ls"), limits), { best: "cd a\nls", others: [], all: true });
  assertEquals(readRows(rows("rm -rf", "/important"), limits), {
    best: "rm -rf /important",
    others: ["rm -rf\n/important"],
    all: true,
  });
  assertEquals(readRows(rows("0123456789", "0123 x"), limits).best, "01234567890123 x");
  assertEquals(readRows(rows("if a", "  b", "fi"), limits), {
    best: "if a\n  b\nfi",
    others: ["if a   b\nfi"],
    all: true,
  });
  assertEquals(readRows(rows("ls some-", "thing-else"), limits).others, ["ls some-\nthing-else", "ls some-thing-else"]);
});

Deno.test("rows: where there are too many readings, that is what is told", () => {
  const words = Array.from({ length: 7 }, () => "aaaaaaaa");
  const rows = words.map((text) => ({ text, endColumn: text.length }));
  assertEquals(readRows(rows, { left: 0, right: 10 }), { best: words.join(" "), others: [], all: false });
});

/**
 * Recordings of commands that are longer than the screen, and of files at 40 columns, where each is in a row of its
 * own: of these nothing may claim to be all.
 */
const CUT = /-(?:approval|permission)-long-|-approval-changes-40x24$/;

Deno.test("Codex: a patch names all of its files, within the dialog or above it", async () => {
  const subjects = new Map<string, string | undefined>();
  for (const recording of await recordingsOf("codex")) {
    const dialog = dialogOf(recording);
    if (dialog?.kind !== "patch") continue;
    assertEquals(dialog.subjectComplete, !CUT.test(recording.name), `${recording.version}/${recording.name}`);
    subjects.set(`${recording.version}/${recording.name}`, dialog.subject);
  }
  assertEquals(subjects.get("0.53.0/waiting-approval-patch-100x30"), "README.md");
  assertEquals(subjects.get("0.90.0/waiting-approval-patch-160x45"), "LIMITS.md\nREADME.md");
  assertEquals(subjects.get("0.140.0/waiting-approval-patch-100x30"), "LIMITS.md\nREADME.md");
  assertEquals(subjects.get("0.145.0/waiting-approval-patch-100x30"), "README.md");
  assertEquals(
    subjects.get("0.165.0/inline-waiting-approval-patch-160x45"),
    "/srv/shop/LIMITS.md\n/srv/shop/README.md",
  );
  assert(subjects.size > 10);
});

Deno.test("Codex: a patch whose list of files is cut is not complete, and a renamed file counts twice", () => {
  const dialog =
    "  \x1b[1mWould you like to make the following edits?\x1b[0m\n\n\x1b[38;5;6m› 1. Yes, proceed (y)\x1b[0m\n" +
    "  2. No, and tell Codex what to do differently (esc)\n\n  \x1b[2mPress enter to confirm or esc to cancel\x1b[0m";
  const told = (block: string) => dialogOf({ name: "", provider: "codex", cols: 80, ansi: `${block}\n\n${dialog}\n` });
  const cut = told("• Edited 3 files (+2 -0)\n  └ a.ts (+1 -0)\n    1 +x\n\n  └ b.ts (+1 -0)");
  assertEquals([cut?.subject, cut?.subjectComplete], ["a.ts\nb.ts", false]);
  const renamed = told("• Edited old.ts → new.ts (+1 -1)\n    1 -x\n    1 +y");
  assertEquals([renamed?.subject, renamed?.subjectComplete], ["old.ts\nnew.ts", true]);
  assertEquals(told("• I shall edit a file.")?.subject, undefined);
});

Deno.test("every command and file in a recorded permission dialog is told in full, or as cut where it is", async () => {
  for (const provider of ["codex", "claude_code"]) {
    for (const recording of await recordingsOf(provider)) {
      const dialog = dialogOf(recording);
      if (!dialog || !["command", "patch", "file_write", "file_edit"].includes(dialog.kind)) continue;
      const isCut = CUT.test(recording.name);
      assertEquals(dialog.subjectComplete, !isCut, `${recording.version}/${recording.name}: ${dialog.subject}`);
      assert(!/[│╌]/.test(dialog.subject ?? ""), `${recording.version}/${recording.name}: ${dialog.subject}`);
    }
  }
});

Deno.test("a row that may reach the edge, by whoever's count of an emoji's columns, is not taken for one that ends before it", () => {
  const [recording] = recordings.filter(({ name }) => name === "0.115.0-blanks-70x40");
  assert(recording);
  /** For each length of a word before it: whether a row that ends with `last` has to be read in more than one way. */
  const isOpen = (last: string) =>
    Array.from({ length: 40 }, (_, length) => {
      const ansi = recording.ansi.replace(/ a{12} b.*d{13}/, ` ${"x".repeat(20 + length)} ${last}`);
      return (dialogOf({ ...recording, ansi })?.otherReadings.length ?? 0) > 0;
    });
  for (const [narrow, emoji] of [["ab", "⚠️"], ["abcd", "👍🏽"], ["ab", "界"]] as const) {
    const open = isOpen(emoji);
    assert(open.includes(false));
    assertEquals(isOpen(narrow).filter((each, length) => each && !open[length]), [], emoji);
  }
});
