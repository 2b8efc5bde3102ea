import type { HookCommand } from "../../agents/hook_command.ts";
import { denyOutput, type HookAnswer, readHookPayload } from "../../agents/hook_payload.ts";
import { type HeldMessage, openSpool, type SpoolPlace } from "../../agents/spool.ts";
import type { Role } from "../../base/roles.ts";
import type { Request } from "../../policy/request.ts";
import type { HookedRequest } from "./hooked_request.ts";

interface CallJudges {
  /** Who listens to the requests of a role's agent. */
  readonly deciders: ReadonlyMap<Role, (asked: HookedRequest) => Promise<void>>;
  /** Why a call is refused that comes while nobody listens. @default {() => undefined} it is not */
  readonly refusalOf?: ((role: Role, request: Request) => string | undefined) | undefined;
}

/** How often calls are looked for whose arrival was missed. */
const LOOK_ANYWAY_MS = 250;

/** A day: the hook itself gives up before, and soon where no process of the run is there. */
const TIMEOUT_SECONDS = 24 * 60 * 60;

const NOT_JUDGED = "panewright does not answer whether this may be done.";

/**
 * Opens what the CLIs of agents in panes ask before each call, by files and with a shell's own means: no other program
 * starts as fast. A call is refused, also where nobody answers, or left to the CLI, which is given no yes.
 *
 * @throws when the folder cannot be made
 */
export async function openCallChannel(place: SpoolPlace, { deciders, refusalOf }: CallJudges) {
  await using cleanUp = new AsyncDisposableStack();
  const spool = cleanUp.use(await openSpool(place));
  const ended = new AbortController();
  cleanUp.defer(() => ended.abort());
  const sender = (role: Role) => `call-${role}`;

  async function serve(role: Role, { text, release }: HeldMessage): Promise<void> {
    const told = readHookPayload(text, { id: `hook-${crypto.randomUUID()}`, event: "PreToolUse" });
    if (told === undefined) return release(denyOutput("panewright does not understand what this does."));
    const request = { ...told, needsPermission: false };
    const decide = deciders.get(role);
    let reason = decide === undefined ? refusalOf?.(role, request) : undefined;
    const reply = (answer: HookAnswer) => {
      if (answer.behavior === "deny") reason = answer.reason ?? NOT_JUDGED;
      return Promise.resolve();
    };
    await decide?.({ request, signal: ended.signal, reply, dismiss() {} }).catch(() => reason ??= NOT_JUDGED);
    release(reason === undefined ? "" : denyOutput(reason));
  }

  const served = new Set<string>();
  const roles = new Set<Role>();
  function serveAll(): void {
    for (const role of roles) {
      for (const held of spool.held(sender(role)).filter(({ id }) => !served.has(id))) {
        served.add(held.id);
        serve(role, held).catch(() => held.release(denyOutput(NOT_JUDGED))).finally(() => served.delete(held.id));
      }
    }
  }
  const looks = setInterval(serveAll, LOOK_ANYWAY_MS);
  cleanUp.defer(() => clearInterval(looks));
  const resources = cleanUp.move();
  return {
    hookOf(role: Role): HookCommand {
      roles.add(role);
      resources.use(spool.onArrival(sender(role), serveAll));
      const command = spool.askingCommandFor(sender(role), denyOutput(NOT_JUDGED), { isPatient: true });
      return { command, timeoutSeconds: TIMEOUT_SECONDS };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
