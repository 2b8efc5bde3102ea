import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type {
  AcpConnection,
  AcpConnectionOptions,
  AcpHandlers,
  AcpQuestion,
} from "../../../lib/agents/acp/protocol/contract.ts";
import type { AcpEnd } from "../../../lib/agents/acp/protocol/errors.ts";
import { readPermission } from "../../../lib/agents/acp/protocol/shapes.ts";
import { readUpdate } from "../../../lib/agents/acp/protocol/update.ts";
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
      label: "Toy",
      launch: ({ workdir, command = ["toy"], env = {} }) => ({ argv: command, env, cwd: workdir }),
      authMethod: () => undefined,
      ask_mode: { id: "default", asks_before: ["execute", "edit", "delete", "move"] },
      tools: [
        { kind: "execute", as: "command", subject: { from: "input", path: ["command"], form: "text" } },
        { kind: "edit", as: "file_edit", subject: { from: "diffs", path: [], form: "texts" } },
      ],
      usage: [{ from: "prompt", of: "turn" }, { from: "cost", of: "session" }],
      tellsTokens: true,
      resume: ["load", "resume"],
      start_seconds: 60,
      ...acp,
    },
  };
}

/** What a request is answered with besides, if anything, as the protocol has it. */
type ToyReply = void | Readonly<Record<string, unknown>>;

/** What a {@linkcode ToyConnection} is like; whatever is missing behaves well. */
export interface ToyOptions {
  readonly protocolVersion?: number;
  readonly resumes?: Partial<AcpConnection["initialized"]["resumes"]>;
  readonly authMethods?: readonly string[];
  /** What opens a session tells. */
  readonly state?: Readonly<Record<string, unknown>>;
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
  readonly #replies: PromiseWithResolvers<unknown>[] = [];
  #waiting = new AbortController();
  #configOptions: readonly { readonly id: string }[];

  constructor({ handlers }: AcpConnectionOptions, readonly options: ToyOptions) {
    this.handlers = handlers;
    this.ended = this.#end.promise;
    this.#configOptions = options.state?.["configOptions"] as readonly { readonly id: string }[] ?? [];
    this.initialized = {
      protocolVersion: options.protocolVersion ?? 1,
      agentInfo: { name: "toy", version: "1.2.3" },
      resumes: { load: true, resume: true, ...options.resumes },
      authMethods: options.authMethods ?? [],
    };
  }

  stderrTail = () => ["toy: last words"];
  troubles = () => ({});
  listPids = () => Promise.resolve([this.pid]);
  listProcesses = () => Promise.resolve([]);
  keep = () => {};
  freeze = () => Promise.resolve();
  killNow = () => this.end({ kind: "exited", code: 137 });

  call<Result>(
    { method, params, read }: AcpQuestion<Result>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ) {
    const reply = abortable(() => this.#reply(method, params as Readonly<Record<string, string>>), signal);
    const result = reply.then((reply) => read(reply)!);
    result.catch(() => {});
    return { written: Promise.resolve(), result };
  }

  async #reply(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const { sessionId, methodId, modeId, modelId, configId, value, prompt } = params;
    switch (method) {
      case "authenticate":
        return await this.#do("authenticate", methodId);
      case "session/new":
        return { sessionId: "s-new", ...this.#state(), ...await this.#do("new") };
      case "session/load":
      case "session/resume":
        return { ...this.#state(), ...await this.#do(method.slice("session/".length), sessionId) };
      case "session/set_mode":
        return await this.#do("mode", modeId);
      case "session/set_model":
        return await this.#do("model", modelId);
      case "session/set_config_option":
        await this.#do("option", `${configId}=${value}`);
        this.#configOptions = this.#configOptions.map((one) =>
          one.id === configId ? { ...one, currentValue: value } : one
        );
        return { configOptions: this.#configOptions };
      case "session/prompt": {
        const [{ text }] = prompt as [{ text: string }];
        this.asked.push(`prompt ${text}`);
        const reply = Promise.withResolvers<unknown>();
        this.#replies.push(reply);
        return await reply.promise;
      }
    }
    return undefined;
  }

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
    const told = readUpdate({ sessionId, update });
    if (!("problem" in told)) this.handlers.update(told);
  }

  say(text: string, sessionId?: string): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }, sessionId);
  }

  permission(params: unknown) {
    return this.handlers.permission(readPermission(params)!, this.#waiting.signal);
  }

  /** The agent asks for a permission; resolves to the id of the option that was chosen, or `cancelled`. */
  async ask(
    command: string,
    { sessionId = "s-new", kinds = ["allow_always", "allow_once", "reject_once"], id = "t1" } = {},
  ) {
    const outcome = await this.permission({
      sessionId,
      toolCall: { toolCallId: id, kind: "execute", title: "Run", rawInput: { command } },
      options: kinds.map((kind) => ({ optionId: `id of ${kind}`, name: kind, kind })),
    });
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

  async #do(what: string, about: unknown = ""): Promise<ToyReply> {
    this.asked.push(`${what} ${about}`.trim());
    return await this.options.on?.[what]?.(this);
  }

  #state() {
    return { modes: MODES, ...this.options.state };
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
