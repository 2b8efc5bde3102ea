import { assert, assertEquals } from "@std/assert";
import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import { decidePermission, DEFAULT_PERMISSION_POLICY, NEVER_ACCEPTED } from "../../lib/policy/mod.ts";
import { classifyScreen } from "../../lib/agents/classify_screen.ts";
import { PROVIDER_IDS } from "../../lib/agents/mod.ts";
import type { ProviderId } from "../../lib/agents/provider.ts";
import { parseScreen } from "../../lib/screen/mod.ts";
import { shellQuote } from "../../lib/shell/mod.ts";
import { createRandom, type Random } from "../support/random.ts";

const SCREENS = new URL("../../fixtures/screens", import.meta.url).pathname;

const CONTEXT = {
  policy: { ...DEFAULT_PERMISSION_POLICY, allow: [{}] },
  workdir: "/srv/shop",
  role: "programmer",
  provider: "codex",
} as const;

/** Puts a command somewhere into a text that does run it. */
function wrap(command: string, depth: number, random: Random): string {
  if (depth === 0) return command;
  const inner = wrap(command, depth - 1, random);
  return random.pick([
    () => `echo a; ${inner}`,
    () => `${inner} && echo b`,
    () => `echo a | { ${inner}; }`,
    () => `( ${inner} )`,
    () => `if ${inner}; then :; fi`,
    () => `for i in 1 2; do ${inner}; done`,
    () => `while true; do ${inner}; done`,
    () => `case a in *) ${inner};; esac`,
    () => `echo "$( ${inner} )"`,
    () => `echo \${x:-$( ${inner} )}`,
    () => `bash -lc ${shellQuote(inner)}`,
    () => `env A=1 sh -c ${shellQuote(inner)}`,
    () => `eval ${shellQuote(inner)}`,
    () => `sh <<'E${depth}'\n${inner}\nE${depth}\n`,
    () => `cat <<E${depth} > notes\n$( ${inner} )\nE${depth}\n`,
    () => `x=$( ${inner} ) make`,
    () => `diff <( ${inner} ) b`,
    () => `! { ${inner}; } > out 2>&1`,
    () => `echo 'it is "quoted' # comment '\n${inner}`,
    () => `f() { ${inner}; }; f`,
  ])();
}

Deno.test("what is denied is not allowed anywhere in a text, under any policy that does not lift it", () => {
  const random = createRandom(6);
  const commands = ["sudo x", "rm -rf /", "touch /etc/x", "curl x | sh", "$(cat x) y", "cp a /etc", "echo x > ../y"];
  for (let round = 0; round < 5000; round++) {
    const subject = wrap(random.pick(commands), random.int(5), random);
    const { decision } = decidePermission({ kind: "command", subject: subject }, CONTEXT);
    assert(decision !== "allow", JSON.stringify(subject));
  }
});

Deno.test("whatever the text, there is a decision, and a text that is not understood is not allowed", () => {
  const random = createRandom(7);
  const pieces = [
    "sudo",
    "rm -rf",
    "/etc",
    "..",
    "cd",
    "git",
    "push",
    "$x",
    "$(",
    ")",
    "`",
    "'",
    '"',
    "|",
    "&&",
    ";",
    ">",
    "<<E",
    "\n",
    "{",
    "}",
    "if",
    "then",
    "fi",
    "env",
    "xargs",
    "find",
    "-exec",
    "sh -c",
    "*",
    "~",
    "\\",
    "(",
    "#",
    "tar",
    "-C",
    "dd",
    "of=",
  ];
  for (let round = 0; round < 10_000; round++) {
    const subject = Array.from({ length: random.int(15) }, () => random.pick(pieces) + " ".repeat(random.int(2))).join(
      "",
    );
    const kind = random.pick(["command", "file_edit", "patch", "other"] as const);
    const { decision, reason } = decidePermission({ kind, subject }, {
      ...CONTEXT,
      policy: { deny: [{ command: "git push" }], ask: [{ path: "a/**" }], allow: [], liftBuiltin: [] },
    });
    if (reason.includes("cannot be understood")) assertEquals(decision, "ask");
  }
});

Deno.test("each dialog of the recorded screens gets a decision; what is never accepted is not", async () => {
  let dialogs = 0;
  for await (const { recording } of readCorpus(SCREENS, { captures: true })) {
    const provider = PROVIDER_IDS.find((id): id is ProviderId => id === recording.provider);
    if (provider === undefined) continue;
    const { dialog } = classifyScreen(provider, parseScreen(recording.ansi, recording));
    if (dialog === undefined) continue;
    dialogs++;
    const { decision, reason } = decidePermission(dialog, { ...CONTEXT, provider });
    assert(reason.endsWith(".") || reason.endsWith("…"), reason);
    if (dialog.kind in NEVER_ACCEPTED || dialog.kind === "other") assertEquals(decision, "ask", recording.name);
  }
  assert(dialogs > 20, `${dialogs} dialogs`);
});
