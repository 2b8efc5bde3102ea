import type { Death, Delivery, JobEvidence, JobResult } from "./evidence.ts";

/** A record of a review loop's journal, with the fields that are looked at. */
interface Entry {
  /** Its line, from 1. */
  readonly line: number;
  readonly at: string;
  readonly type: string;
  readonly runId?: string;
  readonly turnId?: string;
  readonly role?: string;
  readonly round?: number;
  readonly rounds?: number;
  readonly cycle?: number;
  readonly verdict?: string;
  readonly passed?: boolean;
  readonly outcome?: string;
  readonly archivedAs?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly step?: string;
  readonly what?: string;
  readonly moment?: string;
  readonly pid?: number;
  readonly protocol?: string;
}

/**
 * What is wrong with how a job ended, a sentence each; empty where all is well.
 *
 * @param expected the result of the same job undisturbed
 */
export function findViolations(evidence: JobEvidence, expected: JobResult): string[] {
  const { entries, violations } = readEntries(evidence.journal);
  if (violations.length > 0) return violations;
  return [
    ...checkFrame(entries, evidence.runId),
    ...checkTurns(entries),
    ...checkResponses(entries, evidence),
    ...checkChanges(entries),
    ...checkMessages(entries),
    ...checkDeliveries(entries, evidence),
    ...checkResult(resultOf(entries, evidence.files), expected),
    ...evidence.leftovers.map((left) => `left behind: ${left}`),
  ];
}

/**
 * What a job has come to.
 *
 * @throws {Error} when the journal cannot be read
 */
export function jobResult({ journal, files }: Pick<JobEvidence, "journal" | "files">): JobResult {
  const { entries, violations } = readEntries(journal);
  if (violations.length > 0) throw new Error(violations.join("\n"));
  return resultOf(entries, files);
}

function readEntries(journal: string): { readonly entries: readonly Entry[]; readonly violations: string[] } {
  const lines = journal.split("\n");
  const violations: string[] = [];
  if (lines.pop() !== "") violations.push("the journal's last line is not complete");
  const entries = lines.flatMap((text, index): Entry[] => {
    try {
      const record = JSON.parse(text);
      if (typeof record?.type === "string" && !Number.isNaN(Date.parse(record.at))) {
        return [{ ...record, line: index + 1 }];
      }
    } catch { /* told below */ }
    violations.push(`line ${index + 1} of the journal is not a record: ${text.slice(0, 80)}`);
    return [];
  });
  return { entries, violations };
}

/** First and last record, and that all are of this run. */
function checkFrame(entries: readonly Entry[], runId: string): string[] {
  const violations: string[] = [];
  const [opened, started] = entries;
  if (opened?.type !== "journal_opened" || started?.type !== "run_started") {
    violations.push(`the journal begins with ${opened?.type} and ${started?.type}, not journal_opened and run_started`);
  }
  for (const type of ["journal_opened", "run_started"]) {
    const count = entries.filter((entry) => entry.type === type).length;
    if (count !== 1) violations.push(`the journal has ${count} records ${type}`);
  }
  for (const { line, type, runId: of } of entries) {
    if (of !== undefined && of !== runId) violations.push(`line ${line} (${type}) is of run ${of}`);
  }
  const last = entries.at(-1);
  if (last?.type !== "run_finished" || last.outcome !== "pass") {
    violations.push(`the last record is ${last?.type} ${last?.outcome ?? ""}, not run_finished pass`);
  }
  entries.forEach((entry, index) => {
    const next = entries[index + 1];
    if (entry.type !== "run_finished" || next === undefined) return;
    if (entry.outcome === "pass") violations.push(`line ${entry.line} ends the run, but it is not the last`);
    else if (next.type !== "run_resumed") {
      violations.push(`line ${entry.line} ends a process' work, but ${next.type} follows`);
    }
  });
  return violations;
}

/** Each record of a turn is of one that was started, by its role, and not over. */
function checkTurns(entries: readonly Entry[]): string[] {
  const violations: string[] = [];
  const roles = new Map<string, string | undefined>();
  const over = new Set<string>();
  let open: string | undefined;
  for (const { line, type, turnId, role, moment } of entries) {
    if (turnId === undefined) continue;
    const where = `line ${line} (${type} of ${turnId})`;
    if (type === "turn_started") {
      if (open !== undefined && open !== turnId) violations.push(`${where} begins while ${open} is open`);
      roles.set(turnId, role);
      open = turnId;
    }
    if (!roles.has(turnId)) violations.push(`${where} is of a turn that was not started`);
    else if (roles.get(turnId) !== role) violations.push(`${where} is by ${role}, the turn is ${roles.get(turnId)}'s`);
    // How a turn left the files is known only after its response.
    const isTold = (type === "files_seen" && moment === "after") ||
      ["files_changed", "changes_unknown", "screen_kept"].includes(type);
    if (over.has(turnId) && !isTold) violations.push(`${where} comes after the turn's response`);
    if (type === "response_received") {
      over.add(turnId);
      if (open === turnId) open = undefined;
    }
  }
  return violations;
}

/** What each turn of the programmer has changed is told once, or that it is not known. */
function checkChanges(entries: readonly Entry[]): string[] {
  return entries.filter(({ type, role }) => type === "response_received" && role === "programmer")
    .map(({ turnId }) => ({
      turnId,
      told:
        entries.filter((entry) => entry.turnId === turnId && ["files_changed", "changes_unknown"].includes(entry.type))
          .length,
    }))
    .filter(({ told }) => told !== 1)
    .map(({ turnId, told }) => `what ${turnId} has changed is told ${told} times`);
}

/** One response a turn, each in the archive as recorded, and nothing else there. */
function checkResponses(entries: readonly Entry[], { archive }: JobEvidence): string[] {
  const violations: string[] = [];
  const received = entries.filter(({ type }) => type === "response_received");
  const started = new Set(entries.flatMap(({ type, turnId }) => type === "turn_started" ? [turnId] : []));
  for (const turnId of started) {
    const count = received.filter((entry) => entry.turnId === turnId).length;
    if (count !== 1) violations.push(`the response of ${turnId} was consumed ${count} times`);
  }
  for (const { turnId, archivedAs, bytes, sha256 } of received) {
    const file = archive.find(({ path }) => path === archivedAs);
    if (file === undefined) violations.push(`the response of ${turnId} is not in the archive: ${archivedAs}`);
    else if (file.bytes !== bytes || file.sha256 !== sha256) {
      violations.push(`the response of ${turnId} in the archive is not the one that was recorded: ${archivedAs}`);
    }
  }
  const known = new Map<string | undefined, number>();
  for (const { archivedAs } of received) known.set(archivedAs, (known.get(archivedAs) ?? 0) + 1);
  for (const { path } of archive) if (!known.has(path)) violations.push(`the journal does not know ${path}`);
  for (const [path, count] of known) if (count > 1) violations.push(`${count} turns have the same response ${path}`);
  return violations;
}

/**
 * Intent before observation: a message was pasted before its Enter, and both before it counts as sent. An agent that is
 * driven by a protocol has no composer to paste into.
 */
function checkMessages(entries: readonly Entry[]): string[] {
  const violations: string[] = [];
  const steps = new Map<string, string>();
  const inPane = new Map<string | undefined, boolean>();
  for (const { line, type, role, turnId, what, step, protocol } of entries) {
    const message = `${what} of ${turnId}`;
    const before = steps.get(message);
    if (type === "agent_starting") inPane.set(role, protocol === undefined);
    if (type === "message_sending") {
      if (step === "enter" && before === undefined && inPane.get(role) !== false) {
        violations.push(`line ${line}: Enter for the ${message} without a paste`);
      }
      steps.set(message, step ?? "");
    }
    if (type === "message_sent") {
      if (before !== "enter") violations.push(`line ${line}: the ${message} was sent without Enter`);
      steps.delete(message);
    }
  }
  return violations;
}

/** An agent's process as the journal has it. */
interface Life {
  readonly role: string;
  readonly pid: number;
  readonly bornMs: number;
}

/**
 * One process gets a turn's prompt once; another one gets it again only where the one before is dead by then. Each turn
 * was seen to arrive, and each live agent was kept.
 */
function checkDeliveries(entries: readonly Entry[], { deliveries, deaths }: JobEvidence): string[] {
  const violations: string[] = [];
  const lives = entries.flatMap(({ type, role, pid, at }): Life[] =>
    type === "agent_ready" && role !== undefined && pid !== undefined ? [{ role, pid, bornMs: Date.parse(at) }] : []
  );
  violations.push(...checkLives(lives, deaths));
  const turns = new Map<string, string | undefined>();
  for (const { type, turnId, role } of entries) if (type === "turn_started" && turnId) turns.set(turnId, role);
  for (const { turnId, role } of deliveries) {
    if (turnId === undefined) violations.push(`${role} got a prompt that names no turn`);
    else if (!turns.has(turnId)) violations.push(`${role} got a prompt for ${turnId}, which the journal does not know`);
    else if (turns.get(turnId) !== role) violations.push(`${role} got the prompt for ${turnId}`);
  }
  for (const turnId of turns.keys()) {
    const got = deliveries.filter((delivery) => delivery.turnId === turnId);
    if (got.length === 0) violations.push(`nobody got the prompt for ${turnId}`);
    violations.push(...checkTurnDeliveries(turnId, { got, lives, deaths }));
    violations.push(...checkAfterResponse(turnId, { got, entries }));
  }
  return violations;
}

function checkTurnDeliveries(
  turnId: string,
  { got, lives, deaths }: {
    readonly got: readonly Delivery[];
    readonly lives: readonly Life[];
    readonly deaths: readonly Death[];
  },
): string[] {
  const violations: string[] = [];
  const pids = got.map((delivery) => delivery.pid ?? pidAt(lives, delivery));
  got.forEach(({ atMs, role }, index) => {
    const pid = pids[index];
    if (pid === undefined || !lives.some((life) => life.role === role && life.pid === pid)) {
      violations.push(`the prompt for ${turnId} went to process ${pid}, which the journal does not know`);
    }
    if (pids.indexOf(pid) < index) violations.push(`process ${pid} (${role}) got the prompt for ${turnId} again`);
    const before = index === 0 ? undefined : pids[index - 1];
    if (before === undefined || before === pid) return;
    if (!deaths.some((death) => death.pid === before && death.atMs <= atMs)) {
      violations.push(
        `process ${pid} (${role}) got the prompt for ${turnId} while process ${before}, which had it, lived`,
      );
    }
  });
  return violations;
}

/** Whoever got a prompt, by the time, where the receiver does not know its process. */
function pidAt(lives: readonly Life[], { role, atMs }: Delivery): number | undefined {
  return lives.findLast((life) => life.role === role && life.bornMs <= atMs)?.pid;
}

function checkAfterResponse(
  turnId: string,
  { got, entries }: { readonly got: readonly Delivery[]; readonly entries: readonly Entry[] },
): string[] {
  const taken = entries.find((entry) => entry.type === "response_received" && entry.turnId === turnId);
  if (taken === undefined) return [];
  const late = got.filter(({ atMs }) => atMs > Date.parse(taken.at));
  return late.map(({ role }) => `${role} got the prompt for ${turnId} after its response was taken`);
}

/** An agent is started where none was, or the one before is dead; never beside one that lives. */
function checkLives(lives: readonly Life[], deaths: readonly Death[]): string[] {
  return lives.flatMap((life, index) => {
    const before = lives.slice(0, index).findLast(({ role }) => role === life.role);
    if (before === undefined) return [];
    if (deaths.some(({ pid, atMs }) => pid === before.pid && atMs <= life.bornMs)) return [];
    return [`${life.role} was started as process ${life.pid}, though process ${before.pid} lived`];
  });
}

function resultOf(entries: readonly Entry[], files: JobResult["files"]): JobResult {
  return {
    turns: entries.flatMap(({ type, turnId }) => type === "response_received" ? [turnId ?? ""] : []),
    decisions: entries.flatMap(({ type, role, round, rounds, cycle, verdict, passed, outcome }) => {
      switch (type) {
        case "round_started":
          return [`round ${round} started`];
        case "review_decided":
          return [`round ${round}: ${role}, cycle ${cycle}: ${verdict}`];
        case "test_command_finished":
          return [`round ${round}: test command ${passed ? "passed" : "failed"}`];
        case "round_finished":
          return [`round ${round}: ${verdict}`];
        case "run_finished":
          return outcome === "pass" ? [`${outcome} after ${rounds} rounds`] : [];
        default:
          return [];
      }
    }),
    files,
  };
}

function checkResult(result: JobResult, expected: JobResult): string[] {
  const violations: string[] = [];
  for (const part of ["turns", "decisions"] as const) {
    const [found, wanted] = [result[part], expected[part]];
    if (found.join("\n") !== wanted.join("\n")) {
      violations.push(`${part} are not those of an undisturbed run:\n    ${found.join("\n    ")}`);
    }
  }
  for (const path of new Set([...Object.keys(result.files), ...Object.keys(expected.files)])) {
    if (result.files[path] !== expected.files[path]) {
      violations.push(`${path} is not as after an undisturbed run: ${JSON.stringify(result.files[path])}`);
    }
  }
  return violations;
}
