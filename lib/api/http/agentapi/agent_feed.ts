import { JOBS } from "../../../jobs/mod.ts";
import type { ReviewFact } from "../../../jobs/review_loop/facts.ts";
import { abortable } from "../../../base/ports/abortable.ts";
import { openRegularFile } from "../../../base/ports/regular_file.ts";
import type { Redactor } from "../../../base/redact/redactor.ts";
import type { Role } from "../../../base/roles.ts";
import { followJournal } from "../../../run/follow_journal.ts";
import { readLeftMessage } from "../../../run/inbox.ts";
import type { Recorded } from "../../../run/job.ts";
import type { RunFolder } from "../../../run/run_folder.ts";
import { findRunMail } from "../../../run/run_mail.ts";
import { abridge } from "../../../base/text/abridge.ts";
import type { RunHub } from "../run_hub.ts";
import { afterFact, type ConversationMessage, type Conversations, NO_CONVERSATIONS } from "./conversation.ts";

/** A message as agentapi tells it. */
interface AgentMessage {
  readonly id: number;
  readonly role: "user" | "agent";
  readonly content: string;
  readonly time: string;
}

/** The conversations with the agents of a run, followed once for all who ask. */
interface AgentFeed {
  /** Resolves when all that was there has been read. */
  readonly ready: Promise<void>;
  /** The messages of a role so far. What was told of them does not hold any more where `generation` is another. */
  conversation(role: Role): { readonly messages: readonly ConversationMessage[]; readonly generation: number };
  /** Resolves when it has read as far as the hub: who sees that an agent is at rest must see its response, too. */
  caughtUp(signal: AbortSignal): Promise<void>;
  /** Resolves at the next change of a conversation, or of how the run stands. */
  changed(): Promise<void>;
}

/** Makes the feed of a hub, for {@linkcode RunHub.once}. */
export function createAgentFeed(hub: RunHub): AgentFeed {
  const ready = Promise.withResolvers<void>();
  let news = Promise.withResolvers<void>();
  let conversations: Conversations = NO_CONVERSATIONS;
  let generation = 0;
  let sequence = 0;
  let isOver = false;
  const tell = () => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const follow = async (): Promise<"again" | "over"> => {
    for await (const entry of followJournal(hub.folder, { jobs: JOBS, signal: hub.signal })) {
      if (entry.kind === "pause") ready.resolve();
      if (entry.kind !== "gap" && entry.sequence !== sequence) {
        sequence = entry.sequence;
        if (entry.kind === "pause") tell();
      }
      if (entry.kind === "gap" && entry.why !== "unreadable") {
        conversations = NO_CONVERSATIONS;
        generation++;
        sequence = 0;
        tell();
        return entry.why === "cut" ? "again" : "over";
      }
      if (entry.kind !== "record" || entry.job?.id !== "run" || entry.fact === undefined) continue;
      const before = conversations;
      conversations = afterFact(conversations, entry.fact as Recorded<ReviewFact>);
      if (conversations !== before || sequence >= hub.sequence) tell();
    }
    return "over";
  };
  const followAll = async () => {
    while (await follow() === "again");
  };
  void followAll().catch(() => {}).finally(() => {
    isOver = true;
    ready.resolve();
    tell();
  });
  hub.listen(tell);
  return {
    ready: ready.promise,
    conversation: (role) => ({ messages: conversations[role].messages, generation }),
    async caughtUp(signal) {
      const before = generation;
      while (!isOver && generation === before && sequence < hub.sequence) {
        const changed = news.promise;
        await abortable(() => changed, signal);
      }
    },
    changed: () => news.promise,
  };
}

/** An event of agentapi may have 128 KiB (its Go client): that many UTF-16 units never have more, as JSON. */
const MAX_CONTENT = 32 * 1024;
/** What is read of a file for that. */
const MAX_READ = 256 * 1024;

/** A message with its text, without secrets; one that is very long without its middle. */
export function agentMessage(
  { role, time, path, outside }: ConversationMessage,
  { id, folder, redactor }: { readonly id: number; readonly folder: RunFolder; readonly redactor: Redactor },
): AgentMessage {
  const text = outside === undefined
    ? undefined
    : textOrNothing(() => readLeftMessage(findRunMail(folder), outside).text);
  const kept = text ?? textOrNothing(() => readBelow(folder, path)) ?? "[this text is not kept any more]";
  return { id, role, content: abridge(redactor.outgoing(kept), { maxChars: MAX_CONTENT }), time };
}

function textOrNothing(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The text of a file in the run's folder, or the beginning of a long one; a journal names no other files here. */
function readBelow(folder: RunFolder, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const inner = path.startsWith("/") ? path.slice(folder.path.length + 1) : path;
  if (path.startsWith("/") && !path.startsWith(`${folder.path}/`)) return undefined;
  if (!/^(?:messages|responses|replies)\/[\w./-]+$/.test(inner) || inner.split("/").includes("..")) return undefined;
  using file = openRegularFile(`${folder.path}/${inner}`, { access: "read" });
  const bytes = new Uint8Array(Math.min(file.stat().size, MAX_READ));
  return new TextDecoder().decode(bytes.subarray(0, file.readAt(0, bytes)));
}
