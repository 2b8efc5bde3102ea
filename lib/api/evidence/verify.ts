import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { systemProcessRunner } from "../../base/ports/process.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { errorText } from "../../base/text/error_text.ts";
import { present } from "../../base/schema.ts";
import { parseJsonObject } from "../../base/text/json.ts";
import { lastLines } from "../../base/text/lines.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { canonicalJson } from "../../base/text/json.ts";
import { checkJournalChain } from "../../journal/chain.ts";
import { readJournalText } from "../../journal/read_facts.ts";
import { listAllRuns } from "../../run/all_runs.ts";
import { EVIDENCE_OUTPUTS } from "../output/evidence_outputs.ts";
import { filesHere } from "./files_here.ts";
import { NAMESPACE } from "./sign.ts";
import { type Finding, judgedIn, type Statement } from "./statement.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** A statement, and the text that it was read from: what is verified is what is used. */
export interface ReadStatement {
  readonly file: string;
  readonly text: string;
  readonly statement: Statement;
}

/** @throws {UsageError} for a file that is no statement */
export function readStatementFile(path: string): ReadStatement {
  let text = "";
  try {
    text = readRegularText(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    throw new UsageError(`Cannot read the evidence in ${path}: ${errorText(error)}`);
  }
  const { type: _t, v: _v, ...fields } = parseJsonObject(text) ?? {};
  const read = EVIDENCE_OUTPUTS.evidence.safeParse(fields);
  if (read.success) return { file: path, text, statement: read.data as Statement };
  throw new UsageError(`Cannot read the evidence in ${path}: ${z.prettifyError(read.error).split("\n", 1)[0]}`, {
    hint: "panewright evidence RUN --json writes it.",
  });
}

interface Verifying {
  /** Where git is asked: in a clone of the repository. */
  readonly cwd: string;
  /** The allowed signers, as `ssh-keygen` has them. */
  readonly signers?: string | undefined;
  readonly signal: AbortSignal;
}

/** Looks whether a statement holds: its signature, the commit that it is about, and the journal of its run. */
export async function verifyStatement(read: ReadStatement, where: Verifying): Promise<readonly Finding[]> {
  const { statement } = read;
  return [await signatureOf(read, where), await filesHere(statement, where), await journalOf(statement)];
}

async function signatureOf({ file, text }: ReadStatement, { signal, signers }: Verifying): Promise<Finding> {
  const what = "signature";
  if (lstatOrUndefined(`${file}.sig`) === undefined) {
    return signers === undefined
      ? { what, holds: null, detail: "there is none" }
      : { what, holds: false, detail: `there is no ${file}.sig` };
  }
  if (signers === undefined) return { what, holds: null, detail: "whose it is, --signers tells" };
  const about = ["-n", NAMESPACE, "-s", `${file}.sig`, "-f", signers];
  const ask = (...args: readonly string[]) =>
    systemProcessRunner.run({ argv: ["ssh-keygen", "-Y", ...args, ...about], stdin: text, signal });
  try {
    const [who = ""] = (await ask("find-principals")).stdout.split("\n");
    if (who === "") return { what, holds: false, detail: `its key is not one of ${signers}` };
    const { code, stderr, stdout } = await ask("verify", "-I", who);
    return { what, holds: code === 0, detail: code === 0 ? `by ${who}` : lastLines(`${stdout}${stderr}`, 1)[0] ?? "" };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Deno.errors.NotFound) return { what, holds: false, detail: "ssh-keygen is not there" };
    throw error;
  }
}

/** What a statement has of the last judgement of its run. */
const JUDGED = [
  "at",
  "base",
  "checks",
  "trials",
  "remarks",
  "hunks",
  "untried",
  "setup",
  "tests",
  "audit",
  "problem",
] as const;

/**
 * Whether what was found says that a statement holds: nothing against it, the commit is here, and somebody vouches for it
 * who is known here: a signer, or the run's own journal.
 */
export function isHeld(found: readonly Finding[]): boolean {
  const isTrue = (what: string) => found.some((one) => one.what === what && one.holds === true);
  return found.every(({ holds }) => holds !== false) && isTrue("commit") && (isTrue("signature") || isTrue("journal"));
}

async function journalOf({ predicate: { panewright }, subject }: Statement): Promise<Finding> {
  const { journal, run } = panewright;
  const what = "journal";
  const folder = listAllRuns().find(({ id }) => id === run);
  if (folder === undefined || folder.journalPath === folder.copyPath) {
    return { what, holds: null, detail: `there is no journal of run ${run} here that agents cannot write` };
  }
  const text = readJournalText(folder.journalPath);
  const chain = await checkJournalChain(text);
  if (!chain.intact) return { what, holds: false, detail: `line ${chain.line} ${chain.problem}` };
  const lines = text.split("\n").slice(0, journal.lines);
  if (await sha256Hex(lines.at(-1) ?? "") !== journal.sha256) {
    return { what, holds: false, detail: `line ${journal.lines} of run ${run} is not the one that it was made of` };
  }
  const { commit, tree, ...judged } = judgedIn(`${lines.join("\n")}\n`, folder) ?? {};
  const { gitCommit, gitTree } = subject[0]?.digest ?? {};
  const told = Object.fromEntries(JUDGED.map((name) => [name, panewright[name]]));
  return canonicalJson([commit, tree, judged]) === canonicalJson([gitCommit, gitTree, present(told)])
    ? { what, holds: true, detail: `run ${run} has the ${journal.lines} records that it was made of` }
    : { what, holds: false, detail: `run ${run} was judged in other words than these` };
}
