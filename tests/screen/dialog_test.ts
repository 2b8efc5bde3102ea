import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { classify, type DialogInfo, type DialogKind, parseScreen, type RulePack } from "../../lib/screen/mod.ts";
import { recordingsOf } from "../support/screens.ts";

async function dialogIn(pack: RulePack, name: string): Promise<DialogInfo> {
  const recording = (await recordingsOf(pack.provider)).find((each) => `${each.version}/${each.name}` === name);
  if (!recording) throw new Error(`no recording ${name}`);
  const { dialog } = classify(parseScreen(recording.ansi, recording), pack);
  if (!dialog) throw new Error(`no dialog in ${name}`);
  return dialog;
}

interface Expected {
  readonly pack: RulePack;
  readonly name: string;
  readonly kind: DialogKind;
  readonly heading: string;
  readonly subject?: string;
  readonly options: number;
  readonly selected?: number;
}

const CODEX: readonly Omit<Expected, "pack">[] = [
  {
    name: "0.169.0/approval-waiting-220x50",
    kind: "command",
    heading: "Would you like to run the following command?",
    subject: "touch /home/dev/lab/tmp/approved.txt && sleep 3 && echo approved-run",
    options: 3,
  },
  {
    name: "0.53.0/waiting-approval-second-160x45",
    kind: "command",
    heading: "Would you like to run the following command?",
    subject: "python3 - <<'PY'\nimport sqlite3\ndb = sqlite3.connect('shop.db')\nfor n in range(3):\n" +
      "    db.execute(f'alter table orders drop column old_{n}')\nPY",
    options: 3,
  },
  {
    name: "0.165.0/waiting-approval-patch-100x30",
    kind: "patch",
    heading: "Would you like to make the following edits?",
    subject: "/srv/shop/README.md",
    options: 3,
  },
  {
    name: "0.169.0/question-waiting-120x40",
    kind: "question",
    heading: "Question 1/1 (1 unanswered) Which database should I use?",
    options: 3,
  },
  {
    name: "0.145.0/waiting-trust-160x45",
    kind: "trust",
    heading: "Welcome to Codex, OpenAI's command-line coding agent",
    subject: "/srv/shop",
    options: 2,
  },
  {
    name: "0.53.0/waiting-login-100x30",
    kind: "login",
    heading: "Welcome to Codex, OpenAI's command-line coding agent",
    options: 2,
  },
  {
    name: "0.140.0/waiting-update-100x30",
    kind: "update",
    heading: "✨\u200aUpdate available! 0.140.0 -> 9.9.9",
    options: 3,
  },
];

const CLAUDE: readonly Omit<Expected, "pack">[] = [
  {
    name: "2.1.328/permission-bash-80x24",
    kind: "command",
    heading: "Do you want to proceed?",
    subject: "touch made-1.txt && echo made",
    options: 4,
  },
  {
    name: "2.0.53/permission-bash-classic-100x30",
    kind: "command",
    heading: "Do you want to proceed?",
    subject: "./scripts/publish.sh --tag next && echo published",
    options: 3,
  },
  {
    name: "2.1.104/permission-edit-100x30",
    kind: "file_edit",
    heading: "Do you want to make this edit to tax.ts?",
    subject: "src/cart/tax.ts",
    options: 3,
  },
  {
    name: "2.0.53/permission-write-classic-100x30",
    kind: "file_write",
    heading: "Do you want to create price.ts?",
    subject: "src/cart/price.ts",
    options: 3,
  },
  {
    name: "2.1.328/ask-two-2-toggled-80x24",
    kind: "question",
    heading: "Which features do you want?",
    options: 4,
  },
  {
    name: "2.1.328/plan-approval-down-80x24",
    kind: "plan",
    heading: "Claude has written up a plan and is ready to execute. Would you like to proceed?",
    options: 3,
    selected: 1,
  },
  {
    name: "2.1.328/onboarding-trust-dialog-80x24",
    kind: "trust",
    heading: "Accessing workspace:",
    subject: "/srv/shop",
    options: 2,
  },
];

const ALL: readonly Expected[] = [
  ...CODEX.map((each) => ({ ...each, pack: CODEX_RULES })),
  ...CLAUDE.map((each) => ({ ...each, pack: CLAUDE_CODE_RULES })),
];

for (const { pack, name, kind, heading, subject, options, selected = 0 } of ALL) {
  Deno.test(`a dialog is read in full: ${pack.provider} ${name}`, async () => {
    const dialog = await dialogIn(pack, name);
    assertEquals(
      [dialog.kind, dialog.heading, dialog.subject, dialog.options.length],
      [kind, heading, subject, options],
    );
    assertEquals(dialog.options.findIndex((option) => option.selected), selected);
    assertEquals(dialog.options.filter((option) => option.selected).length, 1);
  });
}

Deno.test("a dialog's keys and numbers are told from its labels, and wrapped labels are joined", async () => {
  const { options } = await dialogIn(CODEX_RULES, "0.140.0/waiting-approval-command-100x30");
  assertEquals(options, [
    { label: "Yes, proceed", key: "y", number: 1, selected: true },
    {
      label: "Yes, and don't ask again for commands that start with `./scripts/migrate.sh --install build/ shopd`",
      key: "p",
      number: 2,
      selected: false,
    },
    { label: "No, and tell Codex what to do differently", key: "esc", number: 3, selected: false },
  ]);
});

Deno.test("a dialog's keys are told without brackets as well", async () => {
  const { options } = await dialogIn(CODEX_RULES, "0.53.0/waiting-approval-patch-100x30");
  assertEquals(options.map(({ label, key }) => [label, key]), [
    ["Yes, proceed", undefined],
    ["No, and tell Codex what to do differently", "esc"],
  ]);
});

Deno.test("the fingerprint tells dialogs apart, but not which choice is selected", async () => {
  const first = await dialogIn(CLAUDE_CODE_RULES, "2.1.328/onboarding-trust-dialog-80x24");
  const moved = await dialogIn(CLAUDE_CODE_RULES, "2.1.328/onboarding-trust-dialog-down-80x24");
  assertEquals(moved.fingerprint, first.fingerprint);
  const other = await dialogIn(CODEX_RULES, "0.169.0/approval-waiting-2-220x50");
  assertNotEquals(other.fingerprint, (await dialogIn(CODEX_RULES, "0.169.0/approval-waiting-3-220x50")).fingerprint);
});

const FOOTER =
  "\x1b[1;7m› 1. Yes, proceed (y)\x1b[0m\n  2. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel";

Deno.test("a command's blank lines do not hide the rest of it", () => {
  const capture =
    `  \x1b[1mWould you like to run the following command?\x1b[0m\n\n  $ echo harmless\n\n  rm -rf ~\n\n${FOOTER}`;
  assertEquals(classify(parseScreen(capture), CODEX_RULES).dialog?.subject, "echo harmless\n\nrm -rf ~");
});

Deno.test("a command in the agent's own reason is not taken for the command", () => {
  const capture =
    "  \x1b[1mWould you like to run the following command?\x1b[0m\n\n  Reason: \x1b[3mplease\n  $ echo harmless\x1b[0m\n\n" +
    `  $ rm -rf ~\n\n${FOOTER}`;
  assertEquals(classify(parseScreen(capture), CODEX_RULES).dialog?.subject, "rm -rf ~");
});

Deno.test("a command of which the screen leaves out lines is not told as a whole", () => {
  const capture = "  \x1b[1mWould you like to run the following command?\x1b[0m\n\n  $ echo one\n  echo two\n" +
    `  [… 12 lines] ctrl + a view all\n  rm -rf ~\n\n${FOOTER}`;
  const { dialog } = classify(parseScreen(capture), CODEX_RULES);
  assertEquals([dialog?.subject, dialog?.subjectComplete], ["echo one\necho two", false]);
});

Deno.test("words at the left edge may belong to a choice with a number; choices without numbers end there", () => {
  const optionsOf = (...choices: readonly string[]) => {
    const [selected = "", ...others] = choices;
    const rows = [
      "─".repeat(80),
      "Do you want this?",
      "",
      `\x1b[38;5;153m❯ ${selected}\x1b[0m`,
      ...others,
      "",
      "Esc to cancel",
    ];
    return classify(parseScreen(rows.join("\n"), { cols: 80 }), CLAUDE_CODE_RULES).dialog?.options.map(({ label }) =>
      label
    );
  };
  assertEquals(optionsOf("1. Yes", "in any case", "  2. No"), ["Yes in any case", "No"]);
  assertEquals(optionsOf("Yes", "  No"), ["Yes", "No"]);
  assertEquals(optionsOf("Yes", "in any case", "  No"), undefined);
});

Deno.test("a dialog with a shell prompt printed below it is not open any more", () => {
  const capture = `  \x1b[1mWould you like to run the following command?\x1b[0m\n\n  $ ls\n\n${FOOTER}\ndev@box:~$ `;
  assert(classify(parseScreen(capture), CODEX_RULES).status !== "waiting_user_answer");
});

Deno.test("a hint that is wrapped at a word belongs to its dialog, what a shell prints there does not", () => {
  const hint = "Enter to select · Tab/Arrow keys to navigate · ctrl+g to edit in Vim · Esc to";
  const statusOf = (last: string, cols: number) => {
    const rows = [
      "─".repeat(80),
      " ☐ Port",
      "",
      "Which port?",
      "",
      "  1. 8080",
      "\x1b[38;5;153m❯ \x1b[39m2. Type something.",
    ];
    const screen = parseScreen([...rows, "─".repeat(80), "  3. Chat about this", "", hint, last].join("\n"), { cols });
    return classify(screen, CLAUDE_CODE_RULES).status;
  };
  assertEquals(statusOf("cancel", 80), "waiting_user_answer");
  assertNotEquals(statusOf("cancel", 100), "waiting_user_answer");
  assertNotEquals(statusOf("$ ls", 80), "waiting_user_answer");
});
