import type {
  AcpConnection,
  AcpConnectionOptions,
  AcpEnd,
  AcpSessionState,
} from "../../../lib/agents/acp/protocol/connection.ts";
import type { AcpHandlers } from "../../../lib/agents/acp/protocol/contract.ts";
import type { AcpCapabilities, AcpPromptReply, SessionUpdate } from "../../../lib/agents/acp/protocol/protocol.ts";
import type { AcpActivity } from "../../../lib/agents/acp/activity.ts";
import { startAcpAgent } from "../../../lib/agents/acp/agent.ts";
import type { AcpAgentOptions } from "../../../lib/agents/acp/contract.ts";
import type { AcpProvider } from "../../../lib/agents/acp/acp_provider.ts";
import type { AcpAgentProvider } from "../../../lib/agents/provider.ts";
import type { AgentEvent } from "../../../lib/agents/agent.ts";
import { abortable } from "../../../lib/base/ports/abortable.ts";
import type { FakeClock } from "../../support/fake_clock.ts";

/** What is known of the agent in tests; it asks before all that it does, and has one mode for that. */
export function testProvider(acp: Partial<AcpProvider> = {}, more: Partial<AcpAgentProvider> = {}): AcpAgentProvider {
  return {
    id: "toy",
    label: "Toy",
    capabilities: { refusesWritesSince: undefined },
    ...more,
    acp: {
      launch: ({ workdir, command = ["toy"], env = {} }) => ({ argv: command, env, cwd: workdir }),
      authMethod: () => undefined,
      askMode: { id: "default", asksBefore: ["execute", "edit", "delete", "move"], asksBeforeChanges: [] },
      tools: [
        { kind: "execute", as: "command", subject: { from: "input", path: ["command"], form: "text" } },
        { kind: "edit", as: "file_edit", subject: { from: "diffs", path: [], form: "texts" } },
      ],
      usage: [{ from: "prompt", of: "turn" }, { from: "cost", of: "session" }],
      tellsTokens: true,
      resume: ["load", "resume"],
      startSeconds: 60,
      ...acp,
    },
  };
}

/** What a request is answered with besides, if anything. */
type ToyReply = void | Partial<AcpSessionState>;

/** What a {@linkcode ToyConnection} is like; whatever is missing behaves well. */
export interface ToyOptions {
  readonly protocolVersion?: number;
  readonly capabilities?: Partial<AcpCapabilities>;
  readonly authMethods?: readonly string[];
  /** What opens a session tells. */
  readonly state?: Partial<AcpSessionState>;
  /** Takes the place of what a request of ours does: throws, or waits. */
  readonly on?: Partial<Record<string, (toy: ToyConnection) => ToyReply | Promise<ToyReply>>>;
}

const MODES = {
  currentModeId: "default",
  availableModes: ["default", "plan"].map((id) => ({ id, name: id })),
};

/** An agent as a test plays it, without a process. */
export class ToyConnection implements AcpConnection {
  readonly pid = 4711;
  readonly initialized: AcpConnection["initialized"];
  readonly ended: Promise<AcpEnd>;
  /** What was asked of it. */
  readonly asked: string[] = [];
  readonly handlers: AcpHandlers;
  readonly #end = Promise.withResolvers<AcpEnd>();
  readonly #replies: PromiseWithResolvers<AcpPromptReply>[] = [];
  #waiting = new AbortController();
  #configOptions: AcpSessionState["configOptions"];

  constructor({ handlers }: AcpConnectionOptions, readonly options: ToyOptions) {
    this.handlers = handlers;
    this.ended = this.#end.promise;
    this.#configOptions = options.state?.configOptions;
    this.initialized = {
      protocolVersion: options.protocolVersion ?? 1,
      agentInfo: { name: "toy", version: "1.2.3" },
      agentCapabilities: { loadSession: true, resumeSession: true, ...options.capabilities },
      authMethods: (options.authMethods ?? []).map((id) => ({ id, name: id })),
    };
  }

  stderrTail = () => ["toy: last words"];
  troubles = () => ({});
  listPids = () => Promise.resolve([this.pid]);
  killNow = () => this.end({ kind: "exited", code: 137 });

  authenticate = async ({ methodId }: { methodId: string }) => void await this.#do("authenticate", methodId);
  newSession = async ({ signal }: { signal?: AbortSignal | undefined } = {}) => {
    await abortable(() => this.#do("new"), signal);
    return { sessionId: "s-new", ...this.#state() };
  };
  loadSession = async ({ sessionId }: { sessionId: string }) => {
    const reply = await this.#do("load", sessionId);
    return { ...this.#state(), ...reply };
  };
  resumeSession = async ({ sessionId }: { sessionId: string }) => {
    const reply = await this.#do("resume", sessionId);
    return { ...this.#state(), ...reply };
  };
  setMode = async ({ modeId }: { modeId: string }) => void await this.#do("mode", modeId);
  setModel = async ({ modelId }: { modelId: string }) => void await this.#do("model", modelId);
  setConfigOption = async ({ configId, value }: { configId: string; value: string | boolean }) => {
    await this.#do("option", `${configId}=${value}`);
    this.#configOptions = this.#configOptions?.map((one) =>
      one.id === configId ? { ...one, currentValue: value } as typeof one : one
    );
    return this.#configOptions;
  };

  prompt = ({ text }: { text: string }) => {
    this.asked.push(`prompt ${text}`);
    const reply = Promise.withResolvers<AcpPromptReply>();
    reply.promise.catch(() => {});
    this.#replies.push(reply);
    return { written: Promise.resolve(), reply: reply.promise };
  };

  cancel = async () => {
    this.#waiting.abort();
    this.#waiting = new AbortController();
    await this.#do("cancel");
  };

  // deno-lint-ignore require-await
  [Symbol.asyncDispose] = async () => this.end({ kind: "closed" });

  /** The agent ends. */
  end(end: AcpEnd): void {
    this.#waiting.abort();
    this.#end.resolve(end);
  }

  /** The agent sends an update. */
  update(update: SessionUpdate, sessionId = "s-new"): void {
    this.handlers.update({ sessionId, update, meta: undefined });
  }

  say(text: string, sessionId?: string): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }, sessionId);
  }

  /** The agent asks for a permission; resolves to the id of the option that was chosen, or `cancelled`. */
  async ask(
    command: string,
    { sessionId = "s-new", kinds = ["allow_always", "allow_once", "reject_once"], id = "t1" } = {},
  ) {
    const outcome = await this.handlers.permission({
      sessionId,
      toolCall: { toolCallId: id, kind: "execute", title: "Run", rawInput: { command } },
      options: kinds.map((kind) => ({ optionId: `id of ${kind}`, name: kind, kind })),
    }, this.#waiting.signal);
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  }

  /** The agent puts a form. */
  async elicit(message: string, requestedSchema: unknown) {
    const question = { message, mode: "form", sessionId: "s-new", requestedSchema };
    return await this.handlers.elicitation!(question, this.#waiting.signal);
  }

  /** The agent replies to a prompt, the last one by default. */
  async reply(stopReason = "end_turn", at = this.#replies.length - 1): Promise<void> {
    this.#replies[at]!.resolve({ stopReason });
    await settled();
  }

  async refuse(error: unknown): Promise<void> {
    this.#replies.at(-1)!.reject(error);
    await settled();
  }

  async #do(what: string, about = ""): Promise<ToyReply> {
    this.asked.push(`${what} ${about}`.trim());
    return await this.options.on?.[what]?.(this);
  }

  #state(): AcpSessionState {
    return { modes: MODES, configOptions: undefined, models: undefined, ...this.options.state };
  }
}

/** Lets promises that are settled be heard. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

/** Starts an agent on a {@linkcode ToyConnection}. */
export async function startToy(
  { toy: toyOptions = {}, listens = true, provider = testProvider(), ...more }: Partial<AcpAgentOptions> & {
    readonly clock: FakeClock;
    /** @default {true} */
    readonly listens?: boolean;
    readonly toy?: ToyOptions;
  },
) {
  const activities: AcpActivity[] = [];
  let toy: ToyConnection | undefined;
  const agent = await more.clock.runUntilSettled(startAcpAgent({
    provider,
    name: "tester",
    launch: { workdir: "/w" },
    mark: { name: "MARK", value: "1" },
    signal: new AbortController().signal,
    onActivity: (activity) => activities.push(activity),
    connect: (options) => Promise.resolve(toy = new ToyConnection(options, toyOptions)),
    ...more,
  }));
  const told: AgentEvent[] = [];
  if (listens) agent.listen((events) => told.push(...events));
  return { agent, toy: toy!, activities, told };
}
