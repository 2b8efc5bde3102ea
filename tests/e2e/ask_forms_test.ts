import { assert, assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { runHeadless } from "../../lib/providers/headless.ts";
import { askedBy } from "../providers/headless/support.ts";
import type { CliName } from "../support/clis.ts";
import { setUpHeadlessProject } from "./headless_project.ts";

/** Ways in which an agent may ask "Q?". Where one makes a file first, that is there when the agent was stopped. */
const FORMS: readonly string[] = [
  `panewright ask "Q?"`,
  `cat-herder ask 'Q?'`,
  `cd . && panewright ask "Q?"`,
  `touch before && panewright ask "Q?"`,
  `sleep 0.5; touch before; panewright ask "Q?"; echo $?`,
  `false || panewright ask "Q?"`,
  `q="Q?"; panewright ask "$q"`,
  `if true; then panewright ask "Q?"; fi`,
  `ask() { panewright ask "$1"; }; ask "Q?"`,
  `sh -c 'panewright ask "Q?"'`,
  `bash -lc 'panewright ask "Q?"'`,
  `bash -lc 'touch before && panewright ask "Q?"'; echo $?`,
  `answer=$(panewright ask "Q?"); echo "$answer"`,
  `panewright ask - <<'END'\nQ?\nEND`,
  `echo "Q?" | panewright ask -`,
  `panewright ask "Q?" &`,
  `touch before && panewright ask "Q?" 2>/dev/null; echo $?`,
  `env CI=1 timeout 60 panewright ask "Q?"`,
  `sh ask.sh`,
];

/** How a shell is found by the CLI: what it reads at its start, and further arguments of the CLI. */
const SHELLS: readonly {
  readonly provider: CliName;
  readonly what: string;
  readonly bashrc: string;
  readonly args: readonly string[];
}[] = [
  { provider: "codex", what: "with its shell snapshot", bashrc: "", args: [] },
  {
    provider: "codex",
    what: "without its shell snapshot",
    bashrc: "",
    args: ["-c", "features.shell_snapshot=false"],
  },
  { provider: "codex", what: "with a shell snapshot that fails", bashrc: "exit 1\n", args: [] },
  { provider: "claude_code", what: "as it is", bashrc: "", args: ["--allowedTools", "Bash"] },
  {
    provider: "claude_code",
    what: "with a shell that reads exit 1",
    bashrc: "exit 1\n",
    args: ["--allowedTools", "Bash"],
  },
];

for (const { provider, what, bashrc, args } of SHELLS) {
  for (const form of FORMS) {
    Deno.test(`exec, ${provider} ${what}: ${JSON.stringify(form)} asks`, async () => {
      await using project = await setUpHeadlessProject({
        provider,
        respond: () => [{ do: "shell", command: form }, { do: "say", text: "All done." }],
      });
      const { home, project: folder } = project.sandbox;
      await Deno.writeTextFile(`${home}/.bashrc`, bashrc);
      await Deno.writeTextFile(`${folder}/ask.sh`, `panewright ask "Q?"\n`);
      const request = project.request("Do it.");
      const { question } = await askedBy(runHeadless({ ...request, args: [...request.args ?? [], ...args] }));
      // Where the shell does not find the program, only it could tell what it would have asked.
      if (bashrc === "") assertEquals(question, "Q?");
      else assert(question === "Q?" || question.includes(form) && /\$|ask -|ask\.sh/.test(form), question);
      if (form.includes("touch before")) assert(await exists(`${folder}/before`));
    });
  }
}
