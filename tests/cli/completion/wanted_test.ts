import { assertEquals } from "@std/assert";
import { COMMANDS } from "../../../lib/cli/command_table.ts";
import { joinWords, wantedAt } from "../../../lib/cli/completion/wanted.ts";
import { OFFERED_PROVIDER_IDS } from "../../../lib/agents/mod.ts";
import { callCli } from "../../support/call_cli.ts";
import { RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** The providers that a run can have. */
const OFFERED = OFFERED_PROVIDER_IDS.join(" ");

const LINES: readonly (readonly [readonly string[], string])[] = [
  [["run", ""], "files"],
  [["run", "--wd", ""], "folders"],
  [["run", "--wd", "a", "--provider", "c"], OFFERED],
  [["run", "--provider=c"], OFFERED],
  [["run", "--provider", "=", "c"], OFFERED],
  [["run", "--provider", "="], OFFERED],
  [["exec", "task.md", "--config", "a", ""], ""],
  [["explain", "one.ansi", "two.ansi", ""], "files"],
  [["stop", "--", "--"], "runs"],
  [["attach", ""], "runs roles"],
  [["attach", "@1", ""], "roles"],
  [["answer", ""], "asking_runs"],
  [["answer", "@1", "--question", ""], "questions"],
  [["answer", "@", "1", "--question", ""], "questions"],
  [["answer", "@1", "yes", ""], ""],
  [["audit", ""], "show verify"],
  [["audit", "show", ""], "runs"],
  [["fixtures", ""], "check"],
  [["completion", ""], "bash zsh fish"],
  [["man", ""], "commands"],
  [["version", ""], ""],
];

for (const [line, expected] of LINES) {
  Deno.test(`after ${JSON.stringify(line)} a shell offers: ${expected || "nothing"}`, async () => {
    const [name, ...words] = line;
    const { command } = await COMMANDS.find((entry) => entry.name === name)!.load();
    const { wanted } = wantedAt(joinWords(words), command);
    assertEquals(
      (wanted.type === "existing" ? wanted.kinds : wanted.type === "choices" ? wanted.choices : []).join(" "),
      expected,
    );
  });
}

Deno.test("completion and man: with --json the script, or the page, is in an object", async () => {
  const script = JSON.parse((await callCli(["completion", "bash", "--json"])).stdout);
  assertEquals([script.type, script.v, script.shell], ["completion_script", 1, "bash"]);
  const page = JSON.parse((await callCli(["man", "--json"])).stdout);
  assertEquals([page.type, page.v, page.name], ["man_page", 1, "panewright"]);
});

Deno.test("complete: every command that is not hidden, its flags, and nothing for a word that is none", async () => {
  const offered = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await callCli(["complete", "--", ...words], { cwd: "/nonexistent" });
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    const [kind, ...rows] = stdout.trimEnd().split("\n");
    return [kind, ...rows.map((row) => row.split("\t")[0])];
  };
  const names = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  assertEquals(await offered(""), ["words", ...names]);
  assertEquals(await offered("--color", "always", "ru"), ["words", ...names]);
  assertEquals(await offered("--color", "=", "always", "ru"), ["words", ...names]);
  assertEquals(await offered("--color", "=", ""), ["words", "auto", "always", "never"]);
  assertEquals((await offered("completion", "-")).slice(0, 3), ["words", "--json", "--quiet"]);
  assertEquals(await offered("--color", ""), ["words", "auto", "always", "never"]);
  assertEquals(
    await offered("replay-agent", "--"),
    ["words"].concat((await offered("runz", "--")).slice(1) as string[]),
  );
  assertEquals(await offered("runs", ""), ["words"]);
  assertEquals(await offered("run", ""), ["files"]);
  assertEquals(await offered("status", ""), ["words"]);
});

Deno.test("complete: the runs of a folder that is named from the person's own", async () => {
  await using dir = await tempDir();
  await writeReview({ path: `${dir.path}/project` }, []);
  const { stdout } = await callCli(["complete", "--", "status", "--wd", "~/project", ""], {
    cwd: "/nonexistent",
    env: { HOME: dir.path },
  });
  assertEquals(stdout.split("\n").map((row) => row.split("\t")[0]), ["words", RUN_ID, ""]);
});
