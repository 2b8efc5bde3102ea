import type { Clock } from "../../base/ports/clock.ts";
import { watchFolder } from "../../base/follow/folder_watch.ts";
import { type HeldMessage, openSpool } from "../spool.ts";
import {
  type CommandHookEvent,
  denyOutput,
  FILE_TOOL_NAMES,
  hookOutput,
  readCallHook,
  readCallId,
  readCommandHook,
  readHookPayload,
} from "../hook_payload.ts";
import type { Request } from "../../policy/request.ts";
import type { HookCommand } from "../hook_command.ts";
import type { CallJudge, CallVerdict } from "./call_judge.ts";

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

/** Why a step may not do what a tool is about to do; `undefined` where it may. */
export type RefuseWrite = (request: Request) => string | undefined;

export interface CommandHooks extends AsyncDisposable {
  readonly commands: CommandHookSet;
  /**
   * Hands on what is told, in order, until `signal` is aborted; what is there by then, too. The same end may be told
   * several times. After a call that is put to a person no other is answered.
   *
   * @throws when a decision cannot be written down; its call gets no answer
   */
  follow(listener: CommandListener, options: { readonly signal: AbortSignal }): Promise<void>;
}

interface CommandListener {
  heard(id: string | undefined): void;
  /** Returns whether the agent may go on. */
  take(event: CommandHookEvent): boolean;
  asked(call: Request, question: string): void;
}

interface CommandHookOptions {
  readonly clock: Clock;
  readonly refuseWrite?: RefuseWrite | undefined;
  readonly judge?: CallJudge | undefined;
}

const BEFORE_SECONDS = 5;

/** How long it waits until a command's end was taken in: longer than it takes to end an agent. */
const AFTER_SECONDS = 30;

/**
 * How long it waits for an answer: it takes a longer silence for a yes, so the hook itself gives up before (2.1.328).
 */
const ANSWER_SECONDS = 600;

const UNANSWERED = "panewright does not answer whether this may be done.";

/** Looks at the folder even though nothing there seems to have changed. */
const LOOK_ANYWAY_MS = 250;

export async function openCommandHooks(folder: string, options: CommandHookOptions): Promise<CommandHooks> {
  const { clock } = options;
  // What an attempt left that was broken off is not of this one.
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  const spool = await openSpool(folder, { clock });
  return {
    commands: commandsOf(spool, options),
    async follow(listener, { signal }) {
      const hearing: Hearing = { ...options, listener, signal, isHalted: false };
      const watch = watchFolder(folder, { clock });
      for (;;) {
        const last = signal.aborted;
        // Read first: what was told before these commands is there then.
        const ended = spool.held("after");
        for (const { text } of spool.take("before")) tell(listener, text);
        for (const { text, release } of ended) if (tell(listener, text)) release();
        for (const held of spool.held("call")) await answer(hearing, held, { needsPermission: false });
        for (const held of spool.held("permission")) await answer(hearing, held, { needsPermission: true });
        if (last) return;
        await watch.wait(LOOK_ANYWAY_MS, signal).catch(() => {});
      }
    },
    async [Symbol.asyncDispose]() {
      await spool[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true }).catch(() => {});
    },
  };
}

function commandsOf(
  spool: Awaited<ReturnType<typeof openSpool>>,
  { refuseWrite, judge }: CommandHookOptions,
): CommandHookSet {
  const judges = refuseWrite !== undefined || judge?.judgesAll === true;
  const asking = (sender: string, otherwise: string) => ({
    command: spool.askingCommandFor(sender, otherwise),
    timeoutSeconds: ANSWER_SECONDS,
  });
  return {
    before: judges
      ? asking("call", denyOutput(UNANSWERED))
      : { command: spool.commandFor("before"), timeoutSeconds: BEFORE_SECONDS },
    judges,
    after: { command: spool.waitingCommandFor("after"), timeoutSeconds: AFTER_SECONDS },
    ...(judge === undefined
      ? {}
      : { permission: asking("permission", hookOutput({ behavior: "deny", reason: UNANSWERED })) }),
  };
}

interface Hearing extends CommandHookOptions {
  readonly listener: CommandListener;
  readonly signal: AbortSignal;
  /** Whether a call was put to a person. */
  isHalted: boolean;
}

interface AboutCall {
  readonly needsPermission: boolean;
}

function tell(listener: CommandListener, payload: string): boolean {
  listener.heard(readCallId(payload));
  const event = readCommandHook(payload);
  return event === undefined || listener.take(event);
}

async function answer(hearing: Hearing, { text, release }: HeldMessage, about: AboutCall): Promise<void> {
  const { listener, signal } = hearing;
  if (hearing.isHalted) return;
  tell(listener, text);
  // Who asks is gone, or about to be.
  if (signal.aborted) return;
  const verdict = await verdictOf(text, { ...hearing, ...about });
  switch (verdict.decision) {
    case "pass":
      return release("");
    case "allow":
      return release(hookOutput({ behavior: "allow" }));
    case "deny": {
      const { reason } = verdict;
      return release(about.needsPermission ? hookOutput({ behavior: "deny", reason }) : denyOutput(reason));
    }
    case "ask":
      hearing.isHalted = true;
      return listener.asked(verdict.call, verdict.question);
  }
}

async function verdictOf(
  payload: string,
  { needsPermission, refuseWrite, judge }: AboutCall & Pick<CommandHookOptions, "refuseWrite" | "judge">,
): Promise<Exclude<CallVerdict, { decision: "ask" }> | { decision: "ask"; question: string; call: Request }> {
  const id = `hook-${crypto.randomUUID()}`;
  const request = (needsPermission ? readHookPayload : readCallHook)(payload, id);
  if (request === undefined) return { decision: "deny", reason: "panewright does not understand what this does." };
  if (!needsPermission && refuseWrite !== undefined) {
    const isUnknown = request.kind === "other" && isFileTool(request.tool);
    const reason = isUnknown ? "Which file it writes is not known." : refuseWrite(request);
    if (reason !== undefined) return { decision: "deny", reason };
  }
  const call = { ...request, needsPermission };
  const verdict = await judge?.judge(call) ?? { decision: "pass" };
  return verdict.decision === "ask" ? { ...verdict, call } : verdict;
}

function isFileTool(tool: string): boolean {
  return tool === "apply_patch" || FILE_TOOL_NAMES.includes(tool);
}
