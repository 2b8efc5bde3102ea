import { PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import { leaveMessage, type MessageOutcome, waitForMessage } from "../../api/control/send_message.ts";
import { redactorOf } from "../../base/redact/redactor.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { type CliIo, defineCommand, switchFlag, textFlag } from "../console/command.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { findNamedRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { outputLine } from "../../api/output/line.ts";
import { secretsOfRun } from "../run_secrets.ts";
import { present } from "../../base/schema.ts";

export const command = defineCommand({
  arguments: [
    { ...RUN_ARGUMENT, required: true, completes: ["runs"] },
    { name: "ROLE", description: `the role whose agent gets it: ${ROLES.join(", ")}`, required: true },
    {
      name: "TEXT",
      description: "the message; - reads it from standard input",
      required: true,
      rest: true,
      text: true,
    },
  ],
  flags: {
    wait: switchFlag("wait for the response, and print it"),
    "no-response": switchFlag("do not ask the agent for a response"),
    key: textFlag("KEY", "your own name for the message: the same key is the same message, and is sent once"),
    wd: WORKDIR_FLAG,
  },
  async run({ flags, positionals: [run = "", role = "", ...words], global }, io) {
    const folder = await findNamedRun(io, run, flags.wd);
    const { key, wait = false, wd } = flags;
    const left = await leaveMessage(folder, {
      role,
      text: await textOf(words, io),
      wantsResponse: flags["no-response"] !== true,
      by: "command",
      ...present({ key }),
    }, { commandLine: (words) => runCommandLine(words, wd) });
    const { message, isNew, goesOn } = left;
    const resume = runCommandLine(["resume", folder.id], wd);
    if (global.json) io.stdout(outputLine("message_left", left));
    else if (!global.quiet) {
      const what = isNew ? "is left" : "was left before";
      const next = goesOn ? `It is sent when ${role} is at rest.` : `It is sent when the run is resumed: ${resume}`;
      const line = `Message ${message} for ${role} of run ${folder.id} ${what}. ${next}\n`;
      // With --wait the result is the response.
      (wait ? io.stderr : io.stdout)(line);
    }
    return wait ? await tellOutcome(folder, { message, role, resume, json: global.json, io }) : 0;
  },
});

async function textOf(words: readonly string[], io: CliIo): Promise<string> {
  if (words.length !== 1 || words[0] !== "-") return words.join(" ");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await io.readStdin());
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError("Cannot send the message: standard input is not UTF-8 text", { cause, code: "bad_input" });
  }
}

async function tellOutcome(
  folder: RunFolder,
  { message, role, resume, json, io }: {
    readonly message: string;
    readonly role: Role;
    readonly resume: string;
    readonly json: boolean;
    readonly io: CliIo;
  },
): Promise<number> {
  const outcome = await waitForMessage(folder, message, { signal: io.signal });
  const { status, archivedAs, reason } = outcome;
  if (status !== "answered" && status !== "failed") throw notOver(folder, { message, outcome, resume });
  const redactor = redactorOf();
  redactor.learn((await secretsOfRun(folder, io)).secrets);
  const { text, outgoing } = redactor;
  // A terminal does what an agent's words say; a program gets them as they are.
  const response = outcome.response && (io.isTerminal.stdout ? outgoing : text)(outcome.response);
  if (json) {
    const told = {
      ...present({ reason, response, archivedAs }),
    };
    io.stdout(outputLine("message_outcome", { run: folder.id, message, role, status, ...told }));
    return status === "answered" ? 0 : 1;
  }
  if (status === "failed") throw new RuntimeError(`Cannot give the response of ${role} to ${message}: ${reason}`);
  if (response !== undefined) io.stdout(response.endsWith("\n") ? response : `${response}\n`);
  return 0;
}

function notOver(
  { id }: RunFolder,
  { message, outcome: { status }, resume }: {
    readonly message: string;
    readonly outcome: MessageOutcome;
    readonly resume: string;
  },
): PanewrightError {
  const how = status === "sent" ? "its agent has it" : "it is not sent yet";
  return new PanewrightError(`Cannot wait for the response to ${message}: nobody executes run ${id} (${how})`, {
    hint: `Nothing is lost. Resume with: ${resume}`,
  });
}
