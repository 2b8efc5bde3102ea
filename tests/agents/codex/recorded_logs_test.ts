import type { AgentEvent } from "../../../lib/agents/agent.ts";
import { assert, assertEquals, assertGreater } from "@std/assert";
import { AskLedger } from "../../../lib/agents/process/ask_ledger.ts";
import { findAsks } from "../../../lib/shell/asks/find_asks.ts";
import { createCodexReader } from "../../../lib/agents/codex/reader.ts";
import { LineSplitter } from "../../../lib/base/follow/line_splitter.ts";
import { LineTail } from "../../../lib/base/follow/line_tail.ts";
import { tempDir } from "../../support/temp_dir.ts";

const FOLDER = new URL("../../../fixtures/session_logs/codex/", import.meta.url).pathname;

/** The asks in each recording, as a person counts them in it. */
const ASKS: Readonly<Record<string, readonly string[]>> = {
  "exec-basic.jsonl": ["Which database?"],
  "exec-codemode.jsonl": ["Which database?"],
  "exec-localshell.jsonl": ["Which database?"],
  // Records of several sessions, one of each kind.
  "rollout_examples.jsonl": ["Which database?", "Which database?"],
  "tui-session-1.jsonl": ["Which database?", "code mode?"],
};

const COMMANDS = [["panewright", "ask"], ["cat-herder", "ask"]] as const;

const recordings = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).filter((name) => name.endsWith(".jsonl"));

interface Reading {
  readonly questions: readonly string[];
  readonly observations: readonly AgentEvent[];
}

function read(lines: Iterable<string>): Reading {
  const reader = createCodexReader({});
  const ledger = new AskLedger(["panewright", "cat-herder"]);
  const observations: AgentEvent[] = [];
  for (const line of lines) {
    for (const observation of reader.readLog(line)) {
      observations.push(observation);
      if (observation.type === "called") {
        const asks = observation.commands.flatMap(({ command }) => findAsks(command, COMMANDS));
        ledger.called({
          source: observation.source,
          id: observation.id,
          asks,
          command: JSON.stringify(observation.commands),
        });
      } else if (observation.type === "ended") ledger.ended(observation);
    }
  }
  ledger.settle({ atEnd: true });
  return { questions: ledger.questions, observations };
}

function linesOf(pieces: Iterable<Uint8Array>): string[] {
  const splitter = new LineSplitter();
  const lines: string[] = [];
  for (const piece of pieces) lines.push(...splitter.push(piece));
  const rest = splitter.unfinished();
  return rest === "" ? lines : [...lines, rest];
}

assertGreater(recordings.length, 5);

for (const name of recordings) {
  const bytes = Deno.readFileSync(`${FOLDER}${name}`);
  const whole = read(linesOf([bytes]));

  Deno.test(`each ask of the recording ${name} is found exactly once`, () => {
    assertEquals(whole.questions, ASKS[name] ?? []);
  });

  Deno.test(`the recording ${name} in single bytes loses nothing`, () => {
    assertEquals(read(linesOf(bytes.values().map((byte) => new Uint8Array([byte])))), whole);
  });

  Deno.test(`the recording ${name} cut within every record loses nothing`, () => {
    for (const line of linesOf([bytes])) {
      const record = new TextEncoder().encode(`${line}\n`);
      // Every byte near the ends and of characters of several bytes, and some between.
      const isClose = (cut: number) => cut < 300 || cut > record.length - 300 || record[cut]! >= 0x80;
      for (let cut = 0; cut <= record.length; cut++) {
        if (!isClose(cut) && cut % 97 !== 0) continue;
        const splitter = new LineSplitter();
        const lines = [...splitter.push(record.subarray(0, cut)), ...splitter.push(record.subarray(cut))];
        assert(lines.length === 1 && lines[0] === line && splitter.unfinished() === "", `cut at ${cut} of ${line}`);
      }
    }
  });

  Deno.test(`the recording ${name} cut short anywhere gives the asks up to there, and none twice`, () => {
    const lines = linesOf([bytes]);
    let previous = 0;
    for (let count = 0; count <= lines.length; count++) {
      const { questions } = read(lines.slice(0, count));
      assertEquals(questions, whole.questions.slice(0, questions.length));
      assert(questions.length >= previous);
      previous = questions.length;
    }
  });
}

Deno.test("the recording with an ask, cut in the file at every byte of the ask, is tailed without loss", async () => {
  await using dir = await tempDir();
  const lines = linesOf([Deno.readFileSync(`${FOLDER}exec-basic.jsonl`)]);
  const at = lines.findIndex((line) => line.includes('function_call"'));
  const before = new TextEncoder().encode(lines.slice(at - 1, at).map((line) => `${line}\n`).join(""));
  const ask = new TextEncoder().encode(`${lines[at]}\n`);
  const after = new TextEncoder().encode(lines.slice(at + 1).map((line) => `${line}\n`).join(""));
  const path = `${dir.path}/rollout.jsonl`;
  for (let cut = 0; cut <= ask.length; cut++) {
    using tail = new LineTail(path);
    const seen: string[] = [];
    await Deno.writeFile(path, new Uint8Array([...before, ...ask.subarray(0, cut)]));
    seen.push(...(await tail.read()).lines);
    await Deno.writeFile(path, new Uint8Array([...ask.subarray(cut), ...after]), { append: true });
    seen.push(...(await tail.read()).lines);
    assertEquals(read(seen).questions, ["Which database?"]);
    await Deno.remove(path);
  }
});
