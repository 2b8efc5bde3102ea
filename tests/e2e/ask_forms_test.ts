import { assert, assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { runHeadless } from "../../lib/agents/process/headless.ts";
import { askedBy } from "../agents/process/support.ts";
import { FORMS, FORMS_ENV, SCRIPT, SHELLS, wrongQuestion } from "../support/ask_forms.ts";
import { setUpHeadlessProject } from "./headless_project.ts";

/** Each form with one shell of each CLI, in turn: `deno task test:asks` plays them all. */
const SAMPLE = FORMS.flatMap((form, index) =>
  (["codex", "claude_code"] as const).map((provider) => {
    const shells = SHELLS.filter((shell) => shell.provider === provider);
    return { form, agentShell: shells[index % shells.length]! };
  })
);

for (const { form, agentShell } of SAMPLE) {
  const { provider, what, bashrc, args } = agentShell;
  Deno.test(`exec, ${provider} ${what}: ${JSON.stringify(form)} asks`, async () => {
    await using project = await setUpHeadlessProject({
      provider,
      respond: () => [{ do: "shell", command: form }, { do: "say", text: "All done." }],
    });
    const { home, project: folder } = project.sandbox;
    if (bashrc !== undefined) await Deno.writeTextFile(`${home}/.bashrc`, bashrc);
    await Deno.writeTextFile(`${folder}/ask.sh`, SCRIPT);
    const request = project.request("Do it.");
    const env = { ...request.env, ...FORMS_ENV };
    const { question } = await askedBy(runHeadless({ ...request, env, args: [...request.args ?? [], ...args] }));
    assertEquals(wrongQuestion(question, form, agentShell), undefined);
    if (form.includes(" before")) assert(await exists(`${folder}/before`));
  });
}
