import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError, UsageError } from "../../lib/base/errors.ts";
import type { CommandResult, CommandSpec, ProcessRunner } from "../../lib/base/ports/process.ts";
import { createTmuxClient, expectTmuxSuccess } from "../../lib/tmux/plain_client.ts";
import { requireTmux } from "../../lib/tmux/version.ts";

/** Answers every program with the same result, and remembers what was asked. */
function scripted(result: Partial<CommandResult>): ProcessRunner & { readonly specs: CommandSpec[] } {
  const specs: CommandSpec[] = [];
  return {
    specs,
    run(spec) {
      specs.push(spec);
      return Promise.resolve({ code: 0, stdout: "", stderr: "", timedOut: false, truncated: false, ...result });
    },
  };
}

Deno.test("without tmux the error says how to get it on each system", async () => {
  const processRunner: ProcessRunner = { run: () => Promise.reject(new Deno.errors.NotFound("tmux")) };
  const client = createTmuxClient({ socket: "s", processRunner, env: {} });
  const error = await assertRejects(() => requireTmux(client), UsageError, "not installed");
  for (const word of ["Debian", "apt-get install tmux", "Fedora", "dnf", "Alpine", "apk add", "macOS", "brew"]) {
    assertStringIncludes(error.hint ?? "", word);
  }
});

Deno.test("a tmux that is too old is refused, a new enough or unnumbered one is taken", async () => {
  const version = (stdout: string) =>
    requireTmux(createTmuxClient({ socket: "s", processRunner: scripted({ stdout }) }));
  for (const old of ["tmux 2.9a", "tmux 3.1c"]) await assertRejects(() => version(old), UsageError, "3.2 or newer");
  for (const good of ["tmux 3.2", "tmux 3.3a", "tmux 3.10", "tmux 4.0", "tmux master"]) {
    assertEquals(await version(`${good}\n`), good);
  }
});

Deno.test("the person's own server and settings are out of reach", async () => {
  const processRunner = scripted({});
  const env = { HOME: "/h", TMUX: "/tmp/tmux-0/default,1,0", TMUX_PANE: "%1" };
  await createTmuxClient({ socket: "mine", processRunner, env }).run(["list-sessions"]);
  await createTmuxClient({ socket: "/run/s", processRunner, env }).run(["list-sessions"]);
  const [named, byPath] = processRunner.specs;
  assertEquals(named?.argv, ["tmux", "-u", "-N", "-L", "mine", "-f", "/dev/null", "list-sessions"]);
  assertEquals(byPath?.argv.slice(3, 5), ["-S", "/run/s"]);
  assertEquals([named?.env, named?.clearEnv], [{ HOME: "/h" }, true]);
});

Deno.test("a server that does not answer, or refuses, is an error in words", async () => {
  const processRunner = scripted({ timedOut: true, code: 124 });
  const client = createTmuxClient({ socket: "s", processRunner, env: {} });
  await assertRejects(() => client.run(["list-sessions"]), RuntimeError, "did not answer");
  const refused = { code: 1, stdout: "", stderr: "can't find session: x\n", timedOut: false, truncated: false };
  await assertRejects(
    () => Promise.resolve().then(() => expectTmuxSuccess(refused, "open a pane")),
    RuntimeError,
    `Cannot open a pane: tmux says "can't find session: x"`,
  );
});
