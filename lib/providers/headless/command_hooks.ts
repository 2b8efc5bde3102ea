import type { Clock } from "../../ports/clock.ts";
import { watchFolder } from "../../session_log/folder_watch.ts";
import { openSpool } from "../../session_log/spool.ts";
import { type CommandHookEvent, denyOutput, readCommandHook, readWriteHook } from "../hook_payload.ts";
import type { HookCommand } from "../hook_command.ts";

/** What a CLI runs before and after each command of its agent. */
export interface CommandHookPair {
  readonly before: HookCommand;
  /** It ends only when the command's end was taken in: until then the model does not go on. */
  readonly after: HookCommand;
  /** It refuses to write a file that the step may not; missing where it may write all. */
  readonly write?: HookCommand;
}

/** Why a tool of the CLI's own may not write a file; `undefined` where it may. The path is as the tool has it. */
export type RefuseWrite = (path: string) => string | undefined;

/** What a CLI's hooks tell of the agent's commands. Disposal removes the folder. */
export interface CommandHooks extends AsyncDisposable {
  readonly pair: CommandHookPair;
  /**
   * Hands on what is told, in order, until `signal` is aborted; what is there by then, too. The same end may be told
   * several times.
   *
   * @param take returns whether the agent may go on
   */
  follow(take: (event: CommandHookEvent) => boolean, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** How long a CLI waits for what only leaves a message. */
const BEFORE_SECONDS = 5;

/** How long it waits until a command's end was taken in: longer than it takes to end an agent. */
const AFTER_SECONDS = 30;

/** How long it waits for whether a file may be written. */
const WRITE_SECONDS = 30;

/** What is said where panewright does not answer. */
const UNANSWERED = denyOutput("panewright does not answer whether this file may be written.");

/** Looks at the folder even though nothing there seems to have changed. */
const LOOK_ANYWAY_MS = 250;

/**
 * Opens the place where a CLI's hooks tell of commands.
 *
 * @param folder absolute path that no agent in a sandbox can write to; it is made anew, and removed
 * @throws when it cannot be made
 */
export async function openCommandHooks(
  folder: string,
  { clock, refuseWrite }: { readonly clock: Clock; readonly refuseWrite?: RefuseWrite | undefined },
): Promise<CommandHooks> {
  // What an attempt left that was broken off is not of this one.
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  const spool = await openSpool(folder, { clock });
  return {
    pair: {
      before: { command: spool.commandFor("before"), timeoutSeconds: BEFORE_SECONDS },
      after: { command: spool.waitingCommandFor("after"), timeoutSeconds: AFTER_SECONDS },
      ...(refuseWrite === undefined
        ? {}
        : { write: { command: spool.askingCommandFor("write", UNANSWERED), timeoutSeconds: WRITE_SECONDS } }),
    },
    async follow(take, { signal }) {
      const watch = watchFolder(folder, { clock });
      for (;;) {
        const last = signal.aborted;
        // Read first: what was told before these commands is there then.
        const ended = spool.held("after");
        for (const { text } of spool.take("before")) tell(text);
        for (const { text, release } of ended) if (tell(text)) release();
        for (const { text, release } of spool.held("write")) release(answerTo(text));
        if (last) return;
        await watch.wait(LOOK_ANYWAY_MS, signal).catch(() => {});
      }
      function answerTo(payload: string): string {
        const path = readWriteHook(payload);
        const reason = path === undefined ? "Which file it writes is not known." : refuseWrite?.(path);
        return reason === undefined ? "" : denyOutput(reason);
      }
      function tell(payload: string): boolean {
        const event = readCommandHook(payload);
        return event === undefined || take(event);
      }
    },
    async [Symbol.asyncDispose]() {
      await spool[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true }).catch(() => {});
    },
  };
}
