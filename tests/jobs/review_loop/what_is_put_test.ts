import { assertEquals, assertRejects } from "@std/assert";
import { DEFAULT_PERMISSION_POLICY } from "../../../lib/policy/mod.ts";
import type { AuditDecision } from "../../../lib/turn/desk/audit.ts";
import type { ReviewRunPlan } from "../../../lib/jobs/review_loop/plan.ts";
import type { RunParts } from "../../../lib/jobs/review_loop/run_parts.ts";
import { whatIsPut } from "../../../lib/jobs/review_loop/what_is_put.ts";
import { codex, recorded } from "../../turn/desk/desk_bench.ts";

const DENY = [{ command: "git push" }];

function named({ dryRun, deny = DENY, note }: {
  readonly dryRun: boolean;
  readonly deny?: typeof DENY;
  readonly note: (entry: Omit<AuditDecision, "keys">) => Promise<void>;
}) {
  const plan = {
    workdir: "/work",
    agents: { tester: { provider: codex } },
    handoff: { autoAcceptPermissions: true },
    permissions: { policy: { ...DEFAULT_PERMISSION_POLICY, deny }, dryRun },
  } as unknown as ReviewRunPlan;
  return whatIsPut("tester", { plan, audit: { note } as RunParts["audit"] });
}

const push = { ...recorded("git push origin"), needsPermission: false };
const other = { ...recorded("ls"), needsPermission: false };

Deno.test("what the policy names is put to the desk, which writes it down", async () => {
  const isPut = named({ dryRun: false, note: () => Promise.reject(new Error("never")) });
  assertEquals([await isPut?.(push, "process:1"), await isPut?.(other, "process:1")], [true, false]);
});

Deno.test("in a dry run it runs, and what the policy says of it is written down before", async () => {
  const noted: Omit<AuditDecision, "keys">[] = [];
  const isPut = named({ dryRun: true, note: (entry) => Promise.resolve(void noted.push(entry)) });
  assertEquals([await isPut?.(push, "process:1"), await isPut?.(other, "process:1")], [false, false]);
  assertEquals(
    noted.map(({ role, terminal, provider, command, decision, rule }) => [
      ...[role, terminal, provider, command, decision, rule],
    ]),
    [["tester", "process:1", "codex", "git push origin", "deny", "permissions.deny[0]"]],
  );
});

Deno.test("what cannot be written down does not run in a dry run either", async () => {
  const isPut = named({ dryRun: true, note: () => Promise.reject(new Error("the disk is full")) });
  await assertRejects(async () => await isPut?.(push, "process:1"), Error, "the disk is full");
});

Deno.test("where the policy names no calls, none is looked at", () => {
  assertEquals(named({ dryRun: true, deny: [], note: () => Promise.resolve() }), undefined);
});
