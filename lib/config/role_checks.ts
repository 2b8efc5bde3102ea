import { resolve } from "@std/path/posix";
import { ROLES } from "../base/roles.ts";
import { hasTester, loopProblem, rolesIn } from "../jobs/review_loop/shapes.ts";
import { REVIEW_LOOP_SETTINGS } from "../jobs/review_loop/settings.ts";
import { type CheckContext, readNamedFile, report, reportMissing } from "./checks.ts";
import { valueAt } from "./source.ts";

/** Checks that somebody says when a loop is done, and that it begins with one of its roles. */
export function checkLoop(context: CheckContext): void {
  const { shape, projectTestCmd, startAgent } = REVIEW_LOOP_SETTINGS;
  const [path, startPath] = [[shape.names.key], [startAgent.names.key]];
  const given = valueAt(context.merged, path);
  if (typeof given !== "string" || !shape.value.pattern.test(given)) return;
  const problem = loopProblem(given);
  if (problem !== undefined) return report(context, path, `% is ${given}: ${problem}`);
  const command = [projectTestCmd.names.key];
  if (!hasTester(given) && valueAt(context.merged, command) === undefined) {
    reportMissing(context, path, {
      message:
        `% is ${given}, which has no tester: only ${projectTestCmd.names.key} can tell there whether the work is done`,
      missing: [command],
    });
  }
  const first = valueAt(context.merged, startPath);
  if (
    typeof first === "string" && !rolesIn(given).some((role) => role === first) &&
    startAgent.value.of.some((role) => role === first)
  ) {
    report(context, startPath, `% is ${first}, but the loop ${given} has only ${rolesIn(given).join(", ")}`);
  }
}

/** Reads what the roles are told besides. */
export async function checkRolePrompts(context: CheckContext): Promise<void> {
  const { baseOf, cwd, fileLayer, merged } = context;
  for (const role of ROLES) {
    const path = ["roles", role, "prompt"];
    const prompt = valueAt(merged, path);
    if (typeof prompt !== "string" || prompt === "") continue;
    const file = resolve(fileLayer === undefined ? cwd : baseOf(fileLayer), prompt);
    if ((await readNamedFile(context, path, file))?.trim() === "") {
      report(context, path, `% names ${file}, but it is empty`);
    }
  }
}
