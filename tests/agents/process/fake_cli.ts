/**
 * Plays an agent CLI by a plan, a JSON file that is named by its first argument: `codex exec` as far as its session log
 * and its report go, or `claude -p` with a report alone.
 */

/** What the fake does, in order. */
export type FakeStep =
  /**
   * Adds a record to the session log; the folder is made, and the file begun with `session_meta`, with the first one.
   */
  | { readonly do: "log"; readonly record: Readonly<Record<string, unknown>> }
  /** Adds bytes to the session log as they are: text that ends anywhere. */
  | { readonly do: "logBytes"; readonly bytes: readonly number[] }
  /** Prints a line of the report. */
  | { readonly do: "print"; readonly line: Readonly<Record<string, unknown>> }
  /** Prints text without a line end. */
  | { readonly do: "printText"; readonly text: string }
  | { readonly do: "wait"; readonly ms: number }
  /** Waits until a file is there. */
  | { readonly do: "waitFor"; readonly path: string }
  /** Runs a program, in a session of its own as Codex does, and does not wait for it. */
  | { readonly do: "spawn"; readonly argv: readonly [string, ...string[]] }
  /** Runs a program as the agent's shell would, and waits for it. */
  | { readonly do: "run"; readonly argv: readonly [string, ...string[]] }
  /** Takes no notice of these signals from now on. */
  | { readonly do: "ignore"; readonly signals: readonly ("SIGINT" | "SIGTERM")[] }
  /** Writes all of standard input to a file. */
  | { readonly do: "saveInput"; readonly path: string }
  /** Writes its arguments to a file, one a line. */
  | { readonly do: "saveArguments"; readonly path: string }
  | { readonly do: "hang" }
  | { readonly do: "exit"; readonly code: number };

/** A plan of the fake. */
export interface FakePlan {
  readonly threadId: string;
  /** What `session_meta` says instead of the folder that it runs in. */
  readonly cwd?: string;
  /** @default {true} whether the first record of the log is written before anything else */
  readonly beginsWithMeta?: boolean;
  readonly steps: readonly FakeStep[];
}

if (import.meta.main) await play(JSON.parse(await Deno.readTextFile(Deno.args[0]!)));

async function play(plan: FakePlan): Promise<void> {
  const folder = `${Deno.env.get("CODEX_HOME")}/sessions/2026/11/20`;
  const path = `${folder}/rollout-2026-11-20T08-00-00-${plan.threadId}.jsonl`;
  const write = (bytes: Uint8Array) => {
    Deno.mkdirSync(folder, { recursive: true });
    Deno.writeFileSync(path, bytes, { append: true });
  };
  const log = (record: object) =>
    write(new TextEncoder().encode(`${JSON.stringify({ timestamp: new Date().toISOString(), ...record })}\n`));
  const meta = () =>
    log({
      type: "session_meta",
      payload: {
        id: plan.threadId,
        cwd: plan.cwd ?? Deno.cwd(),
        timestamp: new Date().toISOString(),
        source: "exec",
      },
    });
  let begun = plan.beginsWithMeta === false;
  const begin = () => {
    if (!begun) meta();
    begun = true;
  };
  for (const step of plan.steps) {
    switch (step.do) {
      case "log":
        begin();
        log(step.record);
        break;
      case "logBytes":
        begin();
        write(new Uint8Array(step.bytes));
        break;
      case "print":
        Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(step.line)}\n`));
        break;
      case "printText":
        Deno.stdout.writeSync(new TextEncoder().encode(step.text));
        break;
      case "wait":
        await new Promise((resolve) => setTimeout(resolve, step.ms));
        break;
      case "waitFor":
        while (!isThere(step.path)) await new Promise((resolve) => setTimeout(resolve, 20));
        break;
      case "spawn":
      case "run": {
        const [program, ...args] = step.argv;
        const child = new Deno.Command(program, { args, detached: true, stdin: "null", stdout: "null", stderr: "null" })
          .spawn();
        if (step.do === "run") await child.status;
        break;
      }
      case "ignore":
        for (const signal of step.signals) Deno.addSignalListener(signal, () => {});
        break;
      case "saveInput":
        await Deno.writeFile(step.path, await new Response(Deno.stdin.readable).bytes());
        break;
      case "saveArguments":
        await Deno.writeTextFile(step.path, Deno.args.slice(1).join("\n"));
        break;
      case "hang":
        await new Promise((resolve) => setTimeout(resolve, 600_000));
        break;
      case "exit":
        Deno.exit(step.code);
    }
  }
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
