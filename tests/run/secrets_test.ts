import { assertEquals, assertRejects } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import type { Execution } from "../../lib/run/execution.ts";
import { startRun } from "../../lib/run/conduct.ts";
import { tempDir } from "../support/temp_dir.ts";
import { TOY_JOB } from "./toy_job.ts";

const SECRET = "correct-horse-battery";
type ToyFact = { readonly type: string };

Deno.test("a secret gets neither into the journal, nor to who follows the run, nor into a notification; screens stay here", async () => {
  await using dir = await tempDir();
  const sent: string[] = [];
  const told: unknown[] = [];
  const folded: unknown[] = [];
  const execution: Execution<ToyFact, number> = {
    job: { ...TOY_JOB, fold: (count, fact) => (folded.push(fact), count + 1) },
    plan: {
      workdir: dir.path,
      notifications: { ntfy: { url: "http://127.0.0.1:1", topic: "t" }, delaySeconds: 0 },
      caps: {},
    },
    agents: () => [],
    workerCaps: () => ({}),
    subfolders: [],
    resume: () => ({ type: "run_resumed" }),
    play(run) {
      run.record({ type: "dialog_waiting", subject: `deploy ${SECRET}` } as ToyFact);
      run.notify({ kind: "needed", title: `\x1b[1m${SECRET}`, text: `deploy \x1b[31m${SECRET}\x1b[0m?`, priority: 5 });
      throw new RuntimeError(`Cannot start codex with ${SECRET}: it ended\n$ env\nDATABASE=postgres\nKEY=${SECRET}`);
    },
    warning: (message) => ({ type: "warning", message } as ToyFact),
    isOver: () => false,
    recovered: () => [],
    finish: ({ reason, outcome }) => ({ type: "run_finished", reason, outcome } as ToyFact),
  };
  const http = {
    post(_url: string, { headers, body }: { headers: Record<string, string>; body: string }) {
      sent.push(`${headers["title"]}: ${body}`);
      return Promise.resolve();
    },
  };
  const opening = { type: "run_started", job: "run" } as ToyFact;
  const options = { secrets: [SECRET], http: http as never, onEvent: (fact: ToyFact) => void told.push(fact) };
  await assertRejects(() => startRun(execution, () => opening, options), RuntimeError, SECRET);
  const runs = await Array.fromAsync(Deno.readDir(`${dir.path}/.panewright/runs`), ({ name }) => name);
  const journal = await Deno.readTextFile(`${dir.path}/.panewright/runs/${runs[0]}/journal.ndjson`);
  for (const text of [journal, JSON.stringify(told), ...sent]) {
    assertEquals([text.includes("correct-horse"), text.includes("\x1b")], [false, false], text);
  }
  assertEquals(sent.length, 2);
  assertEquals(sent.some((text) => text.includes("postgres")), false);
  // The run itself goes by the exact words.
  assertEquals(JSON.stringify(folded).includes(`deploy ${SECRET}`), true);
});
