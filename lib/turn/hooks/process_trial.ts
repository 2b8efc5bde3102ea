import { TRIAL_COMMANDS } from "../../agents/hook_trial.ts";
import { ATTEMPT_VARIABLE } from "../../agents/process/ask_channel.ts";
import { startAgent } from "../../agents/start_agent.ts";
import { spoolAt } from "../../agents/spool.ts";
import { type CliStepProvider, isCliStepProvider } from "../../agents/provider.ts";
import type { Request } from "../../policy/request.ts";
import { cleanArgv, hasRun, type TrialGround } from "./ground.ts";

/** Plays a trial as a step, or a role without a pane, is played: with the hooks that judge each call. */
export async function playWithoutPane(ground: TrialGround): Promise<void> {
  const { provider, trial, command, root, project, env, seen, clock, signal } = ground;
  if (!isCliStepProvider(provider)) throw new TypeError(`Cannot try ${provider.id} without a terminal: it needs one`);
  const mark = { name: ATTEMPT_VARIABLE, value: crypto.randomUUID() };
  await using agent = await startAgent("process", {
    ...{ provider: withoutOurVariables(provider), name: "agent", worker: "step", mark, clock, signal } as const,
    launch: { workdir: project, command, env, ...trialArgs(provider) },
    hookUse: { place: spoolAt(`${root}/hooks`), clock, judgesCalls: true, asks: true, isPatient: false },
    onTrouble: () => {},
  });
  const answer = async (request: Request) => {
    const { id, subject, needsPermission = true } = request;
    if (!hasRun(project, subject)) (needsPermission ? seen.permission : seen.heard).add(subject);
    const isLeft = !needsPermission &&
      (subject === TRIAL_COMMANDS.allowed || (subject === TRIAL_COMMANDS.asked && trial.asksWithoutTerminal));
    const isAllowed = needsPermission && subject === TRIAL_COMMANDS.allowed;
    if (isLeft) await agent.answer(id, { type: "leave" });
    else if (isAllowed) await agent.answer(id, { type: "allow" });
    else await agent.answer(id, { type: "reject", reason: "This was a trial of hooks." });
  };
  using _events = agent.listen((events) => {
    for (const event of events) if (event.type === "asked") void answer(event.request).catch(() => {});
  });
  await agent.send("Please try the hooks.", { signal });
  const stopped = Promise.withResolvers<void>();
  const onAbort = () => stopped.resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  await Promise.race([agent.ended, stopped.promise]);
  signal.removeEventListener("abort", onAbort);
  signal.throwIfAborted();
  const said = agent.stderrTail().trim().split("\n").at(-1) ?? "";
  if (!seen.told) throw new Error(`it ended with code ${agent.exitCode()}${said === "" ? "" : `: ${said}`}`);
}

/** What makes it work in a folder that is no repository. */
function trialArgs({ headless }: CliStepProvider): { readonly args?: readonly string[] } {
  const args = headless.argsToWork?.({ isRepository: false, sandbox: true });
  return args === undefined ? {} : { args };
}

function withoutOurVariables(provider: CliStepProvider): CliStepProvider {
  const { headless } = provider;
  return {
    ...provider,
    headless: {
      ...headless,
      async plan(launch, options) {
        const { argv, env } = await headless.plan(launch, options);
        return { argv: cleanArgv({ argv, env, kept: [] }), env };
      },
    },
  };
}
