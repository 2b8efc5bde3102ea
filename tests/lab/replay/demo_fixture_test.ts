import { assert, assertEquals } from "@std/assert";
import { createDemoProject, DEMO_CONFIG_FILE } from "../../../lib/cli/demo_project.ts";
import { loadConfig } from "../../../lib/config/load.ts";
import { toRunPlan } from "../../../lib/config/plan.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { writeProjectFile } from "../../../lib/lab/replay/project_files.ts";
import { parseReplayScript, type ReplayScript } from "../../../lib/lab/replay/script.ts";
import { approvalObjection } from "../../../lib/jobs/review_loop/evidence.ts";
import { parseReviewVerdict, parseTestVerdict } from "../../../lib/jobs/verdicts.ts";
import type { Role } from "../../../lib/base/roles.ts";

/** The turns of the demo in the order in which the loop asks for them. */
const ORDER: readonly (readonly [role: Role, turn: number, verdict?: string])[] = [
  ["analyst", 0],
  ["analyst_review", 0, "REVISE"],
  ["analyst", 1],
  ["analyst_review", 1, "APPROVED"],
  ["programmer", 0],
  ["programmer_review", 0, "REVISE"],
  ["programmer", 1],
  ["programmer_review", 1, "APPROVED"],
  ["tester", 0, "FAIL"],
  ["programmer", 2],
  ["programmer_review", 2, "APPROVED"],
  ["tester", 1, "PASS"],
];

async function withDemo(test: (demo: { folder: string; script: ReplayScript }) => Promise<void>) {
  const folder = await createDemoProject();
  try {
    await test({ folder, script: parseReplayScript(await Deno.readTextFile(`${folder}/replay.json`), "replay.json") });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("every command that the demo shows prints what is shown, at its place in the job", () =>
  withDemo(async ({ folder, script }) => {
    const cwd = `${folder}/project`;
    let commands = 0;
    for (const [role, turn] of ORDER) {
      for (const step of script.roles[role]?.turns[turn]?.steps ?? []) {
        if (step.kind === "writeFile") await writeProjectFile(cwd, step.value.path, { text: step.value.text });
        if (step.kind !== "run") continue;
        const { code, stdout } = await systemProcessRunner.run({ argv: ["sh", "-c", step.value.command], cwd });
        assertEquals(
          [code, stdout.trimEnd()],
          [step.value.exitCode, step.value.output],
          `${role}: ${step.value.command}`,
        );
        commands++;
      }
    }
    assert(commands >= 5);
  }));

Deno.test("every turn of the demo is used once, and its verdicts make two rounds", () =>
  withDemo(({ folder, script }) => {
    const settings = { maxReviewCycles: 3, minReviewCyclesBeforeApproval: 1, reviewEvidenceMinMatch: 3 };
    assertEquals(Object.values(script.roles).flatMap(({ turns }) => turns).length, ORDER.length);
    for (const [role, turn, verdict] of ORDER) {
      const responses = script.roles[role]?.turns[turn]?.steps.flatMap((step) =>
        step.kind === "respond" ? [step.value.text] : []
      );
      const [text = ""] = responses ?? [];
      assertEquals(responses?.length, 1, `${role}, turn ${turn}`);
      assertEquals(parseReviewVerdict(text) ?? parseTestVerdict(text), verdict as never, `${role}, turn ${turn}`);
      if (verdict === "APPROVED") assertEquals(approvalObjection(text, { cycle: 1, settings }), undefined, text);
    }
    assert(folder.includes("panewright-demo-"));
    return Promise.resolve();
  }));

Deno.test("the demo's folder is a valid job: config, job text and project", () =>
  withDemo(async ({ folder }) => {
    const loaded = await loadConfig({ path: DEMO_CONFIG_FILE, cwd: folder, env: () => undefined });
    const plan = toRunPlan(loaded);
    assertEquals(plan.workdir, `${folder}/project`);
    assertEquals(Object.values(plan.agents).map(({ provider }) => provider.id), Array(5).fill("replay"));
    assertEquals(plan.loop.projectTestCmd, ["sh", "test.sh"]);
  }));
