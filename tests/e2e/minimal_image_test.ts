import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { buildPacked } from "../support/built.ts";
import { FAKE_CODEX } from "../support/fake_codex.ts";
import { createSandbox } from "../support/sandbox.ts";
import { tempDir } from "../support/temp_dir.ts";
import { minimalRoot, runInRoot } from "./minimal_root.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** Only root may mount and change its root. Where tests must be whole, that it cannot is a failure. */
const ignore = Deno.uid() !== 0 && Deno.env.get("CI") === undefined;

/** What is tried in each of two systems. */
const SYSTEMS = [
  {
    name: "with a language and a home",
    home: "writable",
    env: { LANG: "C.UTF-8" },
    demo: ["sh", "smoke.sh", "panewright"],
    passed: /^\d+ checks passed$/m,
    locale: /^ok {4}locale/m,
  },
  {
    name: "with LANG unset and a read-only HOME",
    home: "read-only",
    // What a run relies on has to be kept somewhere.
    env: { PANEWRIGHT_STATE_DIR: "/tmp/panewright-state" },
    demo: ["panewright", "demo"],
    passed: /^✓ PASS .* 2 rounds/m,
    locale: /^warn {2}locale: none of LC_ALL/m,
  },
] as const;

Deno.test({
  name: "the one file works in a minimal image without Node, Deno, git and network (needs root)",
  ignore,
  async fn(t) {
    await using dir = await tempDir();
    const [executable] = await Promise.all([buildPacked(dir.path), minimalRoot()]);
    // Most of it is waiting: both at the same time.
    await Promise.all(SYSTEMS.map((system) =>
      t.step({
        name: system.name,
        sanitizeOps: false,
        sanitizeResources: false,
        sanitizeExit: false,
        fn: () => tryIn(system, executable),
      })
    ));
  },
});

async function tryIn(
  { home, env, demo, passed, locale }: typeof SYSTEMS[number],
  executable: string,
): Promise<void> {
  await using sandbox = await createSandbox();
  const { project } = sandbox;
  await Deno.mkdir(`${project}/fake`);
  await Deno.copyFile(`${ROOT}tests/smoke/smoke.sh`, `${project}/smoke.sh`);
  await Deno.writeTextFile(`${project}/codex`, FAKE_CODEX, { mode: 0o755 });
  await Deno.writeTextFile(`${project}/task.md`, "Build a login.\n");
  const step = { name: "build", prompt: "self", check: { type: "fileExists", path: "done-1" } };
  const pipelines = { main: [{ ...step, command: ["/project/codex"] }] };
  await Deno.writeTextFile(`${project}/panewright.jsonc`, JSON.stringify({ autonomy_level: 3, pipelines }));
  const variables = {
    HOME: "/root",
    TERM: "xterm",
    CODEX_HOME: "/project/codex-home",
    FAKE_FOLDER: "/project/fake",
  };
  const run = (argv: readonly [string, ...string[]]) =>
    runInRoot(argv, { project, executable, env: { ...variables, ...env }, home });

  const programs = await run([
    "sh",
    "-c",
    "for name in node deno git tmux; do command -v $name; done; cut -s -d: -f1 /proc/net/dev",
  ]);
  assertEquals(programs.stdout.split(/\s+/), ["/usr/bin/tmux", "lo", ""]);

  const [tried, doctor, exec] = await Promise.all([
    run(demo),
    run(["panewright", "doctor"]),
    run(["panewright", "exec", "--trust", "task.md"]),
  ]);
  for (const [name, { code, stdout, stderr }] of Object.entries({ tried, doctor, exec })) {
    assertEquals([name, code], [name, 0], stdout + stderr);
    assertNotMatch(stdout + stderr, /error is unexpected|^\s+at .+:\d+:\d+\)?$/m);
  }
  assertMatch(tried.stdout, passed);
  assertMatch(exec.stdout, /^✓ PASS/m);
  assertMatch(doctor.stdout, locale);
}
