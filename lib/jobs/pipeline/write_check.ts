import { RuntimeError } from "../../base/errors.ts";
import { UntoldError } from "../files/list.ts";
import type { Drive } from "./context.ts";
import type { Action, StepPlace } from "./machine.ts";
import { hasOtherRunsSince } from "./other_runs.ts";
import { MAX_NAMED_FILES } from "../files/changes.ts";
import { changedInStep, noteFiles } from "./step_files.ts";
import { mayWrite } from "./write_globs.ts";

export async function watchWrites(at: StepPlace, drive: Drive): Promise<string | undefined> {
  try {
    return await noteFiles(at, drive);
  } catch (error) {
    if (!(error instanceof UntoldError)) throw error;
    const isLimited = at.plan.allowWrite !== undefined;
    const problem = `${isLimited ? "file_access cannot be checked" : "cannot tell what it changes"}: ${error.message}`;
    if (isLimited && drive.plan.settings.writesOutside === "fail") {
      throw new RuntimeError(`Cannot start step "${at.plan.name}": ${problem}`, {
        cause: error,
        hint: 'Start in a folder whose files can be read, or set "exec": { "writes_outside": "warn" }.',
      });
    }
    drive.record({ type: "warning", message: `step "${at.plan.name}": ${problem}` });
    return undefined;
  }
}

export async function runWriteCheck(
  { at, allowWrite }: Extract<Action, { do: "check_writes" }>,
  drive: Drive,
): Promise<void> {
  const { folder, plan, record } = drive;
  const found = await findOutside({ at, allowWrite }, drive);
  const isShared = found.outside.length > 0 && await hasOtherRunsSince(folder, { since: new Date(at.step.startedAt) });
  const notes = [
    ...(isShared ? ["another run was at work in this directory, so it is not known whose changes these are"] : []),
    ...(at.step.isResumed ? [WHILE_NOBODY_WORKED] : []),
  ];
  const more = found.outside.length - MAX_NAMED_FILES;
  record({
    type: "writes_checked",
    task: at.task.number,
    step: at.step.number,
    ...found,
    outside: found.outside.slice(0, MAX_NAMED_FILES),
    ...(more > 0 ? { more } : {}),
    enforced: plan.settings.writesOutside === "fail",
    ...(found.outside.length === 0 || notes.length === 0 ? {} : { note: notes.join("; ") }),
  });
}

const WHILE_NOBODY_WORKED =
  "changes made before the run was resumed count as well; to keep such a change, start the task again";

interface FoundWrites {
  readonly outside: readonly string[];
  readonly untold?: string;
}

async function findOutside(
  { at, allowWrite }: Pick<Extract<Action, { do: "check_writes" }>, "at" | "allowWrite">,
  drive: Drive,
): Promise<FoundWrites> {
  try {
    const { changed } = await changedInStep(at, drive);
    return { outside: changed.filter((name) => !mayWrite(name, allowWrite)) };
  } catch (error) {
    if (error instanceof UntoldError) return { outside: [], untold: error.message };
    throw error;
  }
}
