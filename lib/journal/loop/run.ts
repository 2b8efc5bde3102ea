import { usage } from "../../base/usage.ts";
import { flag, listOf, mapOf, number, oneOf, optional, present, text } from "../../base/schema.ts";
import { firstLine } from "../../base/text/lines.ts";
import { stillUnusable } from "../recovery.ts";
import { entriesOf } from "../entry.ts";
import { levelOf, warned } from "../progress.ts";
import { RUN_FACTS } from "../run_facts.ts";
import {
  BASE_TRIED,
  EVIDENCE,
  FINISHED,
  HOST_ASKED,
  HOST_DECIDED,
  REFUSED_INSIDE,
  RESUMED,
  SET_UP,
  STARTED,
  WARNED,
} from "../common.ts";
import { mayAnswer, waitsAfter } from "../waiting.ts";
import { line, outputOf, shortened } from "../words/lines.ts";
import { withoutPanes } from "../workers.ts";
import { origin, PROSE_TEST, role, rulesUsed, settings, task } from "./fields.ts";
import type { RunRecords } from "./state.ts";
import { inRound } from "./place.ts";

const loopRecord = entriesOf<RunRecords>();

/** How a review loop begins, and continues in another process. */
export const RUN_BEGINS = {
  run_started: loopRecord({
    job: oneOf("run"),
    ...RUN_FACTS.run_started,
    startAgent: role,
    roles: optional(listOf(role)),
    /** What the agents are to do; a job's file may change during the run. */
    task,
    settings,
    origin,
    rules: optional(rulesUsed),
  }, {
    paths: ({ workdir, origin }, map) => {
      const configFile = origin.configFile === null ? null : map(origin.configFile);
      return { workdir: map(workdir), origin: { ...origin, cwd: map(origin.cwd), configFile } };
    },
    progress(
      before,
      {
        runId,
        folder,
        workdir,
        origin: { configFile },
        task,
        settings,
        roles,
        modelAnswers,
        answersFrom,
        onAnswer,
        at,
      },
    ) {
      const about = firstLine(task.introduction.trim() === "" ? task.exploreSummary : task.introduction);
      const place = [{ unit: "round", number: 0, of: settings.maxRounds }] as const;
      const times = { startedAt: at, executedSince: at };
      return {
        runId,
        folder,
        workdir,
        configFile,
        about,
        ...times,
        place,
        ...present({ roles }),
        ...mayAnswer(before, { modelAnswers, answersFrom, onAnswer }),
      };
    },
    head({ task: { introduction, exploreSummary, scenarioTest }, panewright }) {
      const parts = [introduction, exploreSummary, scenarioTest].filter((part) => part !== "" && part !== PROSE_TEST);
      return { task: parts.join("\n\n"), panewright };
    },
    ...STARTED,
  }),
  /** Another process resumes the run, with settings that may have been changed meanwhile. */
  run_resumed: loopRecord({
    ...RUN_FACTS.run_resumed,
    settings,
    roles: optional(listOf(role)),
    rules: optional(rulesUsed),
    /** Those before, where they were others. */
    rulesBefore: optional(rulesUsed),
  }, {
    state: (state, { settings, folder, configFile, rules, carriedFrom }) => ({
      ...state,
      head: {
        ...state.head,
        settings,
        folder,
        origin: { ...state.head.origin, configFile: configFile ?? state.head.origin.configFile },
        ...present({ rules }),
      },
      // Panes do not travel, and what the CLIs' sessions know are the paths of the old place.
      ...(carriedFrom === undefined ? {} : { session: undefined, agents: {} }),
      restarts: {},
      groundRestarts: 0,
      ...stillUnusable(state),
      // Who resumes a run has it try anew what was tried.
      turn: state.turn && { ...state.turn, tried: {} },
      messages: state.messages.map((message) =>
        message.turn === undefined ? message : { ...message, turn: { ...message.turn, tried: {} } }
      ),
      finished: undefined,
    }),
    progress: (
      before,
      { folder, modelAnswers, answersFrom, onAnswer, configFile, carriedFrom, settings, roles, at },
    ) => ({
      folder,
      ...mayAnswer(before, { modelAnswers, answersFrom, onAnswer }),
      ...present({ configFile }),
      ...(carriedFrom === undefined ? {} : withoutPanes(before)),
      ...inRound(before, { number: levelOf(before, "round")?.number ?? 0, of: settings.maxRounds }),
      executedSince: at,
      ...present({ roles }),
      activity: undefined,
      finished: undefined,
    }),
    ...RESUMED,
  }),
} as const;

/** What is told of the loop's agents and of the run, and how it ends. */
export const RUN_ENDS = {
  /** The run is over, and its panes were left for a person. */
  panes_left: loopRecord({ attachCommand: text }, {
    words: ({ attachCommand }) => line(`the panes stay open; look at them with: ${attachCommand}`, "plain", "always"),
    items: () => [],
  }),
  /** What was done for a role, and is as it should be: a request that was accepted, or refused. */
  note: loopRecord({ role, message: text, passable: flag }, {
    words({ role, message }) {
      const [first = "", ...rest] = message.split("\n");
      return [line(`${role}: ${shortened(first)}`), ...outputOf(rest.join("\n"))];
    },
  }),
  warning: loopRecord({ ...RUN_FACTS.warning, role: optional(role) }, {
    progress: (before, { role, message, at }) =>
      warned(before, { at, message: role === undefined ? message : `${role}: ${message}` }),
    ...WARNED,
  }),
  sandbox_refused: loopRecord(RUN_FACTS.sandbox_refused, REFUSED_INSIDE),
  workspace_set_up: loopRecord(RUN_FACTS.workspace_set_up, SET_UP),
  base_tried: loopRecord(RUN_FACTS.base_tried, {
    state: (state, { detail, failed = [], notMade = false, passed, total }) =>
      notMade ? state : { ...state, base: { passed, detail, failed, ...present({ total }) } },
    ...BASE_TRIED,
  }),
  evidence_gathered: loopRecord(RUN_FACTS.evidence_gathered, {
    state: (state, { problem, remarks }) => ({
      ...state,
      judged: [...(problem === undefined ? [] : [problem]), ...remarks],
    }),
    ...EVIDENCE,
  }),
  host_asked: loopRecord(RUN_FACTS.host_asked, HOST_ASKED),
  host_decided: loopRecord(RUN_FACTS.host_decided, HOST_DECIDED),
  run_finished: loopRecord({
    ...RUN_FACTS.run_finished,
    rounds: number,
    /** Of the whole run, earlier processes included; missing in older journals. */
    usage: optional(usage),
    usageByRole: optional(mapOf(usage)),
  }, {
    state: (state, { outcome, reason }) => ({ ...state, finished: { outcome, reason } }),
    progress(before, { outcome, reason, resumeCommand, recovered, left, seconds, at }) {
      const finished = { outcome, reason, at, seconds, ...present({ resumeCommand, left }) };
      // Who reads the ends of a journal alone has seen nothing of it.
      return { ...waitsAfter(before, outcome), finished, ...present({ recovered }) };
    },
    ...FINISHED,
  }),
} as const;
