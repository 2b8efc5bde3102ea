// deno-lint-ignore-file no-console -- a benchmark prints what it finds
/**
 * The same ways of passing without the work as in `evidence.ts`, each done by the real Codex CLI in a run of one sentence,
 * with its sandbox: what its card says.
 *
 * @module
 */
import { dirname } from "@std/path/posix";
import { cliProject } from "../e2e/cli_project.ts";
import { runProgram } from "../support/program.ts";
import type { Left } from "../jobs/evidence/support.ts";
import { CHEATS, checkOf, HONEST, PROJECT, UNDETECTED } from "../support/evidence_jobs.ts";

/** The shell command with which an agent leaves these files behind. */
function commandOf(left: Left): string {
  return Object.entries(left).map(([path, text]) =>
    text === undefined
      ? `{ [ ! -e '${path}' ] || rm '${path}'; }`
      : `mkdir -p "$(dirname '${path}')" && echo ${
        btoa(String.fromCharCode(...new TextEncoder().encode(text)))
      } | base64 -d > '${path}'`
  ).join(" && ");
}

const jobs: readonly (readonly [string, string, Left])[] = [
  ...Object.entries(CHEATS).map(([name, left]) => ["without the work", name, left] as const),
  ...Object.entries(UNDETECTED).map(([name, left]) => ["named as not found", name, left] as const),
  ...Object.entries(HONEST).map(([name, [left]]) => ["honest", name, left] as const),
];

const counts = new Map<string, number>();
for (const [kind, name, left] of jobs) {
  await using project = await cliProject({
    ...{ provider: "codex", isRepository: true, onPath: "itself", codex: { trusted: false } } as const,
    respond: () => [{ do: "shell", command: commandOf(left) }, { do: "say", text: "Done." }],
    env: { PANEWRIGHT_TRUST: "0" },
  });
  const { project: folder } = project.sandbox;
  for (const [path, text] of Object.entries(PROJECT)) {
    await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  const commit = "git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
  await runProgram(["sh", "-c", commit], { cwd: folder, env: project.env, timeoutMs: 20_000 });
  await project.run("Fix the rounding", "--check", checkOf(left), "--provider", "codex", "--trust");
  const { stdout } = await project.run("show", "fix-the-rounding", "--json");
  const { changes, remarks, state } = JSON.parse(stdout);
  // What the agent was not let do says nothing of the evidence.
  const what = (changes?.files ?? []).length === 0
    ? "not done"
    : state !== "passed"
    ? "FAIL"
    : remarks.length > 0
    ? "with remarks"
    : "plain PASS";
  console.log(`${kind}: ${name}: ${what}`);
  const key = `${kind}: ${what}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
for (const [key, count] of [...counts].toSorted()) console.log(`${count} ${key}`);
