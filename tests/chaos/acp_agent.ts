/**
 * An agent over the Agent Client Protocol that plays its part in a job that is killed over and over: it works by the
 * heading of the prompt, or a row `TURN name` in it, asks before each command, and logs its start and each prompt that
 * it gets.
 *
 *     deno run --allow-all acp_agent.ts FOLDER
 *
 * The folder has `answers.json`, an {@linkcode Answer} for each turn; `log.ndjson` is written there, and its sessions.
 */
import { findResponseTarget } from "../../lib/lab/replay/response_target.ts";
import { type AgentEvent, type Answer, readLog } from "./agent_log.ts";
import { placeOfPrompt } from "./evidence.ts";

/** What a session remembers. */
interface Memory {
  readonly turnId: string;
  /** All prompts of the turn. */
  readonly said: string;
}

type Message = Readonly<Record<string, unknown>> & { readonly params?: Readonly<Record<string, unknown>> };

const STEP_MS = 25;

const [folder = "."] = Deno.args;
const answers: Readonly<Record<string, Answer>> = JSON.parse(Deno.readTextFileSync(`${folder}/answers.json`));
const waiting = new Map<number, (result: unknown) => void>();
let requests = 0;
let isCancelled = false;

async function serve(): Promise<void> {
  log("start");
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of Deno.stdin.readable) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") take(JSON.parse(line));
  }
  // The client is gone.
  Deno.exit(0);
}

function take(message: Message): void {
  const id = message["id"] as number | undefined;
  if (message["method"] === undefined) {
    if (id !== undefined) waiting.get(id)?.(message["result"]);
    return;
  }
  if (message["method"] === "session/cancel") isCancelled = true;
  if (id === undefined) return;
  answerTo(message).then(
    (result) => send({ id, result }),
    (error: Error) => send({ id, error: { code: -32603, message: error.message } }),
  );
}

async function answerTo({ method, params = {} }: Message): Promise<unknown> {
  const sessionId = String(params["sessionId"] ?? "");
  switch (method) {
    case "initialize":
      return {
        protocolVersion: 1,
        agentInfo: { name: "chaos-agent", version: "1.0.0" },
        agentCapabilities: { loadSession: true },
        authMethods: [],
      };
    case "session/new": {
      const id = crypto.randomUUID();
      remember(id, { turnId: "", said: "" });
      return { sessionId: id, modes: MODES };
    }
    case "session/load":
      recall(sessionId);
      update(sessionId, message("What was said before is said again."));
      return { modes: MODES };
    case "session/set_mode":
      return {};
    case "session/prompt":
      return await playTurn(sessionId, (params["prompt"] as readonly { text?: string }[])[0]?.text ?? "");
    default:
      throw new Error(`unknown method ${method}`);
  }
}

const MODES = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "yolo", name: "Never ask" }] };

async function playTurn(sessionId: string, prompt: string): Promise<unknown> {
  isCancelled = false;
  const named = placeOfPrompt(prompt)?.turnId ?? /^TURN (\S+)$/m.exec(prompt)?.[1];
  // One that names no turn continues the turn before it, as a reminder does.
  const before = recall(sessionId);
  const turnId = named ?? before.turnId;
  log("prompt", turnId);
  const said = turnId === before.turnId ? `${before.said}\n${prompt}` : prompt;
  remember(sessionId, { turnId, said });
  const { commands = [], response, ask, gate } = answers[turnId] ?? { response: "I was not told what to do." };
  const target = findResponseTarget(prompt);
  update(sessionId, message("I will look at the project first."));
  const all = [
    ...(ask === undefined || said.includes(ask.answer) ? [] : [ask.command]),
    ...commands,
    ...(target === undefined ? [] : [writing(target.path, response)]),
  ];
  for (const [index, command] of all.entries()) {
    await pause();
    if (isCancelled) return { stopReason: "cancelled" };
    const call = {
      toolCallId: `${turnId}-${index}-${requests}`,
      title: "Run a command",
      kind: "execute",
      rawInput: { command },
    };
    update(sessionId, { sessionUpdate: "tool_call", status: "pending", ...call });
    const { outcome } = await request("session/request_permission", {
      sessionId,
      toolCall: call,
      options: OPTIONS,
    }) as {
      readonly outcome: { readonly optionId?: string };
    };
    const { toolCallId } = call;
    const told = (status: string) => update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status });
    if (outcome.optionId !== "yes") {
      told("failed");
      continue;
    }
    told("in_progress");
    await new Deno.Command("sh", { args: ["-c", command], stdin: "null", stdout: "null", stderr: "null" }).output();
    told("completed");
  }
  await pause();
  update(sessionId, message(target === undefined ? response : `My response is in ${target.path}.`));
  if (gate !== undefined) await Deno.readTextFile(gate);
  return { stopReason: "end_turn", usage: { totalTokens: 12, inputTokens: 10, outputTokens: 2 } };
}

const OPTIONS = [
  { optionId: "ever", name: "Always", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

function writing(path: string, response: string): string {
  return `mkdir -p '${path.slice(0, path.lastIndexOf("/"))}' && cat > '${path}.partial' <<'END_OF_RESPONSE' && ` +
    `mv -f '${path}.partial' '${path}'\n${response}\nEND_OF_RESPONSE`;
}

function message(text: string) {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

function update(sessionId: string, what: object): void {
  send({ method: "session/update", params: { sessionId, update: what } });
}

function request(method: string, params: object): Promise<unknown> {
  const id = ++requests;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  waiting.set(id, resolve);
  send({ id, method, params });
  return promise;
}

function send(fields: object): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`);
  try {
    for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
  } catch {
    Deno.exit(0);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, STEP_MS));
}

function sessionFile(id: string): string {
  return `${folder}/session-${id.replaceAll(/[^\w-]/g, "")}`;
}

function remember(sessionId: string, memory: Memory): void {
  Deno.writeTextFileSync(sessionFile(sessionId), JSON.stringify(memory));
}

function recall(sessionId: string): Memory {
  return JSON.parse(Deno.readTextFileSync(sessionFile(sessionId)));
}

function log(what: AgentEvent["what"], turnId?: string): void {
  const path = `${folder}/log.ndjson`;
  const rows = readLog(path);
  const known = new Set(rows.flatMap((row) => row.dead));
  const others = new Set(rows.map(({ pid }) => pid).filter((pid) => pid !== Deno.pid && !known.has(pid)));
  const dead = [...others].filter((pid) => !isAlive(pid));
  const event: AgentEvent = { at: new Date().toISOString(), what, pid: Deno.pid, dead, ...(turnId && { turnId }) };
  Deno.writeTextFileSync(path, `${JSON.stringify(event)}\n`, { append: true });
}

function isAlive(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return !/^\d+ \(.*\) [ZX]/s.test(stat);
  } catch {
    return false;
  }
}

await serve();
