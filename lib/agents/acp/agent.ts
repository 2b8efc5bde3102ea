import { type AcpConnection, AcpEndedError, AcpStartError, openAcpConnection } from "./protocol/connection.ts";
import { otherVersionText } from "./protocol/agent_words.ts";
import { ACP_VERSION } from "./protocol/protocol.ts";
import { HumanInterventionRequiredError, PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import type { AcpAgentProvider } from "../provider.ts";
import { SETUP_FILES } from "../setup_files.ts";
import { AcpAgent } from "./acp_agent.ts";
import type { AcpAgentOptions } from "./contract.ts";
import { type AcpListener, Opening } from "./opening.ts";
import { openSession } from "./session.ts";
import { present } from "../../base/schema.ts";

const ERROR_LINES = 5;

export async function startAcpAgent(options: AcpAgentOptions): Promise<AcpAgent> {
  const { clock, launch, mark, onForcedExit, onLine, provider, resume, signal, connect = openAcpConnection } = options;
  const { acp, cli, label } = provider;
  const plan = acp.launch(launch);
  const env = { ...plan.env, ...options.variables };
  const opening = new Opening();
  let listener: AcpListener = opening;
  const launchedAtMs = Date.now();
  const connection = await connect({
    ...{ label, mark, clock, signal, plan: { ...plan, env }, startLimitMs: acp.startSeconds * 1000 },
    handlers: {
      update: (notification) => listener.update(notification),
      unread: (update) => listener.unread(update),
      permission: (request, gone) => listener.permission(request, gone),
      elicitation: (question, gone) => listener.elicitation(question, gone),
      extension: (_method, params) => listener.extension(params),
      trouble: ({ text }) => listener.trouble(`The agent ${text}`),
      ...(onLine === undefined ? {} : { wire: (way, line) => onLine(line, way === "sent" ? "us" : "agent") }),
    },
    ...(cli === undefined ? {} : { installHint: cli.installHint }),
    ...present({ onForcedExit }),
  }).catch((error) => {
    throw startError(error);
  });
  try {
    requireVersion(connection, provider);
    const variable = (name: string) => Object.hasOwn(env, name) ? env[name] : Deno.env.get(name);
    const authMethod = acp.authMethod({ env: variable, ...SETUP_FILES });
    const { model, workdir } = launch;
    const request = { provider, workdir, model, resume, authMethod, clock };
    const opened = await withinLimit(
      (signal) => openSession(connection, { ...request, signal }, opening),
      { clock, signal, seconds: acp.startSeconds, label },
    );
    const agent = new AcpAgent({ options, connection, opened, launchedAtMs });
    opening.handOver(agent);
    listener = agent;
    return agent;
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw signal.aborted ? error : startError(error, connection.stderrTail());
  }
}

async function withinLimit<Result>(
  act: (signal: AbortSignal) => Promise<Result>,
  { clock, signal, seconds, label }: Pick<AcpAgentOptions, "clock" | "signal"> & {
    readonly seconds: number;
    readonly label: string;
  },
): Promise<Result> {
  const done = new AbortController();
  const limit = new AbortController();
  clock.sleep(seconds * 1000, done.signal).then(
    () => limit.abort(new RuntimeError(`Cannot open a session with ${label}: it has not done so within ${seconds} s`)),
    () => {},
  );
  try {
    return await act(AbortSignal.any([signal, limit.signal]));
  } finally {
    done.abort();
  }
}

function requireVersion({ initialized: { protocolVersion } }: AcpConnection, { cli, label }: AcpAgentProvider): void {
  if (protocolVersion === ACP_VERSION) return;
  throw new UsageError(
    `Cannot talk to ${label}: ${otherVersionText([protocolVersion])}`,
    cli === undefined ? {} : { hint: `Install a version that does. ${cli.installHint}` },
  );
}

function startError(error: unknown, lastLines: readonly string[] = []): unknown {
  if (error instanceof AcpStartError) {
    const more = { cause: error, ...present({ hint: error.hint }) };
    const isForGood = error.problem === "no_program" || error.problem === "refused";
    return isForGood ? new UsageError(error.message, more) : new RuntimeError(error.message, more);
  }
  if (!(error instanceof PanewrightError)) return error;
  const message = [error.message, ...lastLines.slice(-ERROR_LINES).map((line) => `  ${line}`)].join("\n");
  const more = { cause: error, ...present({ hint: error.hint }) };
  if (error instanceof HumanInterventionRequiredError) return new HumanInterventionRequiredError(message, more);
  if (error instanceof UsageError) return new UsageError(message, more);
  const isEnd = error instanceof AcpEndedError && error.end.kind !== "broken";
  return isEnd || error instanceof RuntimeError ? new RuntimeError(message, more) : error;
}
