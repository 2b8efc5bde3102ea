import { assert, assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { findProcess } from "../../lib/base/ports/process_table.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { startProgram } from "../support/program.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

/**
 * tmux, but the first attempt to end the demo's server writes its process id to `held` and comes to no end, whatever it
 * is told.
 */
const HOLDING_TMUX = `#!/bin/sh
PATH=\${PATH#*:}
case "$*" in *panewright-demo-*kill-server*)
  if mkdir "$HOME/first" 2>/dev/null; then
    trap '' INT TERM HUP
    echo $$ > "$HOME/held"
    exec sleep 36000
  fi ;;
esac
exec tmux "$@"
`;

/** Puts a tmux into the sandbox with which an orderly exit waits, and a forced one does not. */
async function holdOrderlyExits(sandbox: Sandbox): Promise<string> {
  const folder = `${sandbox.root}/bin`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/tmux`, HOLDING_TMUX, { mode: 0o755 });
  return folder;
}

Deno.test("a second Ctrl-C leaves at once, and takes the panes along", async () => {
  const panewright = await panewrightFromSource();
  await using sandbox = await createSandbox();
  const folder = await holdOrderlyExits(sandbox);
  await using program = startProgram([...panewright.argv, "demo"], {
    cwd: sandbox.project,
    env: { ...sandbox.env, ...panewright.env, PATH: `${folder}:${sandbox.env.PATH}` },
  });
  await until(() => program.output.stderr.includes("tester: ready"));
  program.kill("SIGINT");
  const held = Number(await until(() => Deno.readTextFile(`${sandbox.home}/held`).catch(() => "")));
  assertStringIncludes(program.output.stderr, "\nstopping: ending 5 agents; Ctrl-C again forces it\n");
  program.kill("SIGINT");
  const { code, stderr } = await program.ended;
  assertEquals(code, 130);
  // An orderly exit would still wait for this, and then say what was archived.
  assert(await findProcess(held) !== undefined);
  assertNotMatch(stderr, /archived/);
  Deno.kill(held, "SIGKILL");
  await sandbox.assertNothingLeft();
});
