/**
 * An agent over the Agent Client Protocol that does, and misdoes, what a file says:
 *
 *     deno run -A tests/lab/acp_fake_agent.ts SCRIPT.json [ARGUMENT…]
 *
 * What it gets, its sessions and which turns it has played are kept in the folder SCRIPT.json.state, over all its
 * processes. `--version` as an argument prints the script's version. It ends when its input does.
 *
 * It writes its lines by itself and checks nothing: the protocol's library could not misbehave.
 *
 * @module
 */
import { findResponseTarget } from "../../lib/lab/replay/response_target.ts";

/** What a fake agent does. Everything has a default, with which it behaves well. */
export interface FakeAgentScript {
  /** @default {"1.0.0"} */
  readonly version?: string;
  /** Lines for standard error at the start. */
  readonly stderr?: readonly string[];
  /** Lines for standard output before anything else. */
  readonly preamble?: readonly string[];
  /** Ends at the start with this exit code, after what it prints. */
  readonly exitAtStart?: number;
  /** Fields that replace those of the reply to `initialize`; `"never"`: there is no reply; or an error. */
  readonly initialize?: Readonly<Record<string, unknown>> | "never" | FakeError;
  /** Sessions cannot be opened before an `authenticate` with this method. */
  readonly login?: string;
  /** The reply to `authenticate`. @default {"ok"} */
  readonly authenticate?: "ok" | "never" | FakeError;
  /** Sessions cannot be loaded and resumed. */
  readonly cannotLoad?: true;
  readonly cannotResume?: true;
  /**
   * How a load, or a resume, of a session that is not there is answered. @default {"error"}; `"new"`: a new, empty
   * session is opened as if it were that one
   */
  readonly missingSession?: "error" | "new";
  /** What a load sends again. @default {what was said to the session and by it} */
  readonly replays?: readonly FakeStep[];
  /** The modes of a session, the current one first. @default {["default", "plan"]}; `[]`: none */
  readonly modes?: readonly string[];
  /** What a `session/set_mode` does. @default {"ok"}; `"ignored"`: it is answered, and the mode stays */
  readonly setMode?: "ok" | "ignored" | "never" | FakeError;
  /** Whether the new mode is told by an update as well. @default {true} */
  readonly tellsMode?: boolean;
  /** As in the protocol; `currentValue` follows `session/set_config_option`. */
  readonly configOptions?: readonly Readonly<Record<string, unknown>>[];
  /** The models of a session, as before version 1 had config options; the current one first. */
  readonly models?: readonly string[];
  /** What a cancel does to the turn. @default {"cancelled"}: the reply says so; `"ignored"`: the turn goes on */
  readonly onCancel?: "cancelled" | "ignored";
  /** Stays when its input ends. */
  readonly staysAtEnd?: true;
  /** Stays at SIGTERM. */
  readonly ignoresTerm?: true;
  /** What it does with prompts: each is played by the first of them that fits and has not been used up. */
  readonly turns?: readonly FakeTurn[];
}

/** An error of JSON-RPC. */
export interface FakeError {
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What the agent does with a prompt. */
export interface FakeTurn {
  /** A regular expression that must match in the prompt. */
  readonly when?: string;
  /** How often it is played, over all processes. @default {1}; the last one of all is played for ever */
  readonly times?: number;
  /** At their end the turn ends with `end_turn`, unless a step has ended it, or `never` is among them. */
  readonly steps: readonly FakeStep[];
}

/** A thing to do, or to wait for. Each kind is recognised by its first field. */
export type FakeStep =
  | { readonly say: string }
  | { readonly think: string }
  | { readonly plan: readonly { readonly content: string; readonly status?: string }[] }
  /** A tool call or, by the id of an earlier one, a change of it. `fields` go into the update as they are. */
  | { readonly call: string; readonly status?: string; readonly fields?: Readonly<Record<string, unknown>> }
  /** A tool call that asks for permission, and what is done then. A cancelled one ends the turn's steps. */
  | {
    readonly permission: string;
    /** The exact command, as `rawInput.command`. */
    readonly command?: string;
    /** A file that is to be edited. */
    readonly path?: string;
    /** Fields of the tool call. */
    readonly fields?: Readonly<Record<string, unknown>>;
    /** @default {allow_always first, then allow_once, reject_once} */
    readonly options?: readonly Readonly<Record<string, unknown>>[];
    readonly allowed?: readonly FakeStep[];
    readonly rejected?: readonly FakeStep[];
    /** Does not wait for the answer. */
    readonly waits?: false;
  }
  /** A question to a person. `content` of the reply is said. */
  | { readonly elicit: string; readonly schema?: unknown; readonly fields?: Readonly<Record<string, unknown>> }
  /** A request of the agent that is waited for. */
  | { readonly request: string; readonly params?: unknown }
  /** A notification, such as one that nobody knows. */
  | { readonly notify: string; readonly params?: unknown }
  /** An update as it is; of another session, if that is given. */
  | { readonly update: unknown; readonly sessionId?: string }
  | { readonly usage: { readonly used: number; readonly size: number; readonly cost?: unknown } }
  /** Writes a file, relative to the session's folder. */
  | { readonly write: string; readonly text: string }
  /** Writes the response file that the prompt asks for. */
  | { readonly respond: string }
  /** Runs a program in the session's folder, and waits for it; what it prints is said. */
  | { readonly run: readonly [string, ...string[]] }
  /** Waits until this file is there, relative to the session's folder. */
  | { readonly await: string }
  /** Does the steps after the reply to the prompt, if the turn ends before. */
  | { readonly later: readonly FakeStep[] }
  /** A line on standard output, as it is. */
  | { readonly line: string }
  /** Bytes on standard output, in base64. */
  | { readonly bytes: string }
  /** A line of so many bytes that would be an update. */
  | { readonly longLine: number }
  | { readonly stderr: string }
  /** Replies to the prompt. A second one is a second reply. */
  | { readonly end: string; readonly fields?: Readonly<Record<string, unknown>> }
  /**
   * Replies to the prompt as version 2 does: by the id of its message, or by nothing at all where that is empty, which
   * does not end the turn.
   */
  | { readonly acknowledge: string }
  | { readonly fail: FakeError["error"] }
  /** The steps end, and there is no reply. */
  | { readonly never: true }
  /** The process ends. */
  | { readonly exit: number }
  | { readonly kill: Deno.Signal };

type Json = Record<string, unknown>;

interface Session {
  readonly cwd: string;
  mode: string | undefined;
  model: string | undefined;
  /** Updates, for a load. */
  readonly history: Json[];
}

async function main(): Promise<void> {
  const [file, ...args] = Deno.args;
  const script: FakeAgentScript = JSON.parse(await Deno.readTextFile(file!));
  if (args.includes("--version")) return void Deno.stdout.writeSync(encode(`${script.version ?? "1.0.0"}\n`));
  await new FakeAgent(script, `${file}.state`).run();
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

class FakeAgent {
  readonly #pending = new Map<string, (reply: Json) => void>();
  readonly #options: Json[];
  #requests = 0;
  #isLoggedIn: boolean;
  /** The prompt that is worked on, by session. */
  readonly #turns = new Map<string, { readonly cancel: AbortController; hasEnded: boolean }>();

  constructor(readonly script: FakeAgentScript, readonly folder: string) {
    this.#isLoggedIn = script.login === undefined;
    this.#options = (script.configOptions ?? []).map((option) => ({ ...option }));
    Deno.mkdirSync(`${folder}/sessions`, { recursive: true });
    Deno.mkdirSync(`${folder}/turns`, { recursive: true });
  }

  async run(): Promise<void> {
    const { stderr = [], preamble = [], exitAtStart, ignoresTerm, staysAtEnd } = this.script;
    for (const line of stderr) Deno.stderr.writeSync(encode(`${line}\n`));
    for (const line of preamble) this.#print(`${line}\n`);
    if (exitAtStart !== undefined) Deno.exit(exitAtStart);
    if (ignoresTerm) Deno.addSignalListener("SIGTERM", () => {});
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of Deno.stdin.readable) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.#take(line);
    }
    if (staysAtEnd) setInterval(() => {}, 1 << 30);
    else Deno.exit(0);
  }

  #take(line: string): void {
    Deno.writeTextFileSync(`${this.folder}/received.ndjson`, `${line}\n`, { append: true });
    const message: Json = JSON.parse(line);
    const { id, method, params } = message as { id?: unknown; method?: string; params?: Json };
    if (method === undefined) return this.#pending.get(String(id))?.(message);
    if (id === undefined) return this.#takeNotification(method, params ?? {});
    if (method === "session/prompt") return void this.#playTurn(id, params!);
    const reply = this.#reply(method, params ?? {});
    if (reply !== "never") this.#send({ id, ...reply });
  }

  #takeNotification(method: string, { sessionId }: Json): void {
    if (method !== "session/cancel" || this.script.onCancel === "ignored") return;
    this.#turns.get(String(sessionId))?.cancel.abort();
  }

  #reply(method: string, params: Json): "never" | FakeError | { readonly result: unknown } {
    const { script } = this;
    const error = (code: number, message: string, data?: unknown): FakeError => ({ error: { code, message, data } });
    const sessionId = String(params["sessionId"]);
    switch (method) {
      case "initialize": {
        if (script.initialize === "never" || isError(script.initialize)) return script.initialize;
        return {
          result: {
            protocolVersion: 1,
            agentInfo: { name: "fake", version: script.version ?? "1.0.0" },
            agentCapabilities: {
              loadSession: !script.cannotLoad,
              sessionCapabilities: { close: {}, ...(script.cannotResume ? {} : { resume: {} }) },
            },
            authMethods: script.login === undefined ? [] : [{ id: script.login, name: `Log in by ${script.login}` }],
            ...script.initialize,
          },
        };
      }
      case "authenticate": {
        const { authenticate = "ok" } = script;
        if (authenticate !== "ok") return authenticate;
        if (params["methodId"] !== script.login) return error(-32602, "Invalid params");
        this.#isLoggedIn = true;
        return { result: {} };
      }
      case "session/new":
        return this.#isLoggedIn
          ? { result: this.#open(crypto.randomUUID(), String(params["cwd"])) }
          : error(-32000, "Authentication required");
      case "session/load":
      case "session/resume": {
        if (!this.#isLoggedIn) return error(-32000, "Authentication required");
        if (method === "session/load" ? script.cannotLoad : script.cannotResume) {
          return error(-32601, "Method not found");
        }
        const session = this.#session(sessionId);
        if (session === undefined) {
          if (script.missingSession !== "new") return error(-32002, "Resource not found", { sessionId });
          const { sessionId: _, ...state } = this.#open(sessionId, String(params["cwd"]));
          return { result: state };
        }
        if (method === "session/load") this.#replay(sessionId, session);
        return { result: this.#state(session) };
      }
      case "session/set_mode": {
        const { setMode = "ok" } = script;
        if (setMode === "never" || isError(setMode)) return setMode;
        const modeId = String(params["modeId"]);
        if (!this.#modes().includes(modeId)) return error(-32602, `there is no mode ${modeId}`);
        if (setMode === "ok") {
          this.#change(sessionId, { mode: modeId });
          if (script.tellsMode !== false) {
            this.update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: modeId });
          }
        }
        return { result: {} };
      }
      case "session/set_model":
        if (!script.models?.includes(String(params["modelId"]))) return error(-32602, "there is no such model");
        this.#change(sessionId, { model: String(params["modelId"]) });
        return { result: {} };
      case "session/set_config_option": {
        const option = this.#options.find(({ id }) => id === params["configId"]);
        if (option === undefined) return error(-32602, "there is no such option");
        option["currentValue"] = params["value"];
        return { result: { configOptions: this.#options } };
      }
      case "session/close":
        return { result: {} };
      default:
        return error(-32601, "Method not found", { method });
    }
  }

  #modes(): readonly string[] {
    return this.script.modes ?? ["default", "plan"];
  }

  #open(sessionId: string, cwd: string): Json {
    const session = { cwd, mode: this.#modes()[0], model: this.script.models?.[0], history: [] };
    this.#keep(sessionId, session);
    return { sessionId, ...this.#state(session) };
  }

  #state({ mode, model }: Session): Json {
    const { models } = this.script;
    return {
      ...(mode === undefined
        ? {}
        : { modes: { currentModeId: mode, availableModes: this.#modes().map((id) => ({ id, name: id })) } }),
      ...(models === undefined
        ? {}
        : { models: { currentModelId: model, availableModels: models.map((id) => ({ modelId: id, name: id })) } }),
      ...(this.#options.length === 0 ? {} : { configOptions: this.#options }),
    };
  }

  #session(sessionId: string): Session | undefined {
    try {
      return JSON.parse(Deno.readTextFileSync(`${this.folder}/sessions/${encodeURIComponent(sessionId)}.json`));
    } catch {
      return undefined;
    }
  }

  #keep(sessionId: string, session: Session): void {
    const path = `${this.folder}/sessions/${encodeURIComponent(sessionId)}.json`;
    Deno.writeTextFileSync(`${path}.partial`, JSON.stringify(session));
    Deno.renameSync(`${path}.partial`, path);
  }

  #change(sessionId: string, change: Partial<Session>): void {
    const session = this.#session(sessionId);
    if (session !== undefined) this.#keep(sessionId, { ...session, ...change });
  }

  #replay(sessionId: string, { history }: Session): void {
    const { replays } = this.script;
    if (replays === undefined) { for (const update of history) this.#sendUpdate(sessionId, update); }
    for (const step of replays ?? []) {
      if ("say" in step) this.#sendUpdate(sessionId, messageChunk("agent_message_chunk", step.say));
      else if ("update" in step) this.#sendUpdate(step.sessionId ?? sessionId, step.update);
    }
  }

  async #playTurn(id: unknown, params: Json): Promise<void> {
    const sessionId = String(params["sessionId"]);
    const session = this.#session(sessionId);
    if (session === undefined) {
      return this.#send({ id, error: { code: -32002, message: "Resource not found", data: { sessionId } } });
    }
    const prompt = (params["prompt"] as { text?: string }[]).map(({ text = "" }) => text).join("\n");
    this.#remember(sessionId, messageChunk("user_message_chunk", prompt));
    const turn = { cancel: new AbortController(), hasEnded: false };
    this.#turns.set(sessionId, turn);
    const reply = (message: Json) => {
      turn.hasEnded = true;
      this.#send({ id, ...message });
    };
    const play = new TurnPlayer({ agent: this, sessionId, cwd: session.cwd, prompt, reply, turn });
    const steps = this.#chooseTurn(prompt)?.steps ?? [{ say: "Done." }];
    Deno.writeTextFileSync(`${this.folder}/begun`, "");
    const cancelled = new Promise<"cancelled">((resolve) => {
      turn.cancel.signal.addEventListener("abort", () => resolve("cancelled"));
    });
    const how = await Promise.race([play.all(steps), cancelled]);
    if (how === "cancelled") reply({ result: { stopReason: "cancelled" } });
    else if (how === "done" && !turn.hasEnded) reply({ result: { stopReason: "end_turn" } });
    await play.later();
  }

  #chooseTurn(prompt: string): FakeTurn | undefined {
    const { turns = [] } = this.script;
    for (const [index, turn] of turns.entries()) {
      if (turn.when !== undefined && !new RegExp(turn.when).test(prompt)) continue;
      if (index === turns.length - 1 && turn.times === undefined) return turn;
      for (let time = 0; time < (turn.times ?? 1); time++) {
        try {
          // Whoever makes the file has the turn.
          Deno.openSync(`${this.folder}/turns/${index}-${time}`, { write: true, createNew: true }).close();
          return turn;
        } catch { /* it was played */ }
      }
    }
    return undefined;
  }

  /** A request to the client. */
  ask(method: string, params: unknown): Promise<Json> {
    const id = `fake-${Deno.pid}-${this.#requests++}`;
    const reply = new Promise<Json>((resolve) => this.#pending.set(id, resolve));
    this.#send({ id, method, params });
    return reply;
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  /** An update that belongs to the session's history. */
  update(sessionId: string, update: Json): void {
    this.#remember(sessionId, update);
    this.#sendUpdate(sessionId, update);
  }

  #remember(sessionId: string, update: Json): void {
    const session = this.#session(sessionId);
    if (session !== undefined) this.#keep(sessionId, { ...session, history: [...session.history, update] });
  }

  #sendUpdate(sessionId: string, update: unknown): void {
    this.#send({ method: "session/update", params: { sessionId, update } });
  }

  #send(message: Json): void {
    this.#print(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #print(text: string): void {
    this.printBytes(encode(text));
  }

  printBytes(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
  }
}

function isError(value: unknown): value is FakeError {
  return typeof value === "object" && value !== null && "error" in value;
}

function messageChunk(sessionUpdate: string, text: string): Json {
  return { sessionUpdate, content: { type: "text", text } };
}

const OPTIONS = [
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

interface TurnPlayerOptions {
  readonly agent: FakeAgent;
  readonly sessionId: string;
  readonly cwd: string;
  readonly prompt: string;
  readonly turn: { readonly cancel: AbortController };
  reply(message: Json): void;
}

/** How steps end: to the end, with no reply to come, or because the turn was cancelled. */
type Played = "done" | "never" | "cancelled";

class TurnPlayer {
  readonly #later: FakeStep[] = [];
  #calls = 0;

  constructor(readonly options: TurnPlayerOptions) {}

  async all(steps: readonly FakeStep[]): Promise<Played> {
    for (const step of steps) {
      if (this.options.turn.cancel.signal.aborted) return "cancelled";
      const played = await this.#play(step);
      if (played !== "done") return played;
    }
    return "done";
  }

  /** What was put off until the turn has ended. */
  async later(): Promise<void> {
    for (const step of this.#later) await this.#play(step);
  }

  async #play(step: FakeStep): Promise<Played> {
    const { agent, sessionId, cwd, prompt, reply } = this.options;
    const update = (fields: Json) => agent.update(sessionId, fields);
    if ("say" in step) update(messageChunk("agent_message_chunk", step.say));
    else if ("think" in step) update(messageChunk("agent_thought_chunk", step.think));
    else if ("plan" in step) {
      const entries = step.plan.map(({ content, status = "pending" }) => ({ content, status, priority: "medium" }));
      update({ sessionUpdate: "plan", entries });
    } else if ("call" in step) {
      const { call, status = "in_progress", fields } = step;
      const isChange = fields?.["title"] === undefined;
      update({ sessionUpdate: isChange ? "tool_call_update" : "tool_call", toolCallId: call, status, ...fields });
    } else if ("permission" in step) return await this.#askPermission(step);
    else if ("elicit" in step) {
      const { elicit, schema = { type: "object", properties: { answer: { type: "string" } } }, fields } = step;
      const params = { sessionId, mode: "form", message: elicit, requestedSchema: schema, ...fields };
      const answer = await agent.ask("elicitation/create", params);
      update(messageChunk("agent_message_chunk", JSON.stringify(answer["result"] ?? answer["error"])));
    } else if ("request" in step) {
      const answer = await agent.ask(step.request, step.params ?? { sessionId });
      update(messageChunk("agent_message_chunk", JSON.stringify(answer["result"] ?? answer["error"])));
    } else if ("notify" in step) agent.notify(step.notify, step.params ?? {});
    else if ("update" in step) {
      agent.notify("session/update", { sessionId: step.sessionId ?? sessionId, update: step.update });
    } else if ("usage" in step) update({ sessionUpdate: "usage_update", ...step.usage });
    else if ("write" in step) await write(absolute(step.write, cwd), step.text);
    else if ("respond" in step) {
      const target = findResponseTarget(prompt);
      if (target === undefined) throw new Error("Cannot respond: the prompt names no response file");
      await write(target.partialPath ?? target.path, step.respond);
      if (target.partialPath !== undefined) await Deno.rename(target.partialPath, target.path);
    } else if ("run" in step) {
      const [program, ...args] = step.run;
      const { stdout, stderr } = await new Deno.Command(program, { args, cwd, stdin: "null" }).output();
      update(messageChunk("agent_message_chunk", new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)));
    } else if ("await" in step) {
      while (!this.options.turn.cancel.signal.aborted && !await isThere(absolute(step.await, cwd))) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    } else if ("later" in step) this.#later.push(...step.later);
    else if ("line" in step) agent.printBytes(encode(`${step.line}\n`));
    else if ("bytes" in step) agent.printBytes(Uint8Array.from(atob(step.bytes), (byte) => byte.charCodeAt(0)));
    else if ("longLine" in step) this.#printLongLine(step.longLine);
    else if ("stderr" in step) Deno.stderr.writeSync(encode(`${step.stderr}\n`));
    else if ("end" in step) reply({ result: { stopReason: step.end, ...step.fields } });
    else if ("acknowledge" in step) reply({ result: step.acknowledge === "" ? {} : { messageId: step.acknowledge } });
    else if ("fail" in step) reply({ error: step.fail });
    else if ("never" in step) return "never";
    else if ("exit" in step) Deno.exit(step.exit);
    else if ("kill" in step) {
      Deno.kill(Deno.pid, step.kill);
      return "never";
    }
    return "done";
  }

  async #askPermission(step: Extract<FakeStep, { permission: string }>): Promise<Played> {
    const { agent, sessionId } = this.options;
    const { permission: title, command, path, fields, options = OPTIONS, allowed = [], rejected = [], waits } = step;
    const toolCallId = `call-${this.#calls++}`;
    const toolCall = {
      toolCallId,
      title,
      kind: path === undefined ? "execute" : "edit",
      status: "pending",
      ...(command === undefined ? {} : { rawInput: { command } }),
      ...(path === undefined ? {} : { locations: [{ path }] }),
      ...fields,
    };
    agent.update(sessionId, { sessionUpdate: "tool_call", ...toolCall });
    const asking = agent.ask("session/request_permission", { sessionId, toolCall, options });
    if (waits === false) return "done";
    const { result } = await asking as { result?: { outcome: { outcome: string; optionId?: string } } };
    const chosen = options.find(({ optionId }) => optionId === result?.outcome.optionId);
    const isAllowed = String(chosen?.["kind"]).startsWith("allow");
    const status = isAllowed ? "completed" : "failed";
    if (isAllowed) agent.update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    if (result?.outcome.outcome === "cancelled") return "cancelled";
    const played = await this.all(isAllowed ? allowed : rejected);
    agent.update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status });
    return played;
  }

  #printLongLine(bytes: number): void {
    const { agent, sessionId } = this.options;
    const chunk = encode("x".repeat(64 * 1024));
    const update = messageChunk("agent_message_chunk", "");
    const head = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
    const [before = "", after = ""] = head.split('"text":""').map((part, index) =>
      index ? `"${part}` : `${part}"text":"`
    );
    agent.printBytes(encode(before));
    for (let left = bytes - before.length - after.length; left > 0; left -= chunk.length) {
      agent.printBytes(chunk.subarray(0, Math.min(left, chunk.length)));
    }
    agent.printBytes(encode(`${after}\n`));
  }
}

function absolute(path: string, cwd: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

if (import.meta.main) await main();
