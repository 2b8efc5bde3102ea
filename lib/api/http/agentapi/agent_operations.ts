import * as z from "zod";
import { findMessage, messageStatus } from "../../control/find_message.ts";
import { leaveMessage } from "../../control/send_message.ts";
import type { ReviewFact } from "../../../jobs/review_loop/facts.ts";
import { abortable } from "../../../base/ports/abortable.ts";
import type { Role } from "../../../base/roles.ts";
import { workerOf } from "../../../run/workers.ts";
import { leaveRawKeys, MAX_RAW_KEYS, takeBackRawKeys } from "../../../run/raw_keys.ts";
import type { Recorded } from "../../../run/job.ts";
import { keysFolderOf, type RunFolder } from "../../../run/run_folder.ts";
import { plainRow } from "../../../base/text/ansi.ts";
import type { ServeContext } from "../context.ts";
import { eventFrame, type EventStream } from "../event_stream.ts";
import { type Call, operation } from "../operation.ts";
import { Problem } from "../problem.ts";
import type { RunHub } from "../run_hub.ts";
import { RUN_PARAM } from "../run_operations.ts";
import { readInTime, requireRole, ROLE_PARAM } from "../screens/screen_operations.ts";
import { withHub } from "../warm_hub.ts";
import { agentMessage, createAgentFeed } from "./agent_feed.ts";
import { type AgentState, agentStateOf } from "./agent_state.ts";
import {
  messageRequest,
  messageResponse,
  messagesBody,
  messageUpdate,
  screenUpdate,
  statusBody,
  statusChange,
} from "./wire.ts";
import { present } from "../../../base/schema.ts";

/** How long a message may take until the agent has it, and keys until they are pressed: less than a request may take. */
const SUBMIT_MS = 45_000;
const KEYS_MS = 8_000;

const PARAMS = { ...RUN_PARAM, ...ROLE_PARAM };
const PROBLEMS = ["unknown_run", "ambiguous_run", "unknown_role"] as const;

/** The agent that a request is about. */
interface Agent {
  readonly folder: RunFolder;
  readonly role: Role;
  readonly hub: RunHub;
}

async function withAgent<Found>(
  { context, params }: Pick<Call, "context" | "params">,
  ask: (agent: Agent) => Found | Promise<Found>,
): Promise<Found> {
  const folder = await context.findRun(params["run"]!);
  return await withHub(context, folder, (hub) => ask({ folder, role: requireRole(params["role"]!, hub), hub }));
}

/** agentapi's protocol for one agent of a run, so that its clients work. */
export const AGENT_OPERATIONS = [
  operation({
    id: "getAgentStatus",
    method: "get",
    path: "/agents/{run}/{role}/status",
    summary: "agentapi: whether an agent takes a message",
    params: PARAMS,
    replies: { 200: { about: "How it is.", schema: statusBody } },
    problems: PROBLEMS,
    handle: (call) => withAgent(call, ({ role, hub }) => ({ status: 200, json: agentStateOf(role, hub) })),
  }),
  operation({
    id: "listAgentMessages",
    method: "get",
    path: "/agents/{run}/{role}/messages",
    summary: "agentapi: the conversation with an agent",
    description: "What the agent was sent, by panewright and by others, and its responses, each once it is whole.",
    params: PARAMS,
    replies: { 200: { about: "The messages.", schema: messagesBody } },
    problems: PROBLEMS,
    handle: (call) =>
      withAgent(call, async ({ folder, role, hub }) => {
        const feed = hub.once(createAgentFeed);
        await feed.ready;
        await feed.caughtUp(call.signal);
        const { messages } = feed.conversation(role);
        const { redactor } = call.context;
        return {
          status: 200,
          json: { messages: messages.map((message, id) => agentMessage(message, { id, folder, redactor })) },
        };
      }),
  }),
  operation({
    id: "postAgentMessage",
    method: "post",
    path: "/agents/{run}/{role}/message",
    summary: "agentapi: sends a message to an agent, or keys to its terminal",
    description:
      "`user`: answered once the journal says that the agent has the message; while the agent is not at rest it is " +
      "refused. With an `Idempotency-Key` the same message is sent once, however often it is asked for. `raw`: refused " +
      "unless `permissions.raw_input` of the run allows it.",
    params: PARAMS,
    headers: z.object({ "idempotency-key": z.string().min(1).max(256).optional() }),
    body: messageRequest,
    replies: { 200: { about: "It was sent.", schema: messageResponse } },
    problems: [
      ...PROBLEMS,
      "agent_busy",
      "not_executed",
      "not_sent",
      "raw_refused",
      "run_over",
      "bad_input",
      "key_reused",
    ],
    handle: (call) =>
      withAgent(call, async (agent) => {
        const { body: { type, content }, headers } = call;
        if (type === "raw") await sendKeys(agent, { text: content, ...call });
        else await sendMessage(agent, { text: content, key: headers["idempotency-key"], ...call });
        return { status: 200, json: { ok: true } };
      }),
  }),
  operation({
    id: "followAgent",
    method: "get",
    path: "/agents/{run}/{role}/events",
    summary: "agentapi: the conversation with an agent and its status, and then what changes",
    params: PARAMS,
    replies: {
      200: { about: "The events.", type: "text/event-stream", schema: z.union([messageUpdate, statusChange]) },
    },
    problems: PROBLEMS,
    async handle({ context, params }) {
      const { folder, role } = await withAgent({ context, params }, (agent) => agent);
      return { events: (stream) => followAgent(stream, { context, folder, role }) };
    },
  }),
  operation({
    id: "followAgentScreen",
    method: "get",
    path: "/agents/{run}/{role}/internal/screen",
    summary: "agentapi: what an agent's terminal shows, as plain text: for `agentapi attach`",
    params: PARAMS,
    replies: { 200: { about: "The screens.", type: "text/event-stream", schema: screenUpdate } },
    problems: PROBLEMS,
    async handle({ context, params }) {
      const { folder, role } = await withAgent({ context, params }, (agent) => agent);
      return {
        async events(stream) {
          using lease = context.hubs.open(folder);
          await lease.hub.ready;
          for await (const event of context.screens.follow(lease.hub, role, stream.signal)) {
            if (event.type !== "screen" || event.pane === null) continue;
            const screen = event.pane.text.split("\n").map((row) => plainRow(row).trimEnd()).join("\n").trimEnd();
            stream.send(eventFrame({ event: "screen", data: { screen } }));
            await readInTime(stream, context.clock);
          }
        },
      };
    },
  }),
];

type Sending = Pick<Call, "context" | "signal"> & { readonly text: string };

async function sendMessage(
  { folder, role, hub }: Agent,
  { text, key, context, signal }: Sending & { readonly key: string | undefined },
): Promise<void> {
  const cannot = `Cannot send the message to the ${role}`;
  requireExecuted(hub, cannot);
  // What was left before, with the same key, is what the agent may be at work on.
  if (key === undefined && agentStateOf(role, hub).status !== "stable") {
    throw new Problem("agent_busy", `${cannot}: it is not at rest`, {
      hint: "Wait until its status is stable: GET status, or the events.",
    });
  }
  const wanted = { role, text, wantsResponse: true, by: "http", who: "agentapi" } as const;
  const { messageId, isNew } = await leaveMessage(folder, { ...wanted, ...present({ key }) });
  const before = isNew ? undefined : findMessage(folder, hub.progress, messageId);
  const status = await untilTold(hub, { timeoutMs: SUBMIT_MS, context, signal }, () => {
    const message = (hub.progress && messageStatus(hub.progress, messageId)) ?? before;
    return message === undefined || message.status === "waiting" || message.status === "sending" ? undefined : message;
  });
  if (status === undefined) {
    throw new Problem("not_sent", `${cannot}: it waits as ${messageId} until the agent is at rest`, {
      hint: "It is sent then: do not send it again. The events and the journal show when.",
    });
  }
  if (status.status === "failed") throw new Problem("not_sent", `${cannot}: ${status.reason ?? "it has failed"}`);
}

async function sendKeys({ folder, role, hub }: Agent, { text, context, signal }: Sending): Promise<void> {
  const cannot = `Cannot press keys in the terminal of the ${role}`;
  if (hub.progress?.rawInput !== true) {
    throw new Problem("raw_refused", `${cannot}: the run's settings do not allow it`, {
      hint:
        "A person can allow it for runs that begin, or are resumed, from then on: permissions.raw_input = true. A " +
        "question or a permission is answered with POST /v1/runs/{run}/answer.",
    });
  }
  requireExecuted(hub, cannot);
  if (hub.progress && workerOf(hub.progress, role)?.protocol !== undefined) {
    throw new Problem("raw_refused", `${cannot}: its agent has no terminal`);
  }
  if (text.length > MAX_RAW_KEYS) {
    throw new Problem("bad_input", `${cannot}: ${text.length} characters are too many, ${MAX_RAW_KEYS} are the most`);
  }
  const keysFolder = (context.keysFolderOf ?? keysFolderOf)(folder.id);
  if (keysFolder === undefined) throw new Problem("not_sent", `${cannot}: HOME is not set`);
  const told = new Map<string, string | undefined>();
  const leave = hub.listen((event) => {
    const fact = event.kind === "record" ? event.fact as Recorded<ReviewFact> | undefined : undefined;
    if (fact?.type === "raw_keys_ended") told.set(fact.id, fact.problem);
  });
  try {
    const leftAtMs = context.wallClock().getTime();
    const { id } = await leaveRawKeys(keysFolder, { role, text, by: "http", who: "agentapi", leftAtMs })
      .catch((cause) => {
        throw new Problem("not_sent", `${cannot}: the process that executes the run takes none`, { cause });
      });
    const isTold = await untilTold(hub, { timeoutMs: KEYS_MS, context, signal }, () => told.has(id) || undefined);
    const problem = told.get(id);
    if (isTold && problem === undefined) return;
    const why = problem ??
      (takeBackRawKeys(keysFolder, id)
        ? "the process that executes the run did not take them"
        : "it is not known whether they were pressed");
    throw new Problem("not_sent", `${cannot}: ${why}`);
  } finally {
    leave();
  }
}

function requireExecuted({ executed, progress }: RunHub, cannot: string): void {
  if (executed) return;
  const outcome = progress?.finished?.outcome;
  const isOver = outcome === "pass" || outcome === "fail";
  throw new Problem(
    isOver ? "run_over" : "not_executed",
    `${cannot}: ${isOver ? `the run is over (${outcome})` : "no process executes the run"}`,
    isOver ? {} : { hint: "Resume it: POST /v1/runs/{run}/resume" },
  );
}

/** What a look at a run finds, as soon as it finds something; undefined after the time. */
async function untilTold<Found>(
  hub: RunHub,
  { timeoutMs, context, signal }: Pick<Call, "context" | "signal"> & { readonly timeoutMs: number },
  look: () => Found | undefined,
): Promise<Found | undefined> {
  const feed = hub.once(createAgentFeed);
  const limit = new AbortController();
  const either = AbortSignal.any([signal, hub.signal, limit.signal]);
  context.clock.sleep(timeoutMs, either).then(() => limit.abort(), () => {});
  try {
    for (;;) {
      const changed = feed.changed();
      const found = look();
      if (found !== undefined) return found;
      await abortable(() => changed, either);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (either.aborted) return undefined;
    throw error;
  } finally {
    limit.abort();
  }
}

async function followAgent(
  stream: EventStream,
  { context, folder, role }: { readonly context: ServeContext; readonly folder: RunFolder; readonly role: Role },
): Promise<void> {
  using lease = context.hubs.open(folder);
  const { hub } = lease;
  const feed = hub.once(createAgentFeed);
  await Promise.all([hub.ready, feed.ready]);
  const { generation } = feed.conversation(role);
  const signal = AbortSignal.any([stream.signal, hub.signal]);
  let told = 0;
  let toldState: AgentState | undefined;
  for (;;) {
    const changed = feed.changed();
    const now = feed.conversation(role);
    // The protocol cannot take a message back: a client that comes back is told all anew.
    if (now.generation !== generation) return;
    for (; told < now.messages.length; told++) {
      const { content: message, ...rest } = agentMessage(now.messages[told]!, { id: told, folder, ...context });
      stream.send(eventFrame({ event: "message_update", data: { ...rest, message } }));
      await readInTime(stream, context.clock);
    }
    // A journal that was cut is read anew.
    if (hub.progress === undefined || workerOf(hub.progress, role) === undefined && toldState !== undefined) {
      await abortable(() => changed, signal);
      continue;
    }
    const { status, agent_type, transport } = agentStateOf(role, hub);
    if (status !== toldState?.status) stream.send(eventFrame({ event: "status_change", data: { status, agent_type } }));
    toldState = { status, agent_type, transport };
    await abortable(() => changed, signal);
  }
}
