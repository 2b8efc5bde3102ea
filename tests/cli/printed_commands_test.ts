/** Each command that a message, a hint or a page prints is one that there is, with flags that it takes. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { walk } from "@std/fs";
import { COMMANDS, findCommand } from "../../lib/cli/command_table.ts";
import { createPrintedCommands, whyNotApart } from "../support/printed_commands.ts";
import { tempDir } from "../support/temp_dir.ts";
import { GLOBAL_FLAGS } from "../../lib/cli/console/parse.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** A command in quotation marks or behind a colon, up to what a program puts in its place. */
const PRINTED =
  /(?:["'`(]|: |Run |run )panewright ([a-z][a-z-]*)((?:[ ](?:--?[a-zA-Z][\w-]*(?:=\S+)?|[A-Z@"<][^\s`'")]*))*)/g;

/** Its words, as they are handed on to be joined. */
const JOINED =
  /(?:runCommandLine|commandInForm|commandLine|commandOf|inForm)\(\s*\[?"([a-z][a-z-]*)"((?:,\s*(?:"[^"]*"|[\w.@()]+))*)/g;

/** Words that follow `panewright` in a sentence in parentheses. */
const NO_COMMANDS = new Set([
  "is",
  "itself",
  "works",
  "will",
  "may",
  "can",
  "cannot",
  "does",
  "has",
  "was",
  "with",
  "needs",
  "keeps",
  "brings",
  "agent",
  "configuration",
]);

/** In a document: as code in a sentence, and in the rows of a block of code. */
const INLINE = /`panewright ([a-z][a-z-]*)((?:[ ](?:--?[a-zA-Z][\w-]*(?:=\S+)?|[^\s`|&;>#]+))*)/g;
const ROW = /^(?:\$ )?panewright ([a-z][a-z-]*)((?:[ ](?:--?[a-zA-Z][\w-]*(?:=\S+)?|[^\s`|&;>#]+))*)/gm;

interface Printed {
  readonly place: string;
  readonly command: string;
  readonly flags: readonly string[];
}

/** What the documents tell people to type. */
async function writtenCommands(): Promise<readonly Printed[]> {
  const found: Printed[] = [];
  const files = ["README.md", "ARCHITECTURE.md", "SECURITY.md"].map((name) => `${ROOT}${name}`);
  for await (const { path } of walk(`${ROOT}docs`, { exts: [".md"] })) files.push(path);
  for await (const { path } of walk(`${ROOT}examples`, { exts: [".md"] })) files.push(path);
  for (const path of files) {
    const parts = (await Deno.readTextFile(path)).split(/^\s*```.*$/m);
    const matches = parts.flatMap((part, index) => [...part.matchAll(index % 2 === 0 ? INLINE : ROW)]);
    for (const [, command = "", rest = ""] of matches) {
      const flags = [...rest.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([flag]) => flag);
      found.push({ place: path.slice(ROOT.length), command, flags });
    }
  }
  return found;
}

async function printedCommands(): Promise<readonly Printed[]> {
  const found: Printed[] = [];
  for await (const { path } of walk(`${ROOT}lib`, { exts: [".ts", ".tsx"], includeDirs: false })) {
    const text = (await Deno.readTextFile(path)).replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    for (const pattern of [PRINTED, JOINED]) {
      for (const [, command = "", rest = ""] of text.matchAll(pattern)) {
        if (NO_COMMANDS.has(command)) continue;
        const flags = [...rest.matchAll(/(?<=[ "])--[a-z][a-z-]*/g)].map(([flag]) => flag);
        found.push({ place: path.slice(ROOT.length), command, flags });
      }
    }
  }
  return found;
}

/** What is wrong with a printed command; undefined where it is one. */
async function problemOf({ command, flags }: Pick<Printed, "command" | "flags">): Promise<string | undefined> {
  const isKnown = COMMANDS.some(({ name }) => name === command);
  if (!isKnown) return `there is no command ${command}`;
  const { flags: own } = (await findCommand(command).load()).command;
  const names = new Set([...own, ...GLOBAL_FLAGS].map(({ name }) => `--${name}`));
  const unknown = flags.find((flag) => !names.has(flag));
  return unknown === undefined ? undefined : `${command} has no ${unknown}`;
}

Deno.test("each command that is printed, or written in a document, is one that there is, and takes the flags that it is printed with", async () => {
  const [printed, written] = [await printedCommands(), await writtenCommands()];
  assert(printed.length > 120 && written.length > 200, `only ${printed.length} and ${written.length} were found`);
  const problems: string[] = [];
  for (const one of [...printed, ...written]) {
    const problem = await problemOf(one);
    if (problem !== undefined) problems.push(`${one.place}: ${problem}`);
  }
  assertEquals(problems, []);
});

Deno.test("a printed command that there is not, or a flag that it has not, is found", async () => {
  assertEquals(await problemOf({ command: "resum", flags: [] }), "there is no command resum");
  assertEquals(await problemOf({ command: "resume", flags: ["--json", "--forced"] }), "resume has no --forced");
  assertEquals(await problemOf({ command: "resume", flags: ["--raise"] }), undefined);
});

Deno.test("a printed command that only looks is carried out where it was printed, once, and must not fail", async () => {
  const { carryOut } = createPrintedCommands({
    argv: ["sh", "-c", 'case "$2" in gone) echo "no such run" >&2; exit 2;; esac', "panewright"],
    cwd: "/",
    env: { PATH: Deno.env.get("PATH") ?? "" },
  });
  const printed = (stdout: string) => carryOut("exec", { stdout, stderr: "" });
  await printed("panewright show fix\n  diff   panewright diff NAME\npanewright show is the card of one.\n");
  await assertRejects(() => printed("Look: panewright show gone\n"), Error, "no such run");
  await printed("Look: panewright show gone\n");
});

const notApart = await whyNotApart();

Deno.test({
  name: `a printed command that changes something is carried out, and what it has changed is gone afterwards${
    notApart === undefined ? "" : ` (not here: ${notApart})`
  }`,
  ignore: notApart !== undefined,
  async fn() {
    await using dir = await tempDir();
    await dir.write({ "kept.txt": "as it was\n" });
    const act = 'test "$2" != gone || exit 2; echo changed > kept.txt; echo made > made.txt';
    const { carryOut } = createPrintedCommands({
      ...{ argv: ["sh", "-c", act, "panewright"], cwd: dir.path, env: { PATH: Deno.env.get("PATH") ?? "" } },
    });
    const printed = (stdout: string) => carryOut("exec", { stdout, stderr: "" });
    await printed('  apply   panewright apply fix\n  reply   panewright reply fix "…"\n');
    await assertRejects(() => printed("panewright discard gone\n"), Error, "which fails");
    assertEquals([...Deno.readDirSync(dir.path)].map(({ name }) => name), ["kept.txt"]);
    assertEquals(Deno.readTextFileSync(`${dir.path}/kept.txt`), "as it was\n");
  },
});
