import { assertEquals, assertStringIncludes } from "@std/assert";
import { machineSecrets } from "../../../lib/run/notify/machine_secrets.ts";
import { writeEntry } from "../../../lib/run/notify/outbox_file.ts";
import type { NotificationPlan } from "../../../lib/run/notify/plan.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { type RunConfig, tendRuns } from "../../../lib/api/http/tend_runs.ts";
import { startNtfyServer } from "../../lab/ntfy_server.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { reviewFinished, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { holdRun } from "../../support/run_mail.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

Deno.test("a server delivers what runs have left, once nobody executes them, and only by a trusted configuration", async () => {
  await using dir = await tempDir();
  await using ntfy = startNtfyServer();
  const folder = await writeReview(dir, [reviewFinished("fail")]);
  const notification = { kind: "ended", title: "panewright: fail", text: "no", priority: 4 } as const;
  const at = new Date().toISOString();
  await writeEntry(folder, { v: 1, id: crypto.randomUUID(), channel: "ntfy", at, notification });
  const clock = patientClock({ byHandFromMs: 1000 });
  const over = new AbortController();
  const logged: string[] = [];
  const asked: RunConfig[] = [];
  const trusted: { plan?: NotificationPlan } = {};
  const lock = await holdRun(folder);
  const known = { journals: new Map(), ended: new Map() };
  const tending = tendRuns({
    known,
    ...{ workdirs: [dir.path, "/nonexistent"], redactor: createRedactor([]), clock, signal: over.signal },
    wallClock: () => new Date(),
    log: (message) => void logged.push(message),
    secrets: machineSecrets(`${dir.path}/state`),
    planOf(run) {
      asked.push(run);
      const { plan } = trusted;
      return plan === undefined ? Promise.reject(new Error("it is not trusted")) : Promise.resolve(plan);
    },
  });
  const turn = async () => {
    await until(() => clock.sleepers() === 1);
    clock.advance(60_000);
  };
  await until(() => clock.sleepers() === 1);
  // What is listed first was read before anybody asks.
  assertEquals([...known.journals.keys()], [folder.journalPath]);
  assertEquals(asked, []);
  lock[Symbol.dispose]();
  for (let turns = 0; turns < 3; turns++) {
    const before = asked.length;
    await turn();
    await until(() => asked.length > before);
  }
  assertEquals(logged.length, 1);
  assertStringIncludes(logged[0]!, `The notifications of run ${RUN_ID} wait: it is not trusted`);
  assertEquals(asked[0], { configFile: `${dir.path}/panewright.jsonc`, workdir: dir.path });
  trusted.plan = { ntfy: { url: ntfy.url, topic: "jobs" } };
  await turn();
  await ntfy.waitFor(({ title }) => title === "panewright: fail");
  await until(() => clock.sleepers() === 1);
  over.abort();
  await tending;
});
