import { assert, assertEquals } from "@std/assert";
import { relative, resolve } from "@std/path/posix";

const ROOT = new URL("../../", import.meta.url).pathname;

/** The most files of panewright that each command may load: who waits for it waits for all of them. */
const MOST = { version: 18, runs: 94, status: 94, stop: 92 } as const;

/** Loaded only where there is something for it to do. Whatever else is imported when it is needed counts. */
const NOT_ON_THE_WAY: Readonly<Record<string, string>> = {
  "lib/cli/command_table.ts": "the other commands",
  "lib/cli/main.ts": "help",
  "main.ts": "an error that nobody has caught",
  "lib/cli/console/deno_io.ts": "standard input",
  "lib/cli/console/render_error.ts": "a mistake in a file",
  "lib/cli/find_named_run.ts": "a folder without runs, whose configuration may name another one",
  "lib/cli/commands/status.ts": "--watch at a terminal",
  "lib/run/overview.ts": "a question, or a dialog, that waits",
  "lib/run/run_folder.ts": "a run that begins",
  "lib/run/read_progress.ts": "a run that was carried elsewhere",
  "lib/run/live_agents.ts": "a tmux session of the run's own",
  "lib/jobs/stop_run.ts": "agents that a killed process has left",
};

for (const [command, most] of Object.entries(MOST)) {
  Deno.test(`${command} loads at most ${most} files`, async () => {
    const loaded = await filesLoadedBy(["main.ts", `lib/cli/commands/${command}.ts`]);
    assert(loaded.size <= most, `${loaded.size} files:\n${[...loaded].sort().join("\n")}`);
  });
}

Deno.test("what loads something only where it is needed is still there", async () => {
  for (const file of Object.keys(NOT_ON_THE_WAY)) {
    assertEquals((await importsOf(file)).whenNeeded.length > 0, true, file);
  }
});

async function filesLoadedBy(first: readonly string[]): Promise<ReadonlySet<string>> {
  const loaded = new Set(first);
  for (const file of loaded) {
    if (!file.endsWith(".ts")) continue;
    const { atOnce, whenNeeded } = await importsOf(file);
    for (const other of [...atOnce, ...(file in NOT_ON_THE_WAY ? [] : whenNeeded)]) loaded.add(other);
  }
  return loaded;
}

async function importsOf(file: string): Promise<{
  readonly atOnce: readonly string[];
  readonly whenNeeded: readonly string[];
}> {
  const code = (await Deno.readTextFile(`${ROOT}${file}`)).replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, "");
  const found = (pattern: RegExp) =>
    [...code.matchAll(pattern)].map(([, path]) => relative(ROOT, resolve(`${ROOT}${file}`, "..", path!)));
  return {
    // What is imported for its types alone is not loaded.
    atOnce: found(
      /^(?:import|export) (?!type )(?!\{(?:\s*type \w+(?: as \w+)?,?)+\s*\})(?:[^;"]*? from )?"(\.[^"]+)"/gm,
    ),
    whenNeeded: found(/\bimport\(\s*"(\.[^"]+)"/g),
  };
}
