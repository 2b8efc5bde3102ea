import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { basename } from "@std/path/posix";
import { createTmuxClient } from "../../../lib/tmux/plain_client.ts";
import { acpRoles, type AcpRolesOptions } from "../../support/acp_roles.ts";
import { ANSWERS } from "../../support/jobs.ts";
import { until } from "../../support/until.ts";

const SECRET = "sk-abcdefghijklmnopqrstuvwx";

/** The programmer works until it is let go, between a programmer_review over ACP and a tester in a pane. */
const OPTIONS: AcpRolesOptions = {
  tmux: true,
  scripts: {
    programmer: {
      turns: [{
        steps: [
          { plan: [{ content: "Look", status: "completed" }, { content: "Work", status: "in_progress" }] },
          { say: `I look.\x1b[2J\x1b]0;owned\x07 The key is ${SECRET}.\n` },
          {
            call: "c1",
            status: "in_progress",
            fields: { kind: "execute", title: "wait", rawInput: { command: "sh wait.sh" } },
          },
          { await: "go" },
          { call: "c1", status: "completed" },
          { respond: ANSWERS.programmer },
        ],
      }],
    },
  },
  pack: { ask_mode: undefined },
  config: {
    start_agent: "programmer",
    roles: { tester: { provider: "replay", command: undefined, args: ["--script", "replay.json"] } },
  },
};

const REPLAY = JSON.stringify({
  roles: { tester: { turns: [[{ respond: "RESULT: PASS\nIt is as it should be." }]] } },
});

Deno.test("an agent over ACP is watched in its window and by logs --role; a viewer that is killed costs the run nothing", async () => {
  await using stage = await acpRoles(OPTIONS);
  const { project, env } = stage.sandbox;
  await Deno.writeTextFile(`${project}/replay.json`, REPLAY);
  await using run = stage.start("run");
  const folder = await stage.folder();
  const client = createTmuxClient({ socket: `panewright-${basename(folder)}`, env });
  const screen = () => client.run(["capture-pane", "-p", "-t", "=panewright:=programmer"]);
  const { stdout: shown } = await until(screen, ({ stdout }) => stdout.includes("$ sh wait.sh ·"));
  assertStringIncludes(shown, "  [x] Look\n  [>] Work\n");
  assertMatch(shown, /^• I look\. The key is redactedx+\.$/m);
  assertMatch(shown, /^programmer: working, for .* · \$ sh wait\.sh · plan 1\/2/m);
  await using logs = stage.start("logs", "--follow", "--role", "programmer");
  const pane = await client.run(["display-message", "-p", "-t", "=panewright:=programmer", "#{pane_pid}"]);
  Deno.kill(Number(pane.stdout), "SIGKILL");
  await Deno.writeTextFile(`${project}/go`, "");
  const { code, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  const told = await logs.ended;
  assertEquals(told.code, 0, told.stderr);
  assertMatch(told.stdout, /Z \$ sh wait\.sh$/m);
  assertMatch(told.stdout, /Z < turn ended after .*: end_turn$/m);
  const kept = await Deno.readTextFile(`${folder}/agents/programmer.ndjson`);
  assert(!kept.includes(SECRET) && !kept.includes("\x1b"));
  await stage.sandbox.assertNothingLeft();
});

Deno.test("what watches an agent over ACP ends when its panewright is killed", async () => {
  await using stage = await acpRoles(OPTIONS);
  const { project, env } = stage.sandbox;
  await Deno.writeTextFile(`${project}/replay.json`, REPLAY);
  await using run = stage.start("run");
  const client = createTmuxClient({ socket: `panewright-${basename(await stage.folder())}`, env });
  const pane = (format: string) => client.run(["display-message", "-p", "-t", "=panewright:=programmer", format]);
  await until(() => pane("#{pane_title} #{cursor_y}"), ({ stdout }) => / [1-9]/.test(stdout));
  await stage.record("status_changed", ({ role, status }) => role === "programmer" && status === "processing");
  await using logs = stage.start("logs", "--follow", "--role", "programmer");
  run.kill("SIGKILL");
  assertEquals((await logs.ended).code, 0);
  await until(() => pane("#{pane_dead}"), ({ stdout }) => stdout === "1\n");
  assertEquals((await stage.call("stop")).code, 0);
  await stage.sandbox.assertNothingLeft();
});
