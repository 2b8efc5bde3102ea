import type { Clock } from "../../base/ports/clock.ts";
import { watchFolder } from "../../base/follow/folder_watch.ts";
import { type HeldMessage, openSpool, removeSpool, type Spool, type SpoolPlace } from "../spool.ts";
import {
  type CommandHookEvent,
  denyOutput,
  type HookAnswer,
  hookOutput,
  readCallId,
  readCommandHook,
  readHookPayload,
} from "../hook_payload.ts";
import type { Request } from "../../policy/request.ts";
import type { HookCommand } from "../hook_command.ts";

/** What a CLI runs before and after each command of its agent. */
export interface CommandHookSet {
  /** Told of each command; it answers whether a call may run where it `judges`. */
  readonly before: HookCommand;
  /** Whether `before` is to be asked about files that are written, too. */
  readonly judges: boolean;
  /** It ends only when the command's end was taken in: until then the model does not go on. */
  readonly after: HookCommand;
  readonly permission?: HookCommand;
}

export interface CommandHooks extends AsyncDisposable {
  readonly commands: CommandHookSet;
  /** Hands on what is told, in order, until `signal` is aborted; what is there by then, too. */
  follow(listener: CommandListener, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** What a hook answers for a call; `leave`: the CLI's own settings decide. */
export type HookReply = HookAnswer | "leave";

interface CommandListener {
  heard(id: string | undefined): void;
  /** Returns whether the agent may go on. The same end may be told several times. */
  take(event: CommandHookEvent): boolean;
  /** Its CLI waits for the reply; what is not understood is refused before. */
  asked(request: Request, reply: (answer: HookReply) => void): void;
}

/** What the hooks of an agent are for. */
export interface CommandHookOptions {
  /** Whether they ask about each command, and each file that is written. */
  readonly judgesCalls: boolean;
  /** Whether they answer what needs a permission. */
  readonly asks: boolean;
  /** Whether a person may take their time, as for a role; an attempt of a step is stopped in place of waiting. */
  readonly isPatient: boolean;
}

const BEFORE_SECONDS = 5;

/** How long it waits until a command's end was taken in: longer than it takes to end an agent. */
const AFTER_SECONDS = 30;

/**
 * How long it waits for an answer: it takes a longer silence for a yes, so the hook itself gives up before (2.1.328).
 */
const ANSWER_SECONDS = 600;
const PATIENT_SECONDS = 24 * 60 * 60;

const UNANSWERED = "panewright does not answer whether this may be done.";

/** Looks at the folder even though nothing there seems to have changed. */
const LOOK_ANYWAY_MS = 250;

export async function openCommandHooks(
  place: SpoolPlace,
  { clock, ...options }: CommandHookOptions & { readonly clock: Clock },
): Promise<CommandHooks> {
  // What an attempt left that was broken off is not of this one.
  await removeSpool(place);
  const spool = await openSpool(place, { clock });
  return {
    commands: commandsOf(spool, options),
    async follow(listener, { signal }) {
      const asked = new Set<string>();
      const watch = watchFolder(place.folder, { clock });
      for (;;) {
        const last = signal.aborted;
        // Read first: what was told before these commands is there then.
        const ended = spool.held("after");
        for (const { text } of spool.take("before")) tell(listener, text);
        for (const { text, release } of ended) if (tell(listener, text)) release();
        for (const sender of ["call", "permission"] as const) {
          for (const held of spool.held(sender).filter(({ id }) => !asked.has(id))) {
            asked.add(held.id);
            tell(listener, held.text);
            // Who asks is gone, or about to be.
            if (!signal.aborted) put(held, { listener, needsPermission: sender === "permission" });
          }
        }
        if (last) return;
        await watch.wait(LOOK_ANYWAY_MS, signal).catch(() => {});
      }
    },
    async [Symbol.asyncDispose]() {
      await spool[Symbol.asyncDispose]();
      await removeSpool(place);
    },
  };
}

function commandsOf(spool: Spool, { judgesCalls, asks, isPatient }: CommandHookOptions): CommandHookSet {
  const asking = (sender: string, otherwise: string) => ({
    command: spool.askingCommandFor(sender, otherwise, { isPatient }),
    timeoutSeconds: isPatient ? PATIENT_SECONDS : ANSWER_SECONDS,
  });
  return {
    before: judgesCalls
      ? asking("call", denyOutput(UNANSWERED))
      : { command: spool.commandFor("before"), timeoutSeconds: BEFORE_SECONDS },
    judges: judgesCalls,
    after: { command: spool.waitingCommandFor("after"), timeoutSeconds: AFTER_SECONDS },
    ...(asks ? { permission: asking("permission", hookOutput({ behavior: "deny", reason: UNANSWERED })) } : {}),
  };
}

function tell(listener: CommandListener, payload: string): boolean {
  listener.heard(readCallId(payload));
  const event = readCommandHook(payload);
  return event === undefined || listener.take(event);
}

function put(
  { text, release }: HeldMessage,
  { listener, needsPermission }: { readonly listener: CommandListener; readonly needsPermission: boolean },
): void {
  const reply = (answer: HookReply) => {
    if (answer === "leave" || (answer.behavior === "allow" && !needsPermission)) release("");
    else release(needsPermission ? hookOutput(answer) : denyOutput(answer.reason ?? UNANSWERED));
  };
  const request = readHookPayload(text, {
    id: `hook-${crypto.randomUUID()}`,
    event: needsPermission ? "PermissionRequest" : "PreToolUse",
  });
  if (request === undefined) reply({ behavior: "deny", reason: "panewright does not understand what this does." });
  else listener.asked({ ...request, needsPermission }, reply);
}
