import { assert, assertEquals } from "@std/assert";
import { DEFAULT_PERMISSION_POLICY, permissionDecider } from "../../lib/policy/mod.ts";
import { shellQuote } from "../../lib/shell/mod.ts";
import { type GeneratedPayload, generatedPayloads } from "../support/payload_generator.ts";
import { payloadTexts } from "../support/permission_table.ts";
import { createRandom } from "../support/random.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";
import { whyMissing } from "../support/why_missing.ts";

/** What a payload leaves behind. */
const MARK = "pwned";
const EVIL = `#!/bin/sh\n/usr/bin/touch "\${MARK:-${MARK}}"\n`;

const FILES = {
  "words": "alpha\nbeta\n",
  "names": "alpha ./evil\n",
  "evil-path": "./evil\n",
  "payload": `touch ${MARK}\n`,
  "evil.sh": EVIL,
  "harmless.sh": ":\n",
  "harmless.mk": "all:\n\t@true; true\n",
  "evil.mk": `all:\n\t@touch ${MARK}\n`,
  "evil/ls": EVIL,
  "evil/only-in-evil": EVIL,
};

/** Everything that the texts show, but what the payload itself runs. */
const ALLOWED = [
  ...("alias break cat cd continue declare diff echo emulate env exec exit export find float getopts hash integer let " +
    "local ls mapfile print printf read readarray readonly repeat return set setopt shift shopt sleep sort tar test " +
    "true typeset unset wait awk sed xargs only-in-evil [ :").split(" ").map((program) => `${program} **`),
  "make **",
  "git diff **",
  "git version **",
  "git x **",
  "bash ./harmless.sh",
  "bash -x ./harmless.sh",
];

const POLICY = {
  ...DEFAULT_PERMISSION_POLICY,
  allow: ALLOWED.map((command) => ({ command })),
  default: "ask",
} as const;

/** What runs nothing, and is to be accepted: a policy that asked about everything would pass the test as well. */
const HARMLESS = [
  "echo '$(touch pwned)'",
  "cat <<'E'\n$(touch pwned)\nE",
  "cat <<'E' <<'F'\n`touch pwned`\nE\n$(touch pwned)\nF",
  'echo "\\$(touch pwned)" \\`touch pwned\\`',
  "printf '%s\\n' 'touch pwned' \";touch pwned\"",
  "echo a # ; touch pwned",
  "cat words | sort | awk '{print $1}' | sed -n 1p",
  "find . -name words -print",
  'for i in 1 2; do echo "$i"; done',
  "if test -f words; then cat words; else echo none; fi",
  'while read -r line; do echo "$line"; done < words',
  "[ -d evil ] && ls evil || echo none",
];

/** How many texts are put together, all of which are decided about. */
const GENERATED = 2000;

for (
  const { shell, argv, least } of [
    { shell: "bash", argv: ["--norc", "--noprofile", "-c"], least: 120 },
    { shell: "dash", argv: ["-c"], least: 80 },
    { shell: "zsh", argv: ["-f", "-c"], least: 120 },
  ]
) {
  const missing = await whyMissing(shell);
  const told = missing === undefined ? "" : ` (not tried: ${missing})`;
  Deno.test({
    name: `what ${shell} runs is not accepted${told}`,
    ignore: missing !== undefined,
    async fn() {
      const run = async (text: string) => {
        await using folder = await payloadFolder();
        await runIn(folder.path, [shell, ...argv, text]);
        const ran = (await marksIn(folder.path)).length > 0;
        return { ran, decision: deciderFor(folder.path)(text) };
      };
      const wrong: string[] = [];
      let count = 0;
      for (const text of payloadTexts()) {
        const { ran, decision } = await run(text);
        if (!ran) continue;
        count++;
        if (decision === "allow") wrong.push(text);
      }
      assertEquals(wrong, []);
      assert(count >= least, `only ${count} payloads ran`);
      for (const text of HARMLESS) assertEquals([text, await run(text)], [text, { ran: false, decision: "allow" }]);
    },
  });

  Deno.test({
    name: `what ${shell} runs of ${GENERATED} texts that are put together is not accepted${told}`,
    ignore: missing !== undefined,
    async fn() {
      await using folder = await payloadFolder();
      const decide = deciderFor(folder.path);
      const [accepted, others] = partition(
        generatedPayloads(GENERATED, createRandom(11)),
        ({ text }) => decide(text) === "allow",
      );
      // Some of the others are run as well, as a proof that a payload that runs is seen.
      const sample = others.filter((_, index) => index % 20 === 0);
      const script = [...accepted, ...sample].map(({ mark, text }) =>
        `( export MARK=${mark}; eval ${shellQuote(text)} ) > /dev/null 2>&1 < /dev/null\n`
      );
      // What is left behind holds the ninth descriptor open.
      await Deno.writeTextFile(`${folder.path}/texts`, `exec 9>&1\n${script.join("")}`);
      await runIn(folder.path, [shell, ...argv.slice(0, -1), "./texts"]);
      const ran = new Set(await marksIn(folder.path));
      assertEquals(accepted.filter(({ mark }) => ran.has(mark)).map(({ text }) => text), []);
      assert(accepted.length >= GENERATED / 4, `only ${accepted.length} are accepted`);
      const seen = sample.filter(({ mark }) => ran.has(mark)).length;
      assert(seen >= sample.length / 4, `only ${seen} payloads of ${sample.length} ran`);
    },
  });
}

/** A folder with all that the texts name. */
async function payloadFolder(): Promise<TempDir> {
  const folder = await tempDir();
  await folder.write(FILES);
  for (const name of ["ls", "only-in-evil"]) await Deno.chmod(`${folder.path}/evil/${name}`, 0o755);
  return folder;
}

function deciderFor(workdir: string): (text: string) => string {
  const decide = permissionDecider({ policy: POLICY, workdir, role: "programmer", provider: "codex" });
  return (text) => decide({ kind: "command", subject: text }).decision;
}

/** The marks that payloads have left. */
async function marksIn(path: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).filter((name) => name.startsWith(MARK));
}

function partition(
  all: readonly GeneratedPayload[],
  belongs: (one: GeneratedPayload) => boolean,
): readonly [readonly GeneratedPayload[], readonly GeneratedPayload[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => belongs(one) ? "yes" : "no");
  return [yes, no];
}

/**
 * Runs a program with nothing of ours but the folder, until it and all that it left behind have ended: that holds its
 * output open. What it prints and how it ends does not matter.
 */
async function runIn(cwd: string, [program = "", ...args]: readonly string[]): Promise<void> {
  await new Deno.Command(program, {
    args,
    cwd,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: cwd, LC_ALL: "C.UTF-8" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(120_000),
  }).output();
}
