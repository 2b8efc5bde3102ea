import { removeTree } from "../../base/ports/own_files.ts";
import { resolve } from "@std/path/posix";
import { checkAgain } from "../../api/evidence/check_again.ts";
import { signFile } from "../../api/evidence/sign.ts";
import { readStatement, type Statement } from "../../api/evidence/statement.ts";
import { isHeld, readStatementFile, verifyStatement } from "../../api/evidence/verify.ts";
import { outputLine } from "../../api/output/line.ts";
import { HumanInterventionRequiredError, PanewrightError, UsageError } from "../../base/errors.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { createRedactor } from "../../base/redact/redactor.ts";
import { agentsFolderOf } from "../../run/state_names.ts";
import { type CliIo, defineCommand, switchFlag, textFlag } from "../console/command.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { evidencePathOf, writeStatement } from "../keep_evidence.ts";
import { refuseUnlessFile } from "../output_file.ts";
import { evidenceMarkdown, evidenceText, findingsText } from "../show/evidence_text.ts";

/** `panewright evidence`: what a PASS rests on, and whether a statement of it holds. */
export const command = defineCommand({
  arguments: [
    { ...RUN_ARGUMENT, name: "RUN|FILE", description: "a run, or with --verify a statement's file as well" },
    { name: "FILE", description: 'behind "verify", which is the same as --verify' },
  ],
  flags: {
    markdown: switchFlag("as Markdown, for a pull request"),
    output: textFlag("FILE", "write the statement to this file", { short: "o" }),
    sign: textFlag("KEY", "sign FILE with this key of ssh-keygen: FILE.sig"),
    verify: switchFlag("look whether a statement holds"),
    signers: textFlag("FILE", "with --verify: the allowed signers, as ssh-keygen has them"),
    again: switchFlag("with --verify: run its checks once more, on a fresh checkout"),
    trust: switchFlag("with --again: its commands may be run"),
    wd: WORKDIR_FLAG,
  },
  async run({ flags: given, global, positionals: [first, second] }, io) {
    const isVerb = first === "verify" && second !== undefined;
    if (second !== undefined && !isVerb) throw new UsageError(`Cannot use "${second}": one run is meant`);
    const flags = isVerb ? { ...given, verify: true } : given;
    const what = isVerb ? second : first;
    requireTogether(flags);
    if (flags.verify === true) return await verify(what, { flags, io, isJson: global.json });
    const folder = await findMeantRun(io, what, flags.wd);
    const statement = await readStatement(folder, { redactor: createRedactor([]), signal: io.signal });
    if (flags.output !== undefined) {
      const path = resolve(io.cwd, flags.output);
      refuseUnlessFile({ flag: "--output", named: flags.output, path });
      await writeStatement(path, statement);
      if (flags.sign !== undefined) await signFile(path, { key: resolve(io.cwd, flags.sign), signal: io.signal });
      if (global.json) io.stdout(outputLine("file_written", { path }));
      return 0;
    }
    io.stdout(
      global.json
        ? outputLine("evidence", statement)
        : flags.markdown === true
        ? evidenceMarkdown(statement)
        : evidenceText(statement),
    );
    return 0;
  },
});

type Flags =
  & { readonly [Name in "wd" | "output" | "sign" | "signers"]?: string | undefined }
  & { readonly [Name in "verify" | "again" | "trust"]?: boolean | undefined };

function requireTogether({ again, output, sign, signers, trust, verify }: Flags): void {
  if (sign !== undefined && output === undefined) throw new UsageError("Cannot use --sign without --output");
  if (verify !== true && signers !== undefined) throw new UsageError("Cannot use --signers without --verify");
  if (verify !== true && again === true) throw new UsageError("Cannot use --again without --verify");
  if (again !== true && trust === true) throw new UsageError("Cannot use --trust without --again");
}

async function verify(
  what: string | undefined,
  { flags, io, isJson }: { readonly flags: Flags; readonly io: CliIo; readonly isJson: boolean },
): Promise<number> {
  if (what === undefined) {
    throw new UsageError("Cannot verify: no statement is named", {
      hint:
        "panewright evidence RUN -o evidence.json writes one; panewright evidence --verify evidence.json looks at it.",
    });
  }
  const named = resolve(io.cwd, what);
  const file = lstatOrUndefined(named) === undefined ? await keptOf(what, { flags, io }) : named;
  const read = readStatementFile(file);
  const { statement } = read;
  const { signal } = io;
  const signers = flags.signers === undefined ? undefined : resolve(io.cwd, flags.signers);
  const found = [...await verifyStatement(read, { cwd: io.cwd, signers, signal })];
  // What is not here, or speaks against it, is not run.
  if (flags.again === true && found.every(({ holds, what }) => holds !== false && (what !== "commit" || holds))) {
    requireTrusted(statement, { flags, io, isSigned: signers !== undefined });
    found.push(...await runAgain(statement, io));
  }
  const holds = isHeld(found);
  io.stdout(isJson ? outputLine("evidence_verified", { file, holds, found }) : findingsText(found));
  if (!holds) {
    const isRefuted = found.some((one) => one.holds === false);
    const why = isRefuted ? "it does not hold" : "nothing that is known here vouches for it";
    throw new PanewrightError(`Cannot trust ${what}: ${why}`, {
      ...(isRefuted ? {} : { hint: "Name who may sign with --signers, and fetch its commit into this repository." }),
    });
  }
  return 0;
}

/** The statement that is kept of a run. */
async function keptOf(what: string, { flags: { wd }, io }: { readonly flags: Flags; readonly io: CliIo }) {
  if (/[./]/.test(what)) throw new UsageError(`Cannot verify ${what}: there is no such file`);
  const folder = await findMeantRun(io, what, wd);
  const path = evidencePathOf(folder);
  // Where agents can write, what lies there is nobody's word: reading the statement refuses it.
  if (folder.journalPath === folder.copyPath || lstatOrUndefined(path) === undefined) {
    await writeStatement(path, await readStatement(folder, { redactor: createRedactor([]), signal: io.signal }));
  }
  return path;
}

/** A statement may come from anybody: what it has run is looked at first, unless its signer is known. */
function requireTrusted(
  { predicate: { panewright: { checks, setup } } }: Statement,
  { flags: { trust }, io, isSigned }: { readonly flags: Flags; readonly io: CliIo; readonly isSigned: boolean },
): void {
  if (trust === true || isSigned) return;
  const commands = [...(setup === undefined ? [] : [setup]), ...checks.map(({ command }) => command)];
  io.stderr(commands.map((command) => `  ${JSON.stringify(command)}\n`).join(""));
  throw new HumanInterventionRequiredError(
    "Cannot run the commands of the statement: nobody has said that they may run",
    {
      code: "needs_trust",
      hint: "Look at them (above), then add --trust; or name who may sign with --signers.",
    },
  );
}

async function runAgain(statement: Statement, io: CliIo) {
  const name = `evidence-${crypto.randomUUID()}`;
  await using _folder = {
    [Symbol.asyncDispose]: () => removeTree(agentsFolderOf(name) ?? "").catch(() => {}),
  };
  return await checkAgain(statement, {
    ...{ cwd: io.cwd, clock: systemClock, signal: io.signal, name },
    warn: (message) => io.stderr(`panewright: ${message}\n`),
  });
}
