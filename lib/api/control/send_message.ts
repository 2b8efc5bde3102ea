import type { MessageWay } from "../../base/terms.ts";
import { basename } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { responseText } from "../../turn/response_reading.ts";
import { JOBS } from "../../jobs/mod.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { followJournal } from "../../journal/follow_journal.ts";
import {
  isInboxClosed,
  type LeftMessage,
  MAX_OUTSIDE_MESSAGE_BYTES,
  messageIdOf,
  newMessageId,
  putInInbox,
  takeBack,
} from "../../run/inbox.ts";
import { requireNoAgent } from "./act.ts";
import { findMessage, messageStatus } from "./find_message.ts";
import { readRun, type RunOverview } from "../../run/overview.ts";
import { initialProgress, type Progress } from "../../journal/progress.ts";
import type { OutsideMessageProgress } from "../../journal/message_progress.ts";
import { refuseElsewhere } from "../../run/elsewhere.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { Role } from "../../base/roles.ts";
import { runCommandLine } from "../../run/command_line.ts";
import type { OutputFields } from "../output/outputs.ts";
import { roleOf } from "../show/roles_of_run.ts";
import { requireRunMail } from "./mail_of.ts";
import { present } from "../../base/schema.ts";

interface MessageToLeave {
  readonly role: Role;
  /** At most 256 KiB of UTF-8. It is data for the agent: its prompt says who sends it. */
  readonly text: string;
  readonly wantsResponse: boolean;
  readonly by: MessageWay;
  /** Who sends it, such as the name of an MCP client; it is cut to 200 characters. */
  readonly who?: string;
  /**
   * At most 256 characters. The same key in the same run is the same message, whatever crashed; another message with it
   * is refused.
   */
  readonly key?: string;
}

interface LeaveMessageOptions {
  readonly commandLine?: (words: readonly string[]) => string;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
}

export async function leaveMessage(
  folder: RunFolder,
  { role, text, wantsResponse, by, who, key }: MessageToLeave,
  { commandLine = (words: readonly string[]) => runCommandLine(words), wallClock = () => new Date() }:
    LeaveMessageOptions = {},
): Promise<OutputFields["message_left"]> {
  requireText(text);
  requireKey(key);
  const id = key === undefined ? newMessageId() : await messageIdOf(key);
  const before = await readRun(folder, JOBS);
  await requireNoAgent(`send a message to run ${folder.id}`, before.progress);
  if (before.progress?.job !== "exec") roleOf(before.progress, role, "send to");
  // With the key of a message that was left before, that one is told of: also when the run is over by now.
  const known = findMessage(folder, before.progress, id);
  if (known === undefined) requireOpen(before, commandLine);
  const sender = who === undefined ? { by } : { by, who: who.slice(0, MAX_WHO_CHARS) };
  const wanted: LeftMessage = { id, role, text, wantsResponse, ...sender, leftAt: wallClock().toISOString() };
  const what = `send a message to run ${folder.id}`;
  refuseElsewhere(folder, what);
  const mail = await requireRunMail(before, what);
  const { message, isNew } = await putInInbox(mail, wanted);
  if (!isSameRequest(message, wanted)) {
    throw new UsageError(`Cannot send a message with this key: another message of run ${folder.id} has it`, {
      code: "key_reused",
      hint: `That one is ${id}, for ${message.role}. A key belongs to one message: use a new one.`,
    });
  }
  // The run may come to its end meanwhile: nobody would take the message.
  const isClosed = isInboxClosed(mail);
  const after = await readRun(folder, JOBS);
  if ((isClosed || isOver(after)) && findMessage(folder, after.progress, id) === undefined) {
    takeBack(mail, id);
    requireOpen(after, commandLine);
    throw runOver(`Cannot send a message to run ${folder.id}: it is about to end`);
  }
  // Where somebody has removed the file, the journal still knows the message.
  return { run: folder.id, message: id, role, isNew: isNew && known === undefined, goesOn: after.executed };
}

export interface MessageOutcome {
  /** `left`: the process that executes the run has not taken it up; otherwise as in `progress.messages`. */
  readonly status: "left" | OutsideMessageProgress["status"];
  readonly reason?: string;
  /** The agent's response; missing as long as there is none, or where none was wanted. Secrets are still in it. */
  readonly response?: string;
  readonly archivedAs?: string;
}

export async function waitForMessage(
  folder: RunFolder,
  id: string,
  { signal, onStatus = () => {} }: {
    readonly signal: AbortSignal;
    readonly onStatus?: (status: MessageOutcome["status"]) => void;
  },
): Promise<MessageOutcome> {
  let progress: Progress | undefined;
  let told: MessageOutcome["status"] = "left";
  for await (const entry of followJournal(folder, { jobs: JOBS, signal })) {
    switch (entry.kind) {
      case "record": {
        const { fact, job } = entry;
        if (fact === undefined || job === undefined) break;
        progress = job.progress(progress ?? initialProgress(job.id), fact);
        const message = messageStatus(progress, id);
        if (message !== undefined && message.status !== told) onStatus(told = message.status);
        if (message?.status === "answered" || message?.status === "failed") return outcomeOf(folder, message);
        break;
      }
      case "gap":
        if (entry.why !== "removed") break;
        throw new UsageError(`Cannot wait for message ${id}: run ${folder.id} was removed`, { code: "unknown_run" });
      case "pause":
        if (!entry.executed) return { status: told };
    }
  }
  throw signal.reason;
}

function outcomeOf(
  { repliesDir }: RunFolder,
  { id, status, reason, archivedAs }: OutsideMessageProgress,
): MessageOutcome {
  const about = { status, ...present({ reason }) };
  if (archivedAs === undefined) return about;
  // The working directory may have been moved since: what counts is the name in the archive.
  const path = `${repliesDir}/${id}/${basename(archivedAs)}`;
  return {
    ...about,
    response: responseText(readRegularFile(path, { maxBytes: MAX_REPLY_BYTES })) ?? "",
    archivedAs: path,
  };
}

const MAX_REPLY_BYTES = 64 * 1024 * 1024;

const MAX_WHO_CHARS = 200;
const MAX_KEY_CHARS = 256;

function requireText(text: string): void {
  if (text.trim() === "") throw badInput("Cannot send the message: it is empty");
  const { length } = new TextEncoder().encode(text);
  if (length > MAX_OUTSIDE_MESSAGE_BYTES) {
    throw badInput(`Cannot send the message: it has ${length} bytes, and ${MAX_OUTSIDE_MESSAGE_BYTES} are the most`, {
      hint: "Put it in a file of the working directory, and name that file.",
    });
  }
}

function requireKey(key: string | undefined): void {
  if (key !== undefined && (key.trim() === "" || key.length > MAX_KEY_CHARS)) {
    throw badInput(`Cannot use this key: it must have 1 to ${MAX_KEY_CHARS} characters`);
  }
}

function requireOpen(
  { folder, progress, problem }: RunOverview,
  commandLine: (words: readonly string[]) => string,
): void {
  if (problem !== undefined) throw problem;
  const fail = (why: string) => `Cannot send a message to run ${folder.id}: ${why}`;
  if (progress === undefined) throw badInput(fail("it has not begun"));
  if (progress.job !== "run") {
    throw badInput(fail("the agents of a pipeline's steps run without a person, and end with their step"), {
      hint: `What a step asks is answered with: ${commandLine(["answer", folder.id])}\n` +
        `To say something to it, stop it, and then: ${commandLine(["resume", folder.id, "--message"])} "…"`,
    });
  }
  const { finished } = progress;
  if (finished?.outcome === "pass" || finished?.outcome === "fail") {
    throw runOver(fail(`it is over (${finished.outcome})`));
  }
}

function runOver(message: string): UsageError {
  return new UsageError(message, { code: "run_over", hint: "Its agents are gone. Start a new run." });
}

function isOver({ executed, progress }: RunOverview): boolean {
  const outcome = progress?.finished?.outcome;
  return !executed && (outcome === "pass" || outcome === "fail");
}

function isSameRequest(one: LeftMessage, other: LeftMessage): boolean {
  return one.role === other.role && one.text === other.text && one.wantsResponse === other.wantsResponse;
}

function badInput(message: string, { hint }: { readonly hint?: string } = {}): UsageError {
  return new UsageError(message, { code: "bad_input", ...present({ hint }) });
}
