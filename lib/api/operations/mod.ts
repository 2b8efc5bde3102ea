/**
 * What can be asked for from outside of a run's process, one file an operation: its faces over HTTP and over MCP with
 * their schemas, and the act behind them, which the command of that name does as well.
 */
import * as z from "zod";
import { answerQuestion, answerTool, pressButton } from "./answer.ts";
import { explainTool } from "./explain.ts";
import { assignTool, handoffTool, sendTool } from "./message.ts";
import { getHealth } from "./meta.ts";
import { type Operation, operation, type Tool } from "./operation.ts";
import { followReport, getDetail, getIndexPage, getReport, getRunPage } from "./report.ts";
import { resultTool } from "./result.ts";
import { resumeRun, resumeTool } from "./resume.ts";
import { followRun, getRun, listQuestions, listRuns, runsTool } from "./runs.ts";
import { watchScreen } from "./screen.ts";
import { execTool, startRun, startTool } from "./start.ts";
import { stopRun, stopTool } from "./stop.ts";
import { waitTool } from "./wait.ts";
import { applyRun, discardRun, getCard, getWork, replyToRun } from "./work.ts";

export const OPERATIONS: readonly Operation[] = [
  getHealth,
  operation({
    id: "getOpenApi",
    method: "get",
    path: "/openapi.json",
    summary: "This document",
    isOpen: true,
    replies: { 200: { about: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) } },
    async handle() {
      const { openApiDocument } = await import("./openapi.ts");
      return { status: 200, json: openApiDocument(OPERATIONS) };
    },
  }),
  listRuns,
  getRun,
  listQuestions,
  followRun,
  startRun,
  answerQuestion,
  stopRun,
  resumeRun,
  getCard,
  getWork,
  applyRun,
  discardRun,
  replyToRun,
  getReport,
  followReport,
  getDetail,
  getIndexPage,
  getRunPage,
  watchScreen,
  pressButton,
];

export const TOOLS = {
  start_run: startTool,
  exec_task: execTool,
  wait: waitTool,
  result: resultTool,
  runs: runsTool,
  explain: explainTool,
  answer: answerTool,
  stop: stopTool,
  resume: resumeTool,
  handoff: handoffTool,
  assign: assignTool,
  send_message: sendTool,
} as const;

export type ToolName = keyof typeof TOOLS;

/** Tools by their names, as a server has them. */
export type Tools = Readonly<Record<ToolName, Tool>>;
