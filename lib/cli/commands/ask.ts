import { ASK_CHANNEL_VARIABLE } from "../../base/ports/marks.ts";
import { waitingLine } from "../../agents/process/ask_ledger.ts";
import { questionOf } from "../../shell/asks/question.ts";
import { UsageError } from "../../base/errors.ts";
import { sleepWithTimer } from "../../base/ports/clock.ts";
import { ATTEMPT_VARIABLE, recordAsk } from "../../agents/process/ask_channel.ts";
import { defineCommand, Interruption } from "../console/command.ts";

const LOOK_EVERY_MS = 1000;

export const command = defineCommand({
  arguments: [{ name: "QUESTION", description: "what a person has to decide", required: true, rest: true, text: true }],
  async run({ positionals }, io) {
    // Before a word is written: who waits for it may end as soon as there is one.
    const parent = Deno.ppid;
    const folder = io.env(ASK_CHANNEL_VARIABLE);
    if (folder === undefined || folder === "") {
      throw new UsageError("Cannot ask a person: this is no step of a pipeline", {
        hint: "Agents run this command in the steps of `panewright exec`; a person answers with `panewright answer`.",
      });
    }
    const given = questionOf(positionals);
    const question = given === "-" ? new TextDecoder().decode(await io.readStdin()).trim() : given;
    if (question === undefined || question === "") {
      throw new UsageError("Cannot ask a person: there is no question", {
        hint: 'It is called like this: panewright ask "Which database shall I use?"',
      });
    }
    const ask = { question, attempt: io.env(ATTEMPT_VARIABLE) ?? "", askedAt: new Date().toISOString() };
    try {
      await recordAsk(folder, ask);
    } catch {
      // A sandbox that only reads: what is printed here, and the agent's session log, have to do.
    }
    io.stderr(`${waitingLine(question)}\n`);
    return await waitToBeStopped(parent, io.signal);
  },
});

/** Returns the exit code once it is told to end, or nobody is left who could be waiting for the answer. */
async function waitToBeStopped(parent: number, signal: AbortSignal): Promise<number> {
  while (!signal.aborted && Deno.ppid === parent) await sleepWithTimer(LOOK_EVERY_MS, signal).catch(() => {});
  return signal.reason instanceof Interruption ? signal.reason.exitCode : 1;
}
