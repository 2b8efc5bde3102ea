import { dirname } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import type { Role } from "../../base/roles.ts";
import { runReplayAgent } from "../../lab/replay/program.ts";
import { logPrompt } from "../../lab/replay/prompt_log.ts";
import { openTty } from "../../lab/replay/terminal.ts";
import type { SessionRecord } from "../../lab/replay/session.ts";
import { parseReplayScript } from "../../lab/replay/script.ts";
import { defineCommand, Interruption, textFlag } from "../console/command.ts";
import { errorText } from "../../base/text/error_text.ts";

export const command = defineCommand({
  flags: {
    script: textFlag("FILE", "the JSON file that says what each role does"),
    log: textFlag("FILE", "a file that gets each prompt, a JSON object a line"),
    record: textFlag("FILE", "a file that says which command waits for its approval, and how its last turn failed"),
    role: textFlag("ROLE", "whose part is played"),
  },
  async run({ flags }, io) {
    const { script: file, role, log, record } = flags;
    if (file === undefined || role === undefined) {
      throw new UsageError("Cannot play an agent: --script and --role are needed");
    }
    const script = await readScript(file, role);
    // An earlier program's.
    if (record !== undefined) await Deno.remove(record).catch(() => {});
    const exitCode = await runReplayAgent({
      script,
      role,
      workdir: io.cwd,
      tty: openTty(),
      signal: io.signal,
      ...(record === undefined ? {} : { onRecord: (kept) => writeRecord(record, kept) }),
      ...(log === undefined ? {} : { onPrompt: (prompt) => logPrompt(log, { role, prompt }) }),
    });
    return io.signal.reason instanceof Interruption ? io.signal.reason.exitCode : exitCode;
  },
});

function writeRecord(path: string, record: SessionRecord): void {
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, JSON.stringify(record), { mode: 0o600 });
}

async function readScript(file: string, role: Role) {
  let text: string;
  try {
    text = await Deno.readTextFile(file);
  } catch (error) {
    throw new UsageError(`Cannot read the replay script ${file}: ${errorText(error)}`, { cause: error });
  }
  const script = parseReplayScript(text, file).roles[role];
  if (script === undefined) {
    throw new UsageError(`Cannot play ${role}: the replay script ${file} has no such role`, {
      hint: 'Add it below "roles".',
    });
  }
  return script;
}
