import { assertEquals } from "@std/assert";
import { defaultsOf } from "../../lib/base/settings.ts";
import { type ExecOptions, type ExecReport, executeExec, resumeExec } from "../../lib/jobs/pipeline/execute.ts";
import type { ExecPlan, StepPlan } from "../../lib/jobs/pipeline/plan.ts";
import { EXEC_SETTINGS } from "../../lib/jobs/pipeline/settings.ts";
import type { ExecEvent } from "../../lib/journal/exec/facts.ts";
import type { ExecOverrides } from "../../lib/journal/exec/fields.ts";
import { playLanes } from "../../lib/lanes/mod.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { type Act, permitting, says } from "../jobs/pipeline/support.ts";
import { runProgram } from "../support/program.ts";
import { present } from "../../lib/base/schema.ts";
import { useStateHome } from "../support/state_home.ts";
import { tempDir } from "../support/temp_dir.ts";

/** Git, or whatever else a person types, in a folder. */
export async function shell(folder: string, script: string): Promise<string> {
  const env = { HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" };
  const { code, stderr, stdout } = await runProgram(["sh", "-c", script], { cwd: folder, env, timeoutMs: 20_000 });
  assertEquals(code, 0, `${script}: ${stderr}`);
  return stdout;
}

/** What the agent of a task does: the task's first word is its name. `merge` is that of a merge, `judge` that of a judge. */
export type Acts = Readonly<Record<string, Act>>;

export interface LanesRun {
  readonly steps: readonly StepPlan[];
  readonly acts: Acts;
  readonly overrides?: ExecOverrides;
  readonly caps?: ExecPlan["caps"];
  readonly workspace?: ExecPlan["workspace"];
  readonly signal?: AbortSignal;
  readonly isPatient?: boolean;
  readonly raise?: ExecOptions["raise"] & object;
  readonly onFact?: (event: ExecEvent) => void;
}

/** A repository with a folder of tasks, `t`, and agents that are played. */
export async function lanesProject(files: Readonly<Record<string, string>>) {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  const repo = `${dir.path}/repo`;
  await dir.write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`repo/${name}`, text])));
  await shell(
    repo,
    "git init -q -b main && git add -A && git -c user.name=P -c user.email=p@example.com commit -qm first",
  );
  const prompts: string[] = [];

  async function execute(
    { acts, caps = {}, onFact, steps, workspace, ...more }: LanesRun,
    start: (options: ExecOptions) => Promise<ExecReport>,
  ) {
    const events: ExecEvent[] = [];
    const planIn = (workdir: string): ExecPlan => ({
      ...{ workdir, pipelines: { main: steps }, defaultPipeline: undefined, settings: defaultsOf(EXEC_SETTINGS) },
      ...{ ...permitting({}), caps, noProgress: {}, ...present({ workspace }) },
    });
    const { overrides: _, ...rest } = more;
    const options: ExecOptions = {
      ...rest,
      plan: planIn(repo),
      onEvent(event) {
        events.push(event);
        onFact?.(event);
      },
      async runHeadless(request) {
        prompts.push(request.prompt);
        request.onProgress?.({ type: "session", sessionId: crypto.randomUUID() });
        const name = /brings? together|Two pieces/.test(request.prompt)
          ? "merge"
          : request.prompt.includes("Say which one is the best")
          ? "judge"
          : /```text\n(\w+)/.exec(request.prompt)?.[1] ?? "";
        return await (acts[name] ?? says())(request);
      },
    };
    const play = (run: Parameters<typeof playLanes>[0]) =>
      playLanes(run, { options, planIn: (workdir) => Promise.resolve(planIn(workdir)) });
    const report = await start({ ...options, play });
    return { report, events };
  }

  return {
    ...{ dir, repo, prompts },
    run: ({ overrides, ...run }: LanesRun) =>
      execute(run, (options) =>
        executeExec({
          target: { kind: "folder", path: `${repo}/t` },
          overrides: { parallel: 4, ...overrides },
          configFile: null,
        }, options)),
    resume: (id: string, run: LanesRun) => execute(run, (options) => resumeExec(runFolderAt(repo, id), options)),
    /** What the target has, file by file, by its ref in the person's repository. */
    async landed(name = "t") {
      const names = (await shell(repo, `git diff --name-only HEAD refs/panewright/${name}`)).split("\n").filter(
        Boolean,
      );
      return Object.fromEntries(
        await Promise.all(
          names.map(async (file) => [file, await shell(repo, `git show refs/panewright/${name}:${file}`)]),
        ),
      ) as Record<string, string>;
    },
    async [Symbol.asyncDispose]() {
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** The agent writes files of its folder. */
export function writes(files: Readonly<Record<string, string>>, then: Act = says()): Act {
  return async (request) => {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${request.workdir}/${name}`, text);
    return await then(request);
  };
}
