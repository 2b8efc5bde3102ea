import type { AgentFact } from "../../../lib/agents/agent.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { runHeadless } from "../../../lib/agents/process/headless.ts";
import type { AttemptRequest, HeadlessResult } from "../../../lib/agents/process/seam.ts";
import type { Pack } from "../../../lib/agents/packs/pack.ts";
import { packProvider } from "../../../lib/agents/packs/provider.ts";
import type { FakeAgentScript, FakeStep } from "../../lab/acp_fake_agent.ts";
import { denoDirectory } from "../../support/run_panewright.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { ASK_COMMANDS } from "./support.ts";

/** A project in which a fake agent over ACP works on attempts. */
export interface AcpProject extends AsyncDisposable {
  /** The agent's working directory. */
  readonly workdir: string;
  readonly facts: AgentFact[];
  /** Runs an attempt whose only turn has these steps: what it resolves or rejects with. */
  run(steps: readonly FakeStep[], change?: AttemptChange): Promise<HeadlessResult>;
  /** Text of a file of the latest attempt's folder. */
  stepFile(name: string): Promise<string>;
  /** What the agent has got, a message a line, over all attempts. */
  received(): Promise<string>;
}

/** What is different in an attempt. */
export type AttemptChange = Partial<AttemptRequest> & {
  readonly script?: Partial<FakeAgentScript>;
  readonly pack?: Partial<Pack>;
};

const REPOSITORY = new URL("../../../", import.meta.url).pathname;

/** The argv of the fake agent that does what a file says. */
export function fakeAgentCommand(script: string): readonly [string, ...string[]] {
  const options = ["--quiet", "--cached-only", `--config=${REPOSITORY}deno.json`, "--allow-all"];
  return [Deno.execPath(), "run", ...options, `${REPOSITORY}tests/lab/acp_fake_agent.ts`, script];
}

/** What the fake agent is, as a pack. */
export const FAKE_PACK: Pack = {
  label: "Fake",
  ask_mode: { id: "default", asks_before: ["execute", "edit", "delete", "move"] },
  tools: [
    { kind: "execute", as: "command", subject: { from: "input", path: ["command"] } },
    { kind: "edit", as: "file_edit", subject: { from: "locations" } },
  ],
  usage: [{ from: "prompt", of: "turn" }, { from: "cost", of: "session" }],
  resume: ["resume", "load"],
};

/** Sets up a project for attempts of a fake agent. */
export async function acpProject(): Promise<AcpProject> {
  const dir = await tempDir();
  const facts: AgentFact[] = [];
  let attempts = 0;
  const script = `${dir.path}/script.json`;
  const workdir = `${dir.path}/project`;
  await Deno.mkdir(workdir);
  const folderOf = (attempt: number) => `${dir.path}/run/attempt-${attempt}`;
  return {
    workdir,
    facts,
    run(steps, { script: more, pack, ...change } = {}) {
      const folder = folderOf(++attempts);
      const whole: FakeAgentScript = { turns: [{ steps }], ...more };
      Deno.writeTextFileSync(script, JSON.stringify(whole));
      return runHeadless({
        provider: packProvider("fake", { ...FAKE_PACK, ...pack }),
        workdir,
        prompt: "Do it.",
        command: fakeAgentCommand(script),
        env: { DENO_DIR: denoDirectory(), DENO_NO_UPDATE_CHECK: "1" },
        stepFolder: folder,
        ask: {
          commands: ASK_COMMANDS,
          channelFolder: `${folder}/asks`,
          launcherFolder: `${folder}/bin`,
          panewright: [Deno.execPath(), "run", "--quiet", "--allow-all", `${REPOSITORY}main.ts`],
        },
        signal: new AbortController().signal,
        clock: systemClock,
        timeLimitSeconds: 600,
        onProgress: (fact) => facts.push(fact),
        ...change,
      });
    },
    stepFile: (name) => Deno.readTextFile(`${folderOf(attempts)}/${name}`),
    received: () => Deno.readTextFile(`${script}.state/received.ndjson`),
    async [Symbol.asyncDispose]() {
      await dir[Symbol.asyncDispose]();
    },
  };
}
