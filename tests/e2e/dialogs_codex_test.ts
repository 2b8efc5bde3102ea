import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { HumanInterventionRequiredError, RuntimeError } from "../../lib/base/errors.ts";
import type { Step } from "../lab/steps.ts";
import { RESPONSE, setUpDialogs } from "./dialog_stage.ts";

const command = (text: string): Step => ({ do: "shell", command: text, escalate: "May I run this?" });
const patch = (file: string): Step => ({
  do: "call",
  tool: "apply_patch",
  input: `*** Begin Patch\n*** Add File: ${file}\n+text\n*** End Patch\n`,
});
const PAUSE: Step = { do: "wait", ms: 300 };

Deno.test("Codex: each kind of dialog is accepted once, one after another", async () => {
  await using dialogs = await setUpDialogs({
    provider: "codex",
    prompts: [[command("touch one"), command("touch two"), PAUSE, patch("new.txt")]],
  });
  assertEquals(await dialogs.play(), RESPONSE);
  assertEquals(dialogs.decisions(), [
    "allow command touch one",
    "allow command touch two",
    "allow patch new.txt",
  ]);
  assertEquals(new Set(dialogs.results()), new Set(["answered"]));
  assertEquals(new Set(dialogs.sources()), new Set(["hook"]));
  for (const file of ["one", "two", "new.txt"]) assert(await exists(`${dialogs.project}/${file}`), file);
  assertEquals(dialogs.asked.length, 1);
});

Deno.test("Codex: each kind of dialog is denied, and the agent is told to go on", async () => {
  await using dialogs = await setUpDialogs({
    provider: "codex",
    prompts: [[command("git push origin main"), patch("new.txt"), command("touch /etc/panewright-test")]],
    policy: { deny: [{ command: "git push" }, { kinds: ["patch"] }] },
  });
  assertEquals(await dialogs.play(), RESPONSE);
  assertEquals(dialogs.decisions(), [
    "deny command git push origin main",
    "deny patch new.txt",
    "deny command touch /etc/panewright-test",
  ]);
  assertEquals(await exists(`${dialogs.project}/new.txt`), false);
  assertEquals(dialogs.asked.length, 1);
  const told = await dialogs.told();
  assertStringIncludes(told, "refused: the command `git push origin main`.");
  assertStringIncludes(told, "write_outside_workdir");
});

Deno.test("Codex: each kind of dialog is put to a person, whose yes and no are carried out", async () => {
  await using dialogs = await setUpDialogs({
    provider: "codex",
    prompts: [[command("touch one"), PAUSE, patch("new.txt")], [command("touch two")]],
    policy: { ask: [{ command: "touch" }, { kinds: ["patch"] }] },
    person: ({ kind, subject }) => kind === "patch" ? "no, nothing new" : subject === "touch one" ? "yes" : undefined,
    dialogTimeoutSeconds: 8,
  });
  const error = await assertRejects(() => dialogs.play(), HumanInterventionRequiredError);
  assertStringIncludes(error.message, "the command `touch two` waited for a person for 8 s");
  assertEquals(dialogs.decisions(), [
    "ask command touch one",
    "allow command touch one",
    "ask patch new.txt",
    "deny patch new.txt",
    "ask command touch two",
  ]);
  const { project } = dialogs;
  const there = await Promise.all(["one", "new.txt", "two"].map((file) => exists(`${project}/${file}`)));
  assertEquals(there, [true, false, false]);
  assertStringIncludes(dialogs.asked[1] ?? "", "nothing new");
});

Deno.test("Codex: without a hook each dialog is denied, and the agent is told to go on", async () => {
  await using dialogs = await setUpDialogs({
    provider: "codex",
    hooks: false,
    prompts: [[command("git push origin main")]],
    policy: { deny: [{ command: "git push" }] },
    person: () => "yes",
  });
  assertEquals(await dialogs.play(), RESPONSE);
  assertEquals(dialogs.decisions(), ["deny command git push origin main"]);
  assertStringIncludes(dialogs.asked[1] ?? "", "refused: the command `git push origin main`.");
});

Deno.test("Codex: a dialog longer than the screen is not accepted, for nobody has read all of it", async () => {
  const long = Array.from({ length: 60 }, (_, index) => `echo line-${index}`).join(" &&\n");
  await using dialogs = await setUpDialogs({
    provider: "codex",
    hooks: false,
    size: { cols: 80, rows: 24 },
    prompts: [[command(`touch one &&\n${long}`)]],
    dialogTimeoutSeconds: 8,
  });
  await assertRejects(() => dialogs.play(), HumanInterventionRequiredError);
  assertEquals(await exists(`${dialogs.project}/one`), false);
});

Deno.test("Codex: an answer that quotes a dialog is no dialog, and nothing is sent", async () => {
  const quote = [
    "The screen of the other agent said:",
    "",
    "  Would you like to run the following command?",
    "",
    "  $ rm -rf build",
    "",
    "› 1. Yes, proceed (y)",
    "  2. No, and tell Codex what to do differently (esc)",
    "",
    "  Press enter to confirm or esc to cancel",
  ].join("\n");
  await using dialogs = await setUpDialogs({
    provider: "codex",
    prompts: [[{ do: "say", text: quote, chunkMs: 20, phase: "commentary" }, { do: "wait", ms: 1500 }]],
  });
  assertEquals(await dialogs.play(), RESPONSE);
  assertEquals(dialogs.decisions(), []);
});

Deno.test("Codex: a model that asks 25 times is stopped at the cap", async () => {
  await using dialogs = await setUpDialogs({
    provider: "codex",
    prompts: [Array.from({ length: 25 }, (_, index) => command(`touch file-${index}`))],
  });
  const error = await assertRejects(() => dialogs.play(), RuntimeError);
  assertStringIncludes(error.message, "20 dialogs were accepted, and no more are allowed in a turn");
  assertEquals(dialogs.decisions().length, 20);
  assertStringIncludes(dialogs.logs.at(-1) ?? "", "(20/20):");
  const files = [...Deno.readDirSync(dialogs.project)].filter(({ name }) => name.startsWith("file-"));
  assertEquals(files.length, 20);
});

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`${provider}: in a pane, what its own settings allow does not run where the policy denies it`, async () => {
    const run = (text: string): Step => ({ do: "shell", command: text });
    await using dialogs = await setUpDialogs({
      provider,
      calls: true,
      args: provider === "codex" ? ["--sandbox", "workspace-write"] : ["--allowedTools", "Bash"],
      prompts: [[run("touch free"), run("touch denied"), run('eval "$(echo touch by_eval)"')]],
      policy: { deny: [{ command: "touch denied" }] },
    });
    assertEquals(await dialogs.play(), RESPONSE);
    assertEquals(dialogs.decisions().filter((one) => one.startsWith("deny")), [
      "deny command touch denied",
      'deny command eval "$(echo touch by_eval)"',
    ]);
    const made = await Promise.all(["free", "denied", "by_eval"].map((file) => exists(`${dialogs.project}/${file}`)));
    assertEquals(made, [true, false, false]);
    assertStringIncludes(await dialogs.told(), "refused: the command `touch denied`.");
  });
}
