/** What somebody sees whose agent is not as it should be. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import type { FakeAgentScript } from "../../lab/acp_fake_agent.ts";
import { acpRoles, responding } from "../../support/acp_roles.ts";

interface Seen {
  readonly code: number;
  /** What was told on standard error after the run's own progress. */
  readonly error: readonly string[];
  readonly hasRun: boolean;
}

/** A run whose only agent is the tester. */
async function runTester(script: FakeAgentScript, pack: Readonly<Record<string, unknown>> = {}): Promise<Seen> {
  await using stage = await acpRoles({ scripts: { tester: script }, config: { start_agent: "tester" }, pack });
  const { code, stderr } = await stage.call("run");
  const start = stderr.indexOf("panewright: ");
  const error = start < 0 ? [] : stderr.slice(start).trimEnd().split("\n");
  return { code, error, hasRun: await exists(`${stage.sandbox.project}/.panewright/runs`) };
}

Deno.test("an agent that is not installed: nothing is started, and it says how to get it", async () => {
  const roles = { tester: { command: ["no-such-agent"] } };
  await using stage = await acpRoles({ config: { start_agent: "tester", roles } });
  const { code, stderr } = await stage.call("run");
  assertEquals(code, 2, stderr);
  assertStringIncludes(stderr, 'there is no program "no-such-agent" on PATH');
  assert(!await exists(`${stage.sandbox.project}/.panewright/runs`));
});

Deno.test("an agent that dies at once: its last words, and how to see more", async () => {
  const { code, error, hasRun } = await runTester({
    stderr: ["\x1b[31mError:\x1b[0m Cannot find module 'x'", "    at resolve (node:internal)\x1b]0;owned\x07"],
    exitAtStart: 1,
  });
  assertEquals(error.slice(0, 3), [
    "panewright: Cannot start Fake agent: its process has ended (exit code 1)",
    "  Error: Cannot find module 'x'",
    "      at resolve (node:internal)",
  ]);
  assertStringIncludes(error[3] ?? "", "What it lacks may show when it is started by hand: ");
  assertEquals([code, hasRun], [1, true]);
});

Deno.test("an agent that does not know --acp and prints its usage: what it printed", async () => {
  const { code, error } = await runTester({
    preamble: ["Usage: fake [options]", "Unknown option --acp"],
    exitAtStart: 0,
  });
  assertEquals(error.slice(0, 3), [
    "panewright: Cannot start Fake agent: its process has ended (exit code 0)",
    "  Usage: fake [options]",
    "  Unknown option --acp",
  ]);
  assertEquals(code, 1);
});

Deno.test("an agent that is not logged in: a person is told to, by the words of its pack", async () => {
  const { code, error } = await runTester({ login: "oauth", stderr: ["The token has expired."] }, {
    program: "fake-agent",
    login_hint: "Start fake once and log in.",
  });
  assertEquals(error.slice(0, 3), [
    'panewright: Cannot use Fake agent: it is not logged in: it says "Authentication required" (error -32000)',
    "  The token has expired.",
    "  Start fake once and log in.",
  ]);
  assertEquals(code, 3);
});

Deno.test("an agent of a later version of the protocol, and one that fails at the hello", async () => {
  const later = await runTester({ initialize: { protocolVersion: 2 } });
  assertEquals(
    later.error[0],
    "panewright: Cannot talk to Fake agent: it speaks version 2 of the Agent Client Protocol, and not 1",
  );
  const only = { code: -32022, message: "Unsupported protocol version", data: { requested: 1, supported: [2] } };
  const { code, error: [said] } = await runTester({ initialize: { error: only } });
  const why = "it speaks version 2 of the Agent Client Protocol, and not 1";
  assertEquals([code, said], [2, `panewright: Cannot start Fake agent: ${why}`]);
  const details = "no settings";
  const failing = await runTester({
    initialize: { error: { code: -32603, message: "Internal error", data: { details } } },
  });
  assertEquals(
    failing.error[0],
    'panewright: Cannot start Fake agent: it says "Internal error: no settings" (error -32603)',
  );
  assertEquals([later.code, failing.code], [2, 2]);
});

Deno.test("an agent that prints text before its JSON works", async () => {
  const preamble = ["Welcome to Fake!", "", "A new version is available: \x1b[1m2.0.0\x1b[0m"];
  const { code, error } = await runTester({ ...responding("tester"), preamble });
  assertEquals([code, error], [0, []]);
});
