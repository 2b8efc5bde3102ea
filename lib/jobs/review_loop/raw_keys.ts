import type { AuditLog } from "../../turn/desk/audit.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { makeOwnFolder } from "../../base/ports/state_folder.ts";
import { keysFolderOf, type RunFolder } from "../../run/run_folder.ts";
import { type LeftKeys, RAW_KEYS_LIFE_MS, takeRawKeys } from "../../run/raw_keys.ts";
import { watchFolder } from "../../base/follow/folder_watch.ts";
import { plainRow } from "../../base/text/ansi.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { capturePane } from "../../tmux/capture.ts";
import type { TmuxClient } from "../../tmux/client.ts";
import { typeRaw } from "../../tmux/input.ts";
import type { AgentTeam } from "./agents.ts";
import type { ReviewFact } from "./facts.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { present } from "../../base/schema.ts";

/** What {@linkcode watchRawKeys} works with. */
interface RawKeysOptions {
  readonly plan: Pick<ReviewRunPlan, "rawInput">;
  readonly folder: RunFolder;
  readonly team: Pick<AgentTeam, "agents">;
  /** The tmux server of the agents' panes; missing where none has a pane. */
  readonly client: TmuxClient | undefined;
  readonly audit: AuditLog;
  readonly record: (fact: ReviewFact) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where keys are left. @default {keysFolderOf(folder.id)} */
  readonly keysFolder?: string;
  /** @default {Date.now} */
  readonly nowMs?: () => number;
}

/** A change of the folder is seen at once; this often it is looked whether one was missed. */
const LOOK_EVERY_MS = 1000;

/**
 * Presses keys that were left from outside in the agents' terminals, where the settings allow it, until it is disposed
 * of. The journal and the audit log have them before they are pressed; those that were left for longer than 5 s, or
 * before this process, are not: the screen that they were meant for is gone.
 */
export function watchRawKeys(options: RawKeysOptions): Disposable {
  const stop = new AbortController();
  const { plan, folder, record, clock } = options;
  const keysFolder = options.keysFolder ?? keysFolderOf(folder.id);
  if (plan.rawInput && keysFolder !== undefined) {
    const signal = AbortSignal.any([stop.signal, options.signal]);
    const watch = async () => {
      makeOwnFolder(keysFolder);
      stop.signal.addEventListener("abort", () => removeFolder(keysFolder), { once: true });
      const changes = watchFolder(keysFolder, { clock });
      for (;;) {
        for (const keys of takeRawKeys(keysFolder)) await press(keys, { ...options, signal });
        await changes.wait(LOOK_EVERY_MS, signal);
      }
    };
    watch().catch((error) => {
      if (signal.aborted) return;
      try {
        record({ type: "warning", message: `keys from outside are not taken: ${errorText(error)}` });
      } catch { /* a journal that cannot be written ends the run by itself */ }
    });
  }
  return { [Symbol.dispose]: () => stop.abort() };
}

function removeFolder(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function press({ id, role, text, by, who, leftAtMs }: LeftKeys, options: RawKeysOptions): Promise<void> {
  const { team, client, audit, record, signal, nowMs = Date.now } = options;
  const end = (problem?: string) =>
    record({ type: "raw_keys_ended", id, role, ...present({ problem }), passable: true });
  const agent = new Map(team.agents()).get(role);
  if (nowMs() - leftAtMs > RAW_KEYS_LIFE_MS) return end("they came too late");
  if (agent === undefined) return end("its agent was not started yet");
  if (agent.via !== "pane" || client === undefined) return end("its agent has no terminal");
  const { pane } = agent;
  const look = async () => (await capturePane(client, pane, { signal })).text.split("\n").map(plainRow);
  try {
    const before = await look();
    const subject = sanitizeLine(text);
    const sender = who === undefined ? {} : { who };
    record({ type: "raw_keys_pressing", id, role, terminalId: pane.paneId, by, ...sender, subject, passable: true });
    const decision = {
      role,
      terminal: pane.paneId,
      provider: agent.provider.id,
      kind: "raw_keys",
      command: subject,
      decision: "allow",
      rule: "raw_input",
      reason: `keys that came from outside (${who ?? by})`,
      keys: ["raw"],
      before,
    } as const;
    await audit.perform(decision, async () => {
      await typeRaw(client, pane.paneId, { text, signal });
      return { result: "pressed", after: await look() };
    });
    end();
  } catch (error) {
    if (!signal.aborted) end(errorText(error));
  }
}
