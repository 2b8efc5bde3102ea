import { UsageError } from "../../base/errors.ts";
import { type CorpusEntry, readCorpus } from "../../lab/recordings/corpus.ts";
import type { Recording } from "../../lab/recordings/recording.ts";
import { findRulePack } from "../../agents/classify_screen.ts";
import { OFFERED_SCREEN_IDS } from "../../agents/mod.ts";
import { classify, type Evidence, judgeRules, parseScreen, type RulePack } from "../../screen/mod.ts";
import { JOBS } from "../../jobs/mod.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import { isJournalOf, readFacts } from "../../journal/read_facts.ts";
import { type CliIo, defineCommand, type GlobalFlags } from "../console/command.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { findNamedRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { explainStatuses, statusLine } from "../../api/show/explain_statuses.ts";
import { type Explanation, renderExplanation } from "../show/explain_picture.ts";
import { CONFIG_RULES_FLAG, type FindRulePack, loadRulePacks } from "../rule_packs.ts";
import { outputLine } from "../../api/output/line.ts";
import type { OutputFields } from "../../api/output/outputs.ts";
import { present } from "../../base/schema.ts";

export interface ExplainOptions {
  /** The rules to use; without it, those of the provider that each sidecar names. */
  readonly provider?: string;
  readonly all?: boolean;
  readonly findPack?: FindRulePack;
}

function packOf(file: string, recording: Recording, options: ExplainOptions): RulePack {
  const id = options.provider ?? recording.provider;
  if (id !== undefined) return (options.findPack ?? findRulePack)(id);
  throw new UsageError(`Cannot explain ${file}: it is not known whose screen it is`, {
    hint: `Name the provider: --provider ${OFFERED_SCREEN_IDS.join("|")}.`,
  });
}

export function explainCaptures(captures: readonly CorpusEntry[], options: ExplainOptions): readonly Explanation[] {
  return captures.map(({ file, recording }) => {
    const pack = packOf(file, recording, options);
    const screen = parseScreen(recording.ansi, recording);
    const { status, rule, origin, evidence, beaten, dialog } = classify(screen, pack);
    const firstRow = recording.ansi.split("\n").length - screen.rows.length;
    const counted = <Found extends Proved>(found: Found): Found => ({ ...found, evidence: countFrom(firstRow, found) });
    return {
      file,
      provider: pack.provider,
      status,
      rule,
      ...present({ origin }),
      evidence: countFrom(firstRow, { evidence }),
      beaten: beaten.map(counted),
      ...(dialog ? { dialog } : {}),
      ...(options.all ? { rules: judgeRules(screen, pack).map(counted) } : {}),
      ...present({ pack: pack.source }),
      screen,
      firstRow,
    };
  });
}

interface Proved {
  readonly evidence: readonly Evidence[];
}

/** The screen has the last rows of a long capture; whoever looks a row up has the whole. */
function countFrom(firstRow: number, { evidence }: Proved): readonly Evidence[] {
  return evidence.map(({ row, text }) => ({ row: row < 0 ? row : firstRow + row, text }));
}

function toJson(
  { file, provider, status, rule, origin, evidence, beaten, dialog, rules, pack }: Explanation,
): OutputFields["explanation"] {
  return {
    file,
    provider,
    status,
    rule,
    ...present({ origin }),
    evidence,
    beaten,
    ...(dialog ? { dialog } : {}),
    ...(pack ? { pack } : {}),
    ...(rules
      ? {
        rules: rules.map((each) => ({
          rule: each.rule.id,
          ...present({ origin: each.rule.origin }),
          status: each.rule.status,
          priority: each.rule.priority,
          verdict: each.verdict,
          evidence: each.evidence,
        })),
      }
      : {}),
  };
}

async function* readCaptures(paths: readonly string[], io: CliIo): AsyncGenerator<CorpusEntry> {
  for (const path of paths) {
    if (path === "-") {
      yield { file: "-", recording: { name: "-", ansi: new TextDecoder().decode(await io.readStdin()) } };
      continue;
    }
    let isEmpty = true;
    for await (const capture of readCorpus(path, { captures: true, signal: io.signal })) {
      isEmpty = false;
      yield capture;
    }
    if (isEmpty) {
      throw new UsageError(`Cannot explain ${path}: no capture is in it`, {
        hint: "A folder's captures end with .ansi or .txt, packs of them with .ndjson.gz.",
      });
    }
  }
}

async function explainRun(
  name: string,
  { role, wd, global, io }: {
    readonly role: Role | undefined;
    readonly wd: string | undefined;
    readonly global: Pick<GlobalFlags, "json">;
    readonly io: CliIo;
  },
  captures: readonly string[],
): Promise<number> {
  if (captures.length > 0) throw new UsageError("Cannot explain captures and a run at the same time");
  const folder = await findNamedRun(io, name, wd);
  const journal = await readFacts(folder.journalPath, JOBS);
  if (!isJournalOf(journal, REVIEW_LOOP)) {
    throw new UsageError(`Cannot explain run ${folder.id}: only the agents of a review loop have a status`, {
      hint: `What happened in it: ${runCommandLine(["logs", folder.id, "--verbose"], wd)}`,
    });
  }
  for (const explanation of explainStatuses(journal.facts, { run: folder.id, role })) {
    io.stdout(global.json ? outputLine("status_explanation", explanation) : `${statusLine(explanation)}\n`);
  }
  return 0;
}

export const command = defineCommand({
  description:
    "Explains why an agent was taken to be working, waiting or done.\n\nWithout --run: shows for each capture of " +
    "a screen which status it has, which rule decided, on which rows, and which rules it beat.\n\nA FILE is a " +
    'capture, plain or with ANSI sequences ("tmux capture-pane -p -e"), a pack of them (*.ndjson.gz), or a ' +
    "folder. Further facts, such as the pane's title and the cursor, are read from NAME.json beside NAME.ansi or " +
    'NAME.txt; its "expect" is never used. Without FILE, or with "-", the capture is read from standard ' +
    "input.\n\nWith --run: shows for a review loop each change of its agents' status and the evidence that " +
    "decided it: a rule of the screen, or for an agent over the Agent Client Protocol its process, its own word " +
    "or its response.",
  arguments: [{ name: "FILE", description: 'captures, packs or folders; "-" is standard input', rest: true }],
  flags: [
    {
      name: "provider",
      short: "p",
      type: "string",
      placeholder: "NAME",
      description: "whose screens they are, if no sidecar says so",
    },
    { name: "all", type: "switch", description: "every rule with its result" },
    {
      name: "run",
      type: "string",
      placeholder: "RUN",
      description: `explain the status of a run's agents; ${RUN_ARGUMENT.description}`,
    },
    { name: "role", type: "choice", choices: ROLES, placeholder: "ROLE", description: "with --run: only this role" },
    WORKDIR_FLAG,
    CONFIG_RULES_FLAG,
  ],
  examples: [
    { command: "explain --provider codex screen.ansi", description: "the screen with the deciding rows marked" },
    { command: "explain --provider codex --json -", description: "one JSON object for what comes on standard input" },
    { command: "explain --run @1 --role tester", description: "what decided about the tester of the newest run" },
  ],
  async run({ flags, positionals, global }, io) {
    const { run, role, wd } = flags;
    if (run !== undefined) return await explainRun(run, { role, wd, global, io }, positionals);
    if (role !== undefined) throw new UsageError("Cannot use --role without --run: a capture is of one agent");
    if (positionals.length === 0 && io.isTerminal.stdin) {
      throw new UsageError("Cannot explain: no capture was given", {
        hint: "Name a file, or pipe a capture in: tmux capture-pane -p -e | panewright explain --provider codex",
      });
    }
    if (positionals.indexOf("-") !== positionals.lastIndexOf("-")) {
      throw new UsageError('Cannot read standard input twice: "-" was given more than once');
    }
    const provider = flags.provider;
    const findPack = await loadRulePacks(flags.config, io);
    if (provider !== undefined) findPack(provider);
    for await (const capture of readCaptures(positionals.length === 0 ? ["-"] : positionals, io)) {
      io.signal.throwIfAborted();
      const options = { findPack, all: flags.all === true, ...present({ provider }) };
      for (const explanation of explainCaptures([capture], options)) {
        if (global.json) io.stdout(outputLine("explanation", toJson(explanation)));
        else io.stdout(`${renderExplanation(explanation, { width: io.columns() })}\n`);
      }
    }
    return 0;
  },
});
