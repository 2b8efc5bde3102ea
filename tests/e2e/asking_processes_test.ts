import { assertEquals, assertMatch } from "@std/assert";
import { runHeadless } from "../../lib/agents/process/headless.ts";
import { askedBy } from "../agents/process/support.ts";
import { setUpHeadlessProject } from "./headless_project.ts";

/** Commands of which no log tells that they ask, or what, where nothing can be written. */
const UNSEEN: readonly string[] = [
  `false || panewright ask "Q?"; echo $?`,
  `ask() { panewright ask "$1"; }; true && ask "Q?"`,
  `q=Q; npm --version >/dev/null && panewright ask "$q?"`,
  `sh ask.sh; echo $?`,
  `sh ask.sh >/dev/null 2>&1 & sleep 600`,
  `env -i "$(command -v panewright)" ask "Q?" || sleep 600`,
  `npx --yes panewright ask "Q?" || sleep 600`,
];

for (const command of UNSEEN) {
  Deno.test(`exec, Codex in the sandbox read-only: ${command} is halted as soon as it is seen to ask`, async () => {
    await using project = await setUpHeadlessProject({
      provider: "codex",
      sandboxMode: "read-only",
      hooks: false,
      respond: () => [{ do: "shell", command }, { do: "say", text: "All done." }],
    });
    await Deno.writeTextFile(`${project.sandbox.project}/ask.sh`, `panewright ask "Q?"\n`);
    const request = project.request("Do it.");
    // No registry is asked.
    const env = { ...request.env, npm_config_registry: "http://127.0.0.1:9/" };
    assertEquals((await askedBy(runHeadless({ ...request, env }))).question, "Q?");
    assertEquals(project.facts.some(({ type }) => type === "said"), false);
  });
}

Deno.test("exec, Codex in the sandbox read-only: an ask that reads its question is halted, too", async () => {
  const command = `false || { echo "Q?" | panewright ask -; }; echo $?`;
  await using project = await setUpHeadlessProject({
    provider: "codex",
    sandboxMode: "read-only",
    respond: () => [{ do: "shell", command }, { do: "say", text: "All done." }],
  });
  assertMatch((await askedBy(runHeadless(project.request("Do it.")))).question, /Q\?/);
});

Deno.test("exec, Claude Code: npx halts as soon as it is seen, and asks with its text", async () => {
  await using project = await setUpHeadlessProject({
    provider: "claude_code",
    respond: () => [
      { do: "shell", command: `q=Q; npx --yes panewright ask "$q?" 2>/dev/null; echo $?` },
      { do: "say", text: "All done." },
    ],
  });
  const request = project.request("Do it.", { args: ["--allowedTools", "Bash"] });
  const env = { ...request.env, npm_config_registry: "http://127.0.0.1:9/" };
  assertEquals((await askedBy(runHeadless({ ...request, env }))).question, "Q?");
});
