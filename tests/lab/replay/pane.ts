import { replayLaunchPlan, replayProvider } from "../../../lib/agents/replay/provider.ts";
import type { LaunchPlan, PaneProvider } from "../../../lib/agents/provider.ts";
import { createTmuxClient } from "../../../lib/tmux/plain_client.ts";
import { openSession } from "../../../lib/tmux/open_session.ts";
import type { TmuxSession } from "../../../lib/tmux/session.ts";
import { panewrightFromSource } from "../../support/panewright.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const MAIN = new URL("../../../main.ts", import.meta.url).pathname;

/** The replay provider as a program starts it; in a test, the main module is the test. */
export const sourceReplayProvider: PaneProvider = {
  ...replayProvider,
  terminal: {
    ...replayProvider.terminal,
    launch(request): LaunchPlan {
      const plan = replayLaunchPlan(request);
      const argv = [...plan.argv] as [string, ...string[]];
      argv[argv.indexOf("replay-agent") - 1] = MAIN;
      return { ...plan, argv };
    },
  },
};

/** A session on a tmux server of its own, and a project with a script for the tester. */
export interface Stage extends AsyncDisposable {
  readonly session: TmuxSession;
  readonly workdir: string;
  /** What the provider is launched with. */
  readonly request: { readonly workdir: string; readonly role: string; readonly args: readonly string[] };
}

/** Sets the stage for a tester that plays these turns, 120×40; programs on it get a clean environment. */
export async function setStage(turns: readonly (readonly unknown[])[]): Promise<Stage> {
  const folder = await tempDir();
  try {
    const script = `${folder.path}/script.json`;
    const workdir = `${folder.path}/project`;
    await folder.write({ "script.json": JSON.stringify({ roles: { tester: { turns } } }), "project/README.md": "" });
    const session = await openSession(await createTestClient(folder), { name: "replay", cols: 120, rows: 40 });
    return {
      session,
      workdir,
      request: { workdir, role: "tester", args: ["--script", script] },
      async [Symbol.asyncDispose]() {
        await session.close();
        await folder[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

async function createTestClient(home: TempDir) {
  return createTmuxClient({
    socket: `panewright-test-${crypto.randomUUID().slice(0, 8)}`,
    env: {
      HOME: home.path,
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      ...(await panewrightFromSource()).env,
    },
  });
}
