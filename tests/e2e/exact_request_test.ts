import { assert, assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import type { Step } from "../lab/steps.ts";
import { RESPONSE, setUpDialogs } from "./dialog_stage.ts";

/** Commands whose screen is not what runs; each would make the file `pwned`. */
const TRICKS: Readonly<Record<string, string>> = {
  "a blank behind the end of a here document (S1)": "cat <<'E'\nx\nE \ncat <<'F'\nE\ntouch pwned\nF",
  "a folder that is changed first (S2)": "cd . && git status; touch pwned",
  "a command that is too long for its dialog (S3)": `: ${"x".repeat(4200)}; touch pwned`,
  "a character without a shape (S4)": "echo \\\u200b''; touch pwned #'",
};

for (const provider of ["claude_code", "codex"] as const) {
  const command = (text: string): Step => ({
    do: "shell",
    command: text,
    ...(provider === "codex" ? { escalate: "May I run this?" } : {}),
  });
  for (const [name, text] of Object.entries(TRICKS)) {
    Deno.test(`${provider}: ${name} hides nothing from the policy`, async () => {
      await using dialogs = await setUpDialogs({
        provider,
        prompts: [[command(text)]],
        policy: { deny: [{ command: "touch" }] },
      });
      assertEquals(await dialogs.play(), RESPONSE);
      const [decision, ...others] = dialogs.decisions();
      assert(decision?.startsWith("deny command"), decision);
      assertEquals([others, dialogs.sources(), dialogs.results()[0]], [[], ["hook"], "answered"]);
      assert(await dialogs.recorded(text), "the audit log has the exact command");
      assertEquals(await exists(`${dialogs.project}/pwned`), false);
    });
  }

  Deno.test(`${provider}: what a screen adds or cannot show goes to a person, with the exact command`, async () => {
    // Where not even the choices fit on Codex' screen, only the pane takes an answer.
    const long = provider === "codex" ? "echo $'\\u200b'; touch one" : `: ${"x".repeat(4200)}; touch one`;
    await using dialogs = await setUpDialogs({
      provider,
      prompts: [[command("cd . && git status; touch one"), command(long)]],
      policy: { ask: [{ command: "touch" }] },
      person: ({ subject }) => subject === long || subject?.startsWith("cd . &&") ? "yes" : "no, not that",
    });
    assertEquals(await dialogs.play(), RESPONSE);
    const subjects = dialogs.events.flatMap((event) => event.type === "dialog_waiting" ? [event.subject] : []);
    assertEquals(subjects, ["cd . && git status; touch one", long]);
    assertEquals(await exists(`${dialogs.project}/one`), true);
  });

  Deno.test(`${provider}: without a hook the session log says what would run, and the policy decides about that`, async () => {
    await using dialogs = await setUpDialogs({
      provider,
      hooks: false,
      prompts: [[command("touch one"), { do: "wait", ms: 300 }, command("cd . && git push; touch pwned")]],
      policy: { deny: [{ command: "git push" }] },
      person: () => "yes",
      ...(provider === "codex" ? { model: "gpt-5.5" } : {}),
    });
    assertEquals(await dialogs.play(), RESPONSE);
    assertEquals(dialogs.sources(), ["session_log", "session_log"]);
    assertEquals(dialogs.decisions(), ["allow command touch one", "deny command cd . && git push; touch pwned"]);
    assertEquals(await exists(`${dialogs.project}/pwned`), false);
  });
}
