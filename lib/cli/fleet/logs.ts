import { JOBS } from "../../jobs/mod.ts";
import { createFactReader, readOrProblem } from "../../journal/fact_reader.ts";
import { PanewrightError } from "../../base/errors.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { type Fleet, followJobLog, type JobEvent, jobText, readJob, readLog } from "../../fleet/mod.ts";
import { outputLine } from "../../api/output/line.ts";
import { runFolderAt } from "../../run/run_folder.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import { journalWriter } from "../show/journal_lines.ts";

/** Shows what has happened to a job: the records of its run as `logs` does, and between them who had it. */
export async function showFleetLogs(
  fleet: Fleet,
  asked: string,
  { io, global, follow }: { readonly io: CliIo; readonly global: GlobalFlags; readonly follow: boolean },
): Promise<number> {
  const { name } = await readJob(fleet, asked);
  const job = jobText(name);
  let shown = openWriter({ io, global });
  const events = follow ? followJobLog(fleet, name, { signal: io.signal }) : await readLog(fleet, name);
  for await (const event of events) {
    if (global.json) io.stdout(outputLine("fleet_event", { job, event: { ...event } }));
    else if (event.type === "record") {
      // A run that was tried again from its beginning is another one.
      if (/"type":"journal_opened"/.test(event.line)) shown = openWriter({ io, global });
      await shown(event.line);
    } else {
      const told = eventText(event);
      if (told !== undefined) io.stdout(`${event.at} ${sanitizeLine(told)}\n`);
    }
    if (follow && event.type === "ended") break;
  }
  return 0;
}

function openWriter({ io, global }: { readonly io: CliIo; readonly global: GlobalFlags }) {
  const folder = runFolderAt(io.cwd, "20200101-000000-0000");
  const reader = createFactReader({ path: "the log of the job", folder: folder.path, jobs: JOBS, byteOf: () => 0 });
  const writer = journalWriter(folder, { io, global });
  return async (line: string) => {
    const read = readOrProblem(reader, line);
    if (read instanceof PanewrightError) io.stdout(`${sanitizeLine(read.message)}\n`);
    else await writer.onRecord(read);
  };
}

export function eventText(event: Exclude<JobEvent, { type: "record" }>): string | undefined {
  switch (event.type) {
    case "claimed":
      return `worker ${event.worker} takes it (${event.epoch})`;
    case "released":
      return `given back (${event.why}): ${event.reason}`;
    case "ended":
      return `${event.outcome}: ${event.reason}`;
    case "parked":
      return `set aside: ${event.reason}`;
    case "saved":
      return undefined;
  }
}
