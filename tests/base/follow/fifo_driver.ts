import { watchResponses } from "../../../lib/turn/response_watch.ts";
import { ensureResponseDir, responsePathFor } from "../../../lib/turn/response_files.ts";
import { followAsks, recordAsk } from "../../../lib/agents/process/ask_channel.ts";
import { openSpool, spoolAt } from "../../../lib/agents/spool.ts";

// Watches a folder in which an agent makes FIFOs, from beginning to end. A program of its own, as it may freeze.

const [what = "", folder = ""] = Deno.args;

async function mkfifo(...paths: readonly string[]): Promise<void> {
  await new Deno.Command("mkfifo", { args: [...paths] }).output();
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
}

const CASES: Readonly<Record<string, () => Promise<unknown>>> = {
  async responses() {
    await ensureResponseDir(folder);
    await using responses = watchResponses(folder);
    const path = responsePathFor(folder, "tester");
    await mkfifo(path, `${path}.partial`);
    await using _another = watchResponses(folder);
    const told = Promise.withResolvers<void>();
    using _listening = responses.onHint(() => told.resolve());
    await Deno.rename(path, `${path}.old`);
    await told.promise;
  },
  async spool() {
    await using spool = await openSpool(spoolAt(`${folder}/spool`));
    await mkfifo(`${folder}/spool/tester.1`);
    const told = Promise.withResolvers<void>();
    using _listening = spool.onArrival("tester", told.resolve);
    await Deno.writeTextFile(`${folder}/spool/.new`, "one");
    await Deno.rename(`${folder}/spool/.new`, `${folder}/spool/tester.2`);
    await told.promise;
    if (spool.take("tester").map(({ text }) => text).join() !== "one") throw new Error("another message");
  },
  async asks() {
    const end = new AbortController();
    await Deno.mkdir(`${folder}/asks`);
    await mkfifo(`${folder}/asks/before.json`);
    setTimeout(async () => {
      await mkfifo(`${folder}/asks/fifo.json`);
      await recordAsk(`${folder}/asks`, { question: "Which one?", attempt: "a", askedAt: "2026-11-22T04:00:00Z" });
    }, 50);
    for await (const _question of followAsks(`${folder}/asks`, { attempt: "a", signal: end.signal })) end.abort();
  },
};

await CASES[what]!();
Deno.stdout.writeSync(new TextEncoder().encode("done\n"));
