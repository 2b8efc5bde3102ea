import type { AgentFact } from "../agent.ts";
import { PanewrightError } from "../../base/errors.ts";
import { isAbsence } from "../../base/ports/files.ts";
import { makeAgain, makeOwnFolder } from "../../base/ports/own_files.ts";
import { openRegularFile, type RegularFile } from "../../base/ports/regular_file.ts";
import { factInLog, logEntry } from "./log_text.ts";
import { openWireLog } from "./wire_log.ts";
import { errorText } from "../../base/text/error_text.ts";
import { plainText } from "../../base/text/sanitize.ts";

/** A file of an attempt that cannot be written. */
export class StepFileError extends PanewrightError {
  override name = "StepFileError";
}

export interface StepFiles extends Disposable {
  /** A line that the CLI printed: `raw.ndjson`. */
  raw(line: string): void;
  /** A line that an agent over ACP, or we, have sent: `raw.ndjson`, of a long attempt its beginning and its newest part. */
  wire(from: "agent" | "us", line: string): void;
  /** A line of the CLI's own session log: `session.ndjson`. */
  session(line: string): void;
  fact(fact: AgentFact): void;
  note(text: string): void;
}

/** Opens the files of an attempt; what an attempt before it wrote into the same folder stays. */
export async function openStepFiles(folder: string, wallClock: () => Date): Promise<StepFiles> {
  await makeOwnFolder(folder);
  const encoder = new TextEncoder();
  const files = new Map<string, RegularFile>();
  const wire = openWireLog(folder);
  const attempt = (name: string, act: () => void, attemptsLeft = 3): void => {
    try {
      act();
    } catch (cause) {
      // The agent removes it, with all that git ignores.
      const again = () => {
        makeAgain(folder);
        act();
      };
      if (attemptsLeft > 0 && isAbsence(cause)) return attempt(name, again, attemptsLeft - 1);
      throw new StepFileError(`Cannot write ${folder}/${name}: ${errorText(cause)}`, { cause });
    }
  };
  const write = (name: string, text: string) =>
    attempt(name, () => {
      const file = files.get(name) ?? openRegularFile(`${folder}/${name}`, { access: "append", create: true });
      files.set(name, file);
      file.write(encoder.encode(text));
    });
  const log = (text: string) => write("log.txt", logEntry(text, wallClock()));
  return {
    raw: (line) => write("raw.ndjson", `${line}\n`),
    wire: (from, line) => attempt("raw.ndjson", () => wire.append(from, line)),
    session: (line) => write("session.ndjson", `${line}\n`),
    fact(fact) {
      const text = factInLog(fact);
      if (text !== undefined) log(text);
      if (fact.type === "reasoned") write("reasoning.txt", `${plainText(fact.text).trim()}\n\n`);
    },
    note: log,
    [Symbol.dispose]() {
      wire[Symbol.dispose]();
      for (const file of files.values()) file[Symbol.dispose]();
    },
  };
}
