import { assertEquals, assertRejects } from "@std/assert";
import { RuntimeError } from "../../../lib/base/errors.ts";
import { startRole } from "../../../lib/jobs/review_loop/start_role.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import type { AuditLog } from "../../../lib/turn/desk/audit.ts";
import type { ReviewRunPlan } from "../../../lib/jobs/review_loop/plan.ts";
import { endLeftProcesses } from "../../../lib/run/left_processes.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { DEFAULT_PERMISSION_POLICY } from "../../../lib/policy/mod.ts";
import { packProvider } from "../../../lib/agents/packs/provider.ts";
import type { Role } from "../../../lib/base/roles.ts";
import { fakeAcpAgent } from "../../support/acp_fake.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** Starts roles with a program that speaks ACP. */
function team(program: string, workdir: string, record: (fact: ReviewFact) => void = () => {}) {
  const folder = runFolderAt(workdir, "20261122-072600-3fa9");
  const start = (role: Role) =>
    startRole(role, undefined, {
      plan: {
        workdir,
        agents: { [role]: { provider: packProvider("fake", { label: "Fake", program }), args: [] } },
        handoff: { maxResponseBytes: 1000 },
        permissions: { policy: DEFAULT_PERMISSION_POLICY, dryRun: false },
      } as unknown as ReviewRunPlan,
      folder,
      audit: { note: () => Promise.reject(new Error("nothing is decided here")) } as unknown as AuditLog,
      onActivity: () => {},
      onForcedExit: () => () => {},
      record,
      clock: systemClock,
      signal: new AbortController().signal,
    });
  return { folder, start };
}

Deno.test("an agent that dies takes no other one with it; those that a killed run has left are ended all", async () => {
  await using dir = await tempDir();
  const { path } = await fakeAcpAgent(dir.path, {});
  const { folder, start } = team(path, dir.path);
  await using programmer = await start("programmer");
  await using reviewer = await start("programmer_review");
  const pid = Number(/\d+/.exec(programmer.id)?.[0]);
  Deno.kill(pid, "SIGKILL");
  await until(() => programmer.describeEnd(), (end) => end !== undefined);
  assertEquals(await programmer.describeEnd(), "killed by signal 9");
  await programmer.close();
  assertEquals(await reviewer.describeEnd(), undefined);
  await endLeftProcesses(folder, { clock: systemClock });
  await until(() => reviewer.describeEnd(), (end) => end !== undefined);
});

Deno.test("an agent that ends at once is started once more, and no third time", async () => {
  await using dir = await tempDir();
  const { path } = await fakeAcpAgent(dir.path, {});
  const facts: ReviewFact[] = [];
  for (const [name, failures] of [["second", 1], ["never", 2]] as const) {
    const counter = `${dir.path}/${name}.starts`;
    const flaky = `${dir.path}/${name}`;
    const script =
      `echo >> '${counter}'; [ "$(wc -l < '${counter}')" -gt ${failures} ] || { echo locked >&2; exit 1; }`;
    await Deno.writeTextFile(flaky, `#!/bin/sh\n${script}\nexec '${path}' "$@"\n`, { mode: 0o755 });
    const { start } = team(flaky, dir.path, (fact) => void facts.push(fact));
    if (name === "never") await assertRejects(() => start("tester"), RuntimeError, "locked");
    else await (await start("tester")).close();
    assertEquals((await Deno.readTextFile(counter)).length, 2);
  }
  const told = facts.flatMap(({ type }) => type === "warning" || type === "agent_ready" ? [type] : []);
  assertEquals(told, ["warning", "agent_ready", "warning"]);
});
