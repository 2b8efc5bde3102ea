import { present } from "../base/schema.ts";
import { errorText } from "../base/text/error_text.ts";
import { runFolderAt } from "../run/run_folder.ts";
import type { Heard } from "./said.ts";
import type { JobPlace } from "./tree.ts";
import type { WorkerContext } from "./worker_context.ts";

/** Leaves an answer for the run; one that is refused is told, and the question stays open. */
export async function give(
  { by, said: { isModels = false, question, text = "" } }: Heard,
  { place, run, worker }: {
    readonly place: JobPlace;
    readonly run: string | undefined;
    readonly worker: WorkerContext;
  },
): Promise<void> {
  if (run === undefined) return;
  const folder = runFolderAt(place.workdir, run);
  try {
    await worker.giveAnswer(folder, { answer: text, who: by, isModels, ...present({ question }) });
  } catch (error) {
    worker.log(`an answer of ${by} to run ${run} was refused: ${errorText(error)}`);
  }
}
