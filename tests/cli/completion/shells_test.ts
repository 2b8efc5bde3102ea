import { assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { type Shell, SHELLS } from "../../../lib/cli/completion/scripts.ts";
import { shellJoin } from "../../../lib/shell/quote.ts";
import { createTmuxClient } from "../../../lib/tmux/plain_client.ts";
import { killServer } from "../../../lib/tmux/server.ts";
import { execWaiting, writeReview, writeRun } from "../../support/run_folders.ts";
import { cleanEnvironment, panewrightArgv } from "../../support/run_panewright.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { whyMissing } from "../../support/why_missing.ts";

const ASKING = "20261119-235959-0000";
const ALSO_ASKING = "20261118-235959-0000";
const OTHER = "20261120-072605-3fa9";

/** What an agent asks that knows how shells complete. */
const HOSTILE = "Which $(touch pwned) `touch pwned`; touch pwned: %F{red} [x]'\"?";

/** How each shell is started without the person's own settings, and made ready. */
const SETUPS: Readonly<Record<Shell, { readonly argv: readonly string[]; readonly lines: readonly string[] }>> = {
  bash: {
    argv: ["bash", "--norc", "--noprofile", "-i"],
    lines: ["PS1='> '", "bind 'set show-all-if-ambiguous on'", 'eval "$(panewright completion bash)"'],
  },
  zsh: {
    argv: ["zsh", "-f", "-i"],
    lines: ["PROMPT='> '", "autoload -Uz compinit", "compinit -D -u", "source <(panewright completion zsh)"],
  },
  fish: {
    argv: ["fish", "--private", "--no-config", "-i"],
    lines: [
      "function fish_prompt; echo -n '> '; end",
      "set -g fish_autosuggestion_enabled 0",
      "panewright completion fish | source",
    ],
  },
};

/** What is typed before Tab, and the line after it. */
const LINES: readonly (readonly [string, string])[] = [
  ["panewright compl", "panewright completion"],
  ["panewright --quiet sta", "panewright --quiet status"],
  ["panewright --color=always sta", "panewright --color=always status"],
  ["~/../bin/panewright compl", "~/../bin/panewright completion"],
  ["panewright run --max-rev", "panewright run --max-review-cycles"],
  ["panewright run --start-agent programmer_", "panewright run --start-agent programmer_review"],
  ["panewright config show --provider=claude_c", "panewright config show --provider=claude_code"],
  ["panewright attach te", "panewright attach tester"],
  ["panewright help do", "panewright help doctor"],
  ["panewright status 20261120", `panewright status ${OTHER}`],
  ["panewright answer 20261119", `panewright answer ${ASKING}`],
  ["panewright answer @2 --question ", "panewright answer @2 --question q1"],
  [`panewright answer ${ASKING} --question `, `panewright answer ${ASKING} --question q1`],
  ["panewright explain --config team", "panewright explain --config team.jsonc"],
  ["panewright runs --wd inn", "panewright runs --wd inner/"],
];

async function project(dir: TempDir): Promise<void> {
  for (const id of [ALSO_ASKING, ASKING]) {
    const asked = execWaiting(dir.path, id).map((fact) => {
      return fact.type === "question_asked" || fact.type === "question_waiting" ? { ...fact, text: HOSTILE } : fact;
    });
    await writeRun({ workdir: dir.path, id, events: asked });
  }
  await writeReview(dir, [], OTHER);
  const program = `#!/bin/sh\nexec ${shellJoin(panewrightArgv(["-A"]))} "$@"\n`;
  await dir.write({ "bin/panewright": program, "team.jsonc": "{}", "inner/file": "", "home/x": "" });
  await Deno.chmod(`${dir.path}/bin/panewright`, 0o755);
}

for (const shell of SHELLS) {
  const missing = await whyMissing(shell);
  Deno.test({
    name: `${shell} completes commands, flags, values, runs, questions and files${
      missing ? ` (not tried: ${missing})` : ""
    }`,
    ignore: missing !== undefined,
    fn: () => play(shell),
  });
}

async function play(shell: Shell): Promise<void> {
  await using dir = await tempDir();
  await project(dir);
  const { argv, lines } = SETUPS[shell];
  const env = cleanEnvironment({ HOME: `${dir.path}/home`, TMPDIR: dir.path });
  const client = createTmuxClient({
    socket: `panewright-test-${crypto.randomUUID().slice(0, 8)}`,
    env: { ...env, PATH: `${dir.path}/bin:${env["PATH"]}` },
  });
  const pane = ["-t", "shell:"] as const;
  const rows = async () => (await client.run(["capture-pane", "-p", "-J", ...pane])).stdout.trimEnd().split("\n");
  const type = (text: string) => client.run(["send-keys", ...pane, "-l", text]);
  const press = (key: string) => client.run(["send-keys", ...pane, key]);
  const lastRow = async () => (await rows()).at(-1)?.trimEnd() ?? "";
  try {
    await client.run(["new-session", "-d", "-s", "shell", "-x", "200", "-y", "50", "-c", dir.path, "--", ...argv]);
    for (const line of lines) {
      await type(`${line}; echo did it`);
      await press("Enter");
      await until(rows, (seen) => seen.includes("did it") && seen.at(-1)?.startsWith(">") === true, String);
      await press("C-l");
      await until(rows, (seen) => seen.length === 1, String);
    }
    for (const [typed, completed] of LINES) {
      await type(typed);
      await until(lastRow, (seen) => seen === `> ${typed.trimEnd()}`);
      await press("Tab");
      await until(lastRow, (seen) => seen === `> ${completed}`);
      await press("C-u");
      await until(lastRow, (seen) => seen === ">");
    }
    await type("panewright answer ");
    for (const key of ["Tab", "Tab"]) await press(key);
    const listed = await until(async () => (await rows()).join("\n"), (seen) => seen.split("-235959-0000").length > 2);
    // Bash lists words alone.
    assertEquals(listed.includes("Which $(touch pwned)"), shell !== "bash");
    assertEquals(await exists(`${dir.path}/pwned`), false, "what an agent asks is only text");
    for (const key of ["C-u", "C-l"]) await press(key);
    await until(rows, (seen) => seen.length === 1, String);
    await type("panewright attach --role ");
    for (const key of ["Tab", "Tab"]) await press(key);
    const roles = await until(rows, (seen) => seen.join(" ").includes("tester"), String);
    assertEquals(
      roles.filter((row) => row.includes("--") && !row.startsWith(">")),
      [],
      "what has no description is listed without one",
    );
  } finally {
    await killServer(client);
  }
}
