import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { HumanInterventionRequiredError, RuntimeError } from "../../lib/base/errors.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { sendKeys } from "../../lib/tmux/input.ts";
import type { Step } from "../lab/steps.ts";
import { answerNextDialog } from "../support/accepting_desk.ts";
import { setUpStage, untilStatus } from "./agent_stage.ts";
import { type DialogStage, RESPONSE, setUpDialogs } from "./dialog_stage.ts";

const command = (text: string): Step => ({ do: "shell", command: text });
const write = (path: string): Step => ({ do: "call", tool: "Write", input: { file_path: path, content: "text\n" } });
/** A file has to be read before it may be edited. */
const edit = (path: string): readonly Step[] => [
  { do: "call", tool: "Read", input: { file_path: path } },
  { do: "call", tool: "Edit", input: { file_path: path, old_string: "old", new_string: "new" } },
];
const PLAN: Step = { do: "call", tool: "ExitPlanMode", input: { plan: "# Plan\n\n1. Do it." } };
const PLAN_MODE = ["--permission-mode", "plan"];
const QUESTION: Step = {
  do: "call",
  tool: "AskUserQuestion",
  input: {
    questions: [{
      question: "Which database?",
      header: "Database",
      multiSelect: false,
      options: [{ label: "PostgreSQL", description: "A server" }, { label: "SQLite", description: "A file" }],
    }],
  },
};

/** A pause between two dialogs, as work is. */
const PAUSE: Step = { do: "wait", ms: 300 };
const oldFile = (project: string) => Deno.writeTextFile(`${project}/old.txt`, "old\n");
const says = (project: string, file: string) => Deno.readTextFile(`${project}/${file}`).catch(() => "missing");

for (const tui of ["fullscreen", "default"] as const) {
  Deno.test(`Claude Code (${tui}): each kind of dialog is accepted once, one after another`, async () => {
    await using dialogs = await setUpDialogs({
      provider: "claude_code",
      tui,
      args: PLAN_MODE,
      prepare: oldFile,
      // The first two are asked for at once: their dialogs follow each other.
      prompts: [[
        PLAN,
        PAUSE,
        command("touch one"),
        command("touch two"),
        PAUSE,
        write("new.txt"),
        PAUSE,
        ...edit("old.txt"),
      ]],
    });
    assertEquals(await dialogs.play(), RESPONSE);
    const { project } = dialogs;
    assertEquals(dialogs.decisions(), [
      "allow plan",
      "allow command touch one",
      "allow command touch two",
      "allow file_write new.txt",
      "allow file_edit old.txt",
    ]);
    // A plan has more choices than a hook can give.
    assertEquals(new Set(dialogs.results()), new Set(["closed", "answered"]));
    assertEquals(new Set(dialogs.sources()), new Set(["hook"]));
    assert(await exists(`${project}/one`) && await exists(`${project}/two`));
    assertEquals([await says(project, "new.txt"), await says(project, "old.txt")], ["text\n", "new\n"]);
    assertEquals(dialogs.asked.length, 1);
    assertStringIncludes(dialogs.logs[1] ?? "", "(2/20):");
  });

  Deno.test(`Claude Code (${tui}): each kind of dialog is denied, and the agent is told to go on`, async () => {
    await using dialogs = await setUpDialogs({
      provider: "claude_code",
      tui,
      prepare: oldFile,
      prompts: [[command("git push origin main"), PAUSE, write("new.txt"), PAUSE, ...edit("old.txt")]],
      policy: { deny: [{ command: "git push" }, { kinds: ["file_write", "file_edit"] }] },
    });
    assertEquals(await dialogs.play(), RESPONSE);
    const { project } = dialogs;
    assertEquals(dialogs.decisions(), [
      "deny command git push origin main",
      "deny file_write new.txt",
      "deny file_edit old.txt",
    ]);
    assertEquals([await says(project, "new.txt"), await says(project, "old.txt")], ["missing", "old\n"]);
    assertEquals(dialogs.asked.length, 1);
    assertStringIncludes(await dialogs.told(), "refused: the command `git push origin main`.");
  });

  Deno.test(`Claude Code (${tui}): a plan is denied, and the agent is told to go on`, async () => {
    await using dialogs = await setUpDialogs({
      provider: "claude_code",
      tui,
      args: PLAN_MODE,
      prompts: [[PLAN]],
      policy: { deny: [{ kinds: ["plan"] }] },
    });
    assertEquals(await dialogs.play(), RESPONSE);
    assertEquals(dialogs.decisions(), ["deny plan"]);
    assertStringIncludes(dialogs.asked[1] ?? "", "refused: its plan.");
  });

  Deno.test(`Claude Code (${tui}): each kind of dialog is put to a person, whose yes and no are carried out`, async () => {
    await using dialogs = await setUpDialogs({
      provider: "claude_code",
      tui,
      args: PLAN_MODE,
      prepare: oldFile,
      prompts: [[PLAN, PAUSE, command("touch one"), PAUSE, write("new.txt"), PAUSE, ...edit("old.txt")], [QUESTION]],
      policy: { ask: [{ command: "touch" }, { kinds: ["file_write", "file_edit", "plan"] }] },
      person: ({ kind }) => kind === "file_edit" ? "no, it shall stay old" : "yes",
      dialogTimeoutSeconds: 8,
    });
    const error = await assertRejects(() => dialogs.play(), HumanInterventionRequiredError);
    assertStringIncludes(error.message, "a question to the person waited for a person for 8 s");
    const { project } = dialogs;
    assertEquals(dialogs.decisions(), [
      "ask plan",
      "allow plan",
      "ask command touch one",
      "allow command touch one",
      "ask file_write new.txt",
      "allow file_write new.txt",
      "ask file_edit old.txt",
      "deny file_edit old.txt",
      "ask question Which database?\n  1. PostgreSQL: A server\n  2. SQLite: A file\n  (one choice; text: for words of your own)",
    ]);
    assertEquals([await says(project, "new.txt"), await says(project, "old.txt")], ["text\n", "old\n"]);
    assertStringIncludes(dialogs.asked[1] ?? "", "it shall stay old");
  });
}

Deno.test("Claude Code: a dialog longer than the screen is not accepted, for nobody has read all of it", async () => {
  const long = Array.from({ length: 60 }, (_, index) => `echo line-${index}`).join(" &&\n");
  await using dialogs = await setUpDialogs({
    provider: "claude_code",
    hooks: false,
    size: { cols: 80, rows: 24 },
    prompts: [[command(`touch one &&\n${long}`)]],
    dialogTimeoutSeconds: 8,
  });
  await assertRejects(() => dialogs.play(), HumanInterventionRequiredError);
  assertEquals(await exists(`${dialogs.project}/one`), false);
});

Deno.test("Claude Code: an answer that quotes a dialog is no dialog, and nothing is sent", async () => {
  const quote = [
    "The screen of the other agent said:",
    "",
    "─".repeat(60),
    " Bash command",
    "╌".repeat(60),
    " rm -rf build",
    "╌".repeat(60),
    " Do you want to proceed?",
    " ❯ 1. Yes",
    "   2. Yes, and always allow",
    "   3. No",
    "",
    " Esc to cancel · Tab to amend",
  ].join("\n");
  await using dialogs = await setUpDialogs({
    provider: "claude_code",
    prompts: [[{ do: "say", text: quote, chunkMs: 20 }, { do: "wait", ms: 1500 }]],
  });
  assertEquals(await dialogs.play(), RESPONSE);
  assertEquals(dialogs.decisions(), []);
});

Deno.test("Claude Code: a dialog that is deferred because somebody types is accepted when it shows", async () => {
  await using dialogs = await setUpDialogs({
    provider: "claude_code",
    // A hook would answer before it shows.
    hooks: false,
    prompts: [[{ do: "wait", ms: 1000 }, command("touch one"), PAUSE]],
  });
  const { agent, stage } = dialogs;
  const turn = dialogs.play();
  await stage.server.log.waitFor((entry) => entry.event === "busy", { timeoutMs: 15_000 });
  for (let typed = 0; typed < 14; typed++) {
    await sendKeys(stage.session.client, agent.pane.paneId, { keys: ["x"] });
    await systemClock.sleep(150);
  }
  // A draft of the person's would be in the way of no prompt of this turn any more.
  assertEquals(await turn, RESPONSE);
  assertEquals(dialogs.decisions(), ["allow command touch one"]);
  assertEquals(dialogs.events.filter(({ type }) => type === "dialog_waiting"), []);
});

Deno.test("Claude Code: a dialog that opens between paste and Enter gets no Enter, and the paste is not lost", async () => {
  const background = { args: { run_in_background: true } };
  const asked: string[] = [];
  await using stage = await setUpStage({
    provider: "claude_code",
    // Long enough for a turn that begins by itself, and for a dialog that is deferred while somebody types.
    adapt: (provider) => ({
      ...provider,
      terminal: { ...provider.terminal, submit: { ...provider.terminal.submit, pastedToEnterMs: 3000 } },
    }),
    respond({ prompts }) {
      asked.push(prompts.at(-1) ?? "");
      switch (asked.length) {
        case 1:
          return [
            { do: "shell", command: "while [ ! -e go ]; do sleep 0.1; done", ...background },
            { do: "say", text: "It runs." },
          ];
        case 2:
          return [command("touch sneaked"), { do: "say", text: "The background command has ended." }];
        default:
          return [{ do: "say", text: "All done." }];
      }
    },
  });
  const claude = await stage.start();
  const { project } = stage.sandbox;
  await claude.submit("Start it");
  await untilStatus(claude, "completed");
  const submitting = assertRejects(() => claude.submit("The next prompt"), HumanInterventionRequiredError);
  while ((await claude.look()).composer?.state !== "draft") await systemClock.sleep(20);
  await Deno.writeTextFile(`${project}/go`, "");
  const error = await submitting;
  assertStringIncludes(error.message, "a dialog (command) opened while the text was pasted");
  assertEquals(await exists(`${project}/sneaked`), false);
  assertEquals(await answerNextDialog(claude, "accept"), "command");
  await untilStatus(claude, "completed");
  assertEquals(await exists(`${project}/sneaked`), true);
  await claude.submit("The next prompt");
  await untilStatus(claude, "completed");
  assertEquals(asked.filter((prompt) => prompt.includes("next")), ["The next prompt"]);
});

Deno.test("Claude Code: a model that asks 25 times is stopped at the cap", async () => {
  await using dialogs = await setUpDialogs({
    provider: "claude_code",
    prompts: [Array.from({ length: 25 }, (_, index) => command(`touch file-${index}`))],
    settings: { acceptCooldownSeconds: 0.3 },
  });
  const error = await assertRejects(() => dialogs.play(), RuntimeError);
  assertStringIncludes(error.message, "20 dialogs were accepted, and no more are allowed in a turn");
  assertAtCap(dialogs);
});

function assertAtCap({ project, logs, decisions }: DialogStage): void {
  assertEquals(decisions().length, 20);
  assertStringIncludes(logs.at(-1) ?? "", "(20/20):");
  const files = [...Deno.readDirSync(project)].filter(({ name }) => name.startsWith("file-"));
  assertEquals(files.length, 20);
}
