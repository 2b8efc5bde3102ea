import { UsageError } from "../../base/errors.ts";
import { type CorpusEntry, readCorpus } from "../../lab/recordings/corpus.ts";
import type { Recording } from "../../lab/recordings/recording.ts";
import { findRulePack } from "../../agents/classify_screen.ts";
import { OFFERED_SCREEN_IDS } from "../../agents/mod.ts";
import { classify, type Evidence, judgeRules, parseScreen, type RulePack } from "../../screen/mod.ts";
import { JOBS } from "../../jobs/mod.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import type { Role } from "../../base/roles.ts";
import { isJournalOf, readFacts } from "../../journal/read_facts.ts";
import { type CliIo, defineCommand, type GlobalFlags, switchFlag, textFlag } from "../console/command.ts";
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
  const journal = await readFacts(folder, JOBS);
  if (!isJournalOf(journal, REVIEW_LOOP)) {
    throw new UsageError(`Cannot explain run ${folder.id}: only the agents of a review loop have a status`, {
      hint: `What happened in it: ${runCommandLine(["logs", folder.id, "--verbose"], wd)}`,
    });
  }
  for (const explanation of explainStatuses(journal.facts, { run: folder.id, role, what: "--role" })) {
    io.stdout(global.json ? outputLine("status_explanation", explanation) : `${statusLine(explanation)}\n`);
  }
  return 0;
}

export const command = defineCommand({
  arguments: [{ name: "FILE", description: 'captures, packs or folders; "-" is standard input', rest: true }],
  flags: {
    provider: textFlag("NAME", "whose screens they are, if no sidecar says so", { short: "p" }),
    all: switchFlag("every rule with its result"),
    run: textFlag("RUN", `explain the status of a run's agents; ${RUN_ARGUMENT.description}`),
    role: textFlag("ROLE", "with --run: only this role", { completes: ["roles"] }),
    wd: WORKDIR_FLAG,
    config: CONFIG_RULES_FLAG,
  },
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
