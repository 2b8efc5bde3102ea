import type { ExecOverrides } from "../../journal/exec/fields.ts";
import { relative } from "@std/path/posix";
import { stepTextOf } from "./agent_request.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import type { ExecPlan, StepPlan } from "./plan.ts";
import type { TaskState } from "../../journal/exec/state.ts";

type FingerprintedTask = Pick<TaskState, "file" | "text" | "pipeline" | "autonomyLevel">;

export async function fingerprintTask(
  { file, text, pipeline, autonomyLevel }: FingerprintedTask,
  { plan, overrides }: { readonly plan: ExecPlan; readonly overrides: ExecOverrides },
): Promise<string> {
  const { workdir, pipelines, settings, sandbox } = plan;
  const level = overrides.autonomyLevel;
  const steps = (pipelines[pipeline] ?? []).map((step) => ({
    ...describeStep(step),
    autonomyLevel: level ?? step.autonomyLevel ?? autonomyLevel ?? settings.autonomyLevel,
  }));
  return await sha256Hex(sortedJson({ file: relative(workdir, file), text, pipeline, steps, sandbox }));
}

/** Who may take its agent's place is not what was asked for. */
function describeStep({ prompt, provider, env, fallbacks: _, ...step }: StepPlan) {
  const own = stepTextOf({ prompt }) ?? null;
  return { ...step, prompt: own, provider: provider.id, env: Object.keys(env) };
}

function sortedJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => left < right ? -1 : 1))
        : inner,
  );
}
