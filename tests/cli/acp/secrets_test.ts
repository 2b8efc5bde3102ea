import { assertEquals } from "@std/assert";
import type { FakeStep } from "../../lab/acp_fake_agent.ts";
import { acpRoles } from "../../support/acp_roles.ts";
import { acpExecProject } from "../commands/acp_exec_project.ts";

/** A secret of no known shape, which only the agents' pack has: not all names of secrets are refused there. */
const SECRET = "correct-horse-battery";
const pack = { env: { SESSION_COOKIE: SECRET, MODE: "in-plain-sight" } };
const asking: FakeStep = {
  permission: "log in",
  command: `touch ${SECRET} in-plain-sight`,
  allowed: [{ write: "made.txt", text: "" }],
  rejected: [{ say: "It was refused." }],
};
const permissions = { auto_accept: true, default: "allow" };

Deno.test("security: a secret of a pack file's environment is in no journal, audit log, report or output of a review loop", async () => {
  await using stage = await acpRoles({
    pack,
    tmux: true,
    scripts: { tester: { turns: [{ steps: [asking, { respond: "RESULT: PASS" }] }] } },
    config: { start_agent: "tester", permissions },
  });
  const ran = await stage.call("run", "--json", "--trust");
  assertEquals(ran.code, 0, ran.stderr + ran.stdout);
  const folder = await stage.folder();
  const report = await stage.call("report", "--json");
  assertEquals([report.code, report.stderr], [0, ""]);
  const kept = [`${folder}/journal.ndjson`, `${folder}/audit.ndjson`].map((path) => Deno.readTextFileSync(path));
  for (const text of [...kept, ran.stdout, report.stdout]) {
    assertEquals([text.includes(SECRET), text.includes("in-plain-sight")], [false, true], text);
  }
});

Deno.test("security: a secret of a pack file's environment is in no journal, audit log, report or output of a pipeline", async () => {
  await using project = await acpExecProject({ pack, config: { permissions } });
  await project.script({ turns: [{ steps: [asking, { say: "Done." }] }] });
  const ran = await project.run("exec", "task.md", "--json", "--trust");
  assertEquals(ran.code, 0, ran.stderr + ran.stdout);
  const [run] = (await Array.fromAsync(Deno.readDir(`${project.path}/.panewright/runs`))).map(({ name }) => name);
  const folder = `${project.path}/.panewright/runs/${run}`;
  const report = await project.run("report", "--json");
  assertEquals([report.code, report.stderr], [0, ""]);
  const kept = [`${folder}/journal.ndjson`, `${folder}/audit.ndjson`].map((path) => Deno.readTextFileSync(path));
  for (const text of [...kept, ran.stdout, report.stdout]) {
    assertEquals([text.includes(SECRET), text.includes("in-plain-sight")], [false, true], text);
  }
});
