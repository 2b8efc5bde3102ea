import { basename, resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { auditOf } from "../../api/report/audit.ts";
import { createDetailLoader } from "../../api/report/details.ts";
import { makeDocument } from "../../api/report/document.ts";
import { reportMarkdown } from "../../api/report/markdown.ts";
import type { ReportDocument } from "../../api/report/model.ts";
import { redactorOf } from "../../base/redact/redactor.ts";
import { readHeader, readReport } from "../../api/report/read_report.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import { firstLine } from "../../base/text/lines.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { choiceFlag, type CliIo, defineCommand, textFlag } from "../console/command.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { outputLine } from "../../api/output/line.ts";
import { refuseUnlessFile } from "../output_file.ts";
import { secretsOfRun } from "../run_secrets.ts";
import { byteSize } from "../../journal/words/words.ts";

const FORMATS = ["html", "md", "json"] as const;

type Format = typeof FORMATS[number];

export const command = defineCommand({
  arguments: [RUN_ARGUMENT],
  flags: {
    output: textFlag("FILE", "write it to this file, replacing it if it exists; standard output if left out", {
      short: "o",
    }),
    format: choiceFlag(FORMATS, "the format; by default the one that FILE's name ends with, otherwise html"),
    wd: WORKDIR_FLAG,
  },
  async run({ flags, positionals, global }, io) {
    const target = flags.output === undefined || flags.output === "-" ? undefined : resolve(io.cwd, flags.output);
    const format = flags.format ?? formatOf(target, global.json);
    if (target !== undefined) refuseUnlessFile({ flag: "--output", named: flags.output ?? "", path: target });
    else refuseTerminal(format, io);
    const folder = await findMeantRun(io, positionals[0], flags.wd);
    const document = await readDocument(folder, { io, wd: flags.wd });
    const text = await render(document, format);
    if (target === undefined) {
      io.stdout(text);
      return 0;
    }
    await write(target, text);
    if (global.json) io.stdout(outputLine("file_written", { path: target }));
    else if (!global.quiet) {
      io.stderr(`The report of run ${folder.id} is in ${sanitizeLine(target)} (${byteSize(byteLength(text))}).\n`);
      if (document.leftOut !== undefined) io.stderr(`Left out: ${document.leftOut}.\n`);
    }
    return 0;
  },
});

function formatOf(target: string | undefined, json: boolean): Format {
  const extension = target === undefined ? "" : basename(target).replace(/^.*\./, "").toLowerCase();
  const named = new Map<string, Format>([["md", "md"], ["markdown", "md"], ["json", "json"]]);
  return named.get(extension) ?? (target === undefined && json ? "json" : "html");
}

function refuseTerminal(format: Format, { isTerminal }: CliIo): void {
  if (format !== "html" || !isTerminal.stdout) return;
  throw new UsageError("Cannot show a report as html on a terminal", {
    hint: "Name a file with -o run.html, or take --format md.",
  });
}

async function readDocument(
  folder: RunFolder,
  { io, wd }: { readonly io: CliIo; readonly wd: string | undefined },
): Promise<ReportDocument> {
  const { secrets, problem } = await secretsOfRun(folder, io);
  const redactor = redactorOf(Object.fromEntries(io.envNames().map((name) => [name, io.env(name) ?? ""])), secrets);
  if (problem !== undefined) {
    io.stderr(
      `panewright: the report may hold secrets that only the run's configuration has: ${
        sanitizeLine(firstLine(redactor.text(problem)))
      }\n`,
    );
  }
  const audit = await auditOf(folder, (name) => io.env(name));
  const collector = readReport(folder, redactor);
  const header = await readHeader(folder, collector, { audit, wd });
  return await makeDocument({ header, collector }, {
    load: createDetailLoader({ folder, redactor }),
    now: new Date(),
  });
}

async function render(document: ReportDocument, format: Format): Promise<string> {
  switch (format) {
    case "md":
      return reportMarkdown(document);
    case "json": {
      const { v: _, ...fields } = document;
      return outputLine("report", fields);
    }
    case "html": {
      const { pageDocument } = await import("../../api/report/page_document.ts");
      const { about, runId } = document.header;
      return pageDocument({ kind: "file", document }, { title: `${about === "" ? "run" : about} · ${runId}` }).html;
    }
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text, { durable: true });
  } catch (cause) {
    throw new UsageError(`Cannot write ${sanitizeLine(path)}: ${errorText(cause)}`, { cause });
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
