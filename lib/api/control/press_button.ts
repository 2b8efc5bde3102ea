import { UsageError } from "../../base/errors.ts";
import { claimOf, noteUsed, readPress } from "../../run/notify/buttons.ts";
import type { MachineSecrets } from "../../run/notify/machine_secrets.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { OutputFields } from "../output/outputs.ts";
import { giveAnswer, type GiveAnswerOptions } from "./give_answer.ts";

interface PressButtonOptions extends Pick<GiveAnswerOptions, "requireTrust" | "detach"> {
  readonly secrets: MachineSecrets;
  readonly wallClock: () => Date;
}

export async function pressButton(
  folder: RunFolder,
  token: string,
  { secrets, ...options }: PressButtonOptions,
): Promise<OutputFields["answer_recorded"]> {
  const press = await readPress(folder, token, { key: secrets("buttons.key"), now: options.wallClock() });
  if ("refused" in press) {
    const question = claimOf(token)?.question ?? "a question";
    throw new UsageError(`Cannot answer ${question} of run ${folder.id}: the button is refused: ${press.refused}`, {
      code: "not_open",
    });
  }
  const given = await giveAnswer(folder, { ...press, by: "notification" }, options);
  await noteUsed(folder, token, { now: options.wallClock() });
  return given;
}
