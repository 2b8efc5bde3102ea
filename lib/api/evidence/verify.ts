import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { runGit } from "../../base/ports/git.ts";
import { systemProcessRunner } from "../../base/ports/process.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { errorText } from "../../base/text/error_text.ts";
import { parseJsonObject } from "../../base/text/json.ts";
import { lastLines } from "../../base/text/lines.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { checkJournalChain } from "../../journal/chain.ts";
import { readJournalText } from "../../journal/read_facts.ts";
import { listAllRuns } from "../../run/all_runs.ts";
import { EVIDENCE_OUTPUTS } from "../output/evidence_outputs.ts";
import type { OutputFields } from "../output/outputs.ts";
import type { Statement } from "./statement.ts";

/** What was looked at, and whether it holds; null where it cannot be told here. */
export type Finding = OutputFields["evidence_verified"]["found"][number];

/** What a signature is for: `ssh-keygen -Y sign -n panewright-evidence`. */
export const NAMESPACE = "panewright-evidence";

const MAX_BYTES = 16 * 1024 * 1024;

/** @throws {UsageError} for a file that is no statement */
export function readStatementFile(path: string): Statement {
  const text = readText(path);
  const { type: _t, v: _v, ...fields } = parseJsonObject(text) ?? {};
  const read = EVIDENCE_OUTPUTS.evidence.safeParse(fields);
  if (read.success) return read.data as Statement;
  throw new UsageError(`Cannot read the evidence in ${path}: ${z.prettifyError(read.error).split("\n", 1)[0]}`, {
    hint: "panewright evidence RUN --json writes it.",
  });
}

function readText(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    throw new UsageError(`Cannot read the evidence in ${path}: ${errorText(error)}`);
  }
}

interface Verifying {
  /** Where git is asked: in a clone of the repository. */
  readonly cwd: string;
  /** The allowed signers, as `ssh-keygen` has them. */
  readonly signers?: string | undefined;
  readonly signal: AbortSignal;
}

/** Looks whether a statement holds: its signature, the commit that it is about, and the journal of its run. */
export async function verifyStatement(
  { file, statement }: { readonly file: string; readonly statement: Statement },
  { cwd, signal, signers }: Verifying,
): Promise<readonly Finding[]> {
  return [
    await signatureOf(file, { signers, signal }),
    await commitOf(statement, { cwd, signal }),
    await journalOf(statement),
  ];
}

async function signatureOf(
  file: string,
  { signal, signers }: Pick<Verifying, "signers" | "signal">,
): Promise<Finding> {
  const what = "signature";
  if (lstatOrUndefined(`${file}.sig`) === undefined) {
    return signers === undefined
      ? { what, holds: null, detail: "there is none" }
      : { what, holds: false, detail: `there is no ${file}.sig` };
  }
  const about = ["-n", NAMESPACE, "-s", `${file}.sig`];
  const ask = async (...args: readonly string[]) => {
    const argv = ["ssh-keygen", "-Y", ...args, ...about] as const;
    return await systemProcessRunner.run({ argv: [...argv], stdin: readText(file), signal });
  };
  try {
    if (signers === undefined) {
      const { code, stderr, stdout } = await ask("check-novalidate");
      const said = lastLines(`${stdout}${stderr}`, 1)[0] ?? "";
      return {
        what,
        holds: code === 0 ? null : false,
        detail: code === 0 ? `${said}; whose key that is, --signers tells` : said,
      };
    }
    const found = await ask("find-principals", "-f", signers);
    const [who = ""] = found.stdout.split("\n");
    if (found.code !== 0 || who === "") return { what, holds: false, detail: `its key is not one of ${signers}` };
    const { code, stderr, stdout } = await ask("verify", "-f", signers, "-I", who);
    return { what, holds: code === 0, detail: code === 0 ? `by ${who}` : lastLines(`${stdout}${stderr}`, 1)[0] ?? "" };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Deno.errors.NotFound) return { what, holds: false, detail: "ssh-keygen is not there" };
    throw error;
  }
}

async function commitOf({ subject }: Statement, { cwd, signal }: Pick<Verifying, "cwd" | "signal">): Promise<Finding> {
  const what = "commit";
  const { gitCommit = "", gitTree = "" } = subject[0]?.digest ?? {};
  if (!/^[0-9a-f]{40,64}$/.test(gitCommit)) return { what, holds: false, detail: "it names none" };
  const { code, stdout } = await runGit(["rev-parse", "--verify", "--quiet", `${gitCommit}^{tree}`], { cwd, signal });
  if (code !== 0) return { what, holds: null, detail: `${gitCommit} is not in this repository` };
  const tree = stdout.trim();
  return tree === gitTree
    ? { what, holds: true, detail: `${gitCommit} has the files that were judged` }
    : { what, holds: false, detail: `${gitCommit} has other files: ${tree}, not ${gitTree}` };
}

async function journalOf({ predicate: { panewright: { journal, run } } }: Statement): Promise<Finding> {
  const what = "journal";
  const folder = listAllRuns().find(({ id }) => id === run);
  if (folder === undefined) return { what, holds: null, detail: `run ${run} is not on this machine` };
  const text = readJournalText(folder.journalPath);
  const chain = await checkJournalChain(text);
  if (!chain.intact) return { what, holds: false, detail: `line ${chain.line} ${chain.problem}` };
  const line = text.split("\n")[journal.lines - 1] ?? "";
  return await sha256Hex(line) === journal.sha256
    ? { what, holds: true, detail: `run ${run} has the ${journal.lines} records that it was made of` }
    : { what, holds: false, detail: `line ${journal.lines} of run ${run} is not the one that it was made of` };
}
