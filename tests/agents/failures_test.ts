import type { FailureClass } from "../../lib/base/terms.ts";
import { assert, assertEquals } from "@std/assert";
import { claudeCodeProvider } from "../../lib/agents/claude_code/provider.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";
import { claudeLog, codexLog } from "./read_logs.ts";
import { classifyFailure } from "../../lib/agents/failure.ts";
import type { PaneProvider } from "../../lib/agents/provider.ts";
import { findShownFailure, judgeFailure } from "../../lib/agents/pane/failure_report.ts";
import { readScreen } from "../../lib/agents/pane/glance.ts";
import { isProcessGone } from "../../lib/agents/pane/pane_look.ts";
import { parseScreen } from "../../lib/screen/screen.ts";
import { recordedLines } from "../base/follow/support.ts";
import { recordingsOf } from "../support/screens.ts";

const NOW = new Date(2026, 10, 20, 12, 0);

/** What is said of each recorded screen that shows a failed turn, with the names of its recordings. */
async function failuresOn(provider: PaneProvider) {
  const found: { readonly name: string; readonly class: FailureClass; readonly text: string }[] = [];
  for (const { ansi, name, version, expect, ...meta } of await recordingsOf(provider.id)) {
    if (expect !== "error") continue;
    const look = readScreen(parseScreen(ansi, meta), provider.terminal.rules);
    if (isProcessGone(look) || look.classification.status !== "error") continue;
    const shown = findShownFailure(look, provider);
    assert(shown !== undefined, `${version}/${name}`);
    const failure = judgeFailure(provider, { shown, now: NOW });
    assert(failure !== undefined, `${version}/${name}`);
    found.push({ name: `${version}/${name}`, class: failure.class, text: failure.text });
  }
  return found;
}

Deno.test("every recorded error of Claude Code has the class of what its model server answered", async () => {
  const found = await failuresOn(claudeCodeProvider);
  assert(found.length >= 40, `${found.length} screens`);
  const expected = (name: string): FailureClass =>
    /-401-/.test(name) ? "auth" : /-(?:500|529)-|killed-9-working/.test(name) ? "overloaded" : "other";
  assertEquals(found.filter((one) => one.class !== expected(one.name)), []);
});

Deno.test("every recorded error of Codex has the class of what its model server answered", async () => {
  const found = await failuresOn(codexProvider);
  assert(found.length >= 25, `${found.length} screens`);
  const expected = ({ name, text }: (typeof found)[number]): FailureClass => {
    if (/-error-401-/.test(name)) return "auth";
    if (/-error-usage-limit-/.test(name)) return "usage_limit";
    return /\b429\b/.test(text) ? "rate_limit" : /high demand/.test(text) ? "overloaded" : "other";
  };
  assertEquals(found.filter((one) => one.class !== expected(one)), []);
  const classes: readonly FailureClass[] = ["auth", "usage_limit", "rate_limit", "overloaded", "other"];
  assertEquals(new Set(found.map((one) => one.class)), new Set(classes));
});

Deno.test("an error is quoted whole where the CLI has wrapped it", async () => {
  const [claude, codex] = [await failuresOn(claudeCodeProvider), await failuresOn(codexProvider)];
  const textOf = (name: string) => [...claude, ...codex].find((one) => one.name === name)?.text;
  assertEquals(
    textOf("2.1.328/api-error-529-final-80x24"),
    "API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. Try again in a " +
      "moment. If it persists, check your inference gateway (127.0.0.1:8132).",
  );
  assertEquals(
    textOf("0.169.0/error-final-60x20"),
    '{"error":{"message":"This request cannot be served","type":"server_error","code":"refused"}}',
  );
  assertEquals(textOf("2.1.328/api-error-401-220x50"), "Invalid API key · Fix external API key");
});

for (
  const [table, words, expected] of [
    [
      claudeCodeProvider,
      { text: "You've hit your session limit · resets 3pm (UTC)", code: "rate_limit" },
      "usage_limit",
    ],
    [claudeCodeProvider, { text: "You've hit your team's pooled group budget", code: "rate_limit" }, "usage_limit"],
    [claudeCodeProvider, { text: "Your org is out of usage · contact your admin", code: "rate_limit" }, "usage_limit"],
    [claudeCodeProvider, { text: "You're out of usage credits · resets 3pm (UTC)" }, "usage_limit"],
    [
      claudeCodeProvider,
      { text: "API Error: Request rejected (429) · spend limit reached · resets Aug 8" },
      "usage_limit",
    ],
    [claudeCodeProvider, { text: "Your seat type doesn't include usage credits", code: "rate_limit" }, "auth"],
    [claudeCodeProvider, { text: "Your group's usage limit is set to $0", code: "rate_limit" }, "auth"],
    [claudeCodeProvider, { text: "Fable 5 requires usage credits. Switch models.", code: "rate_limit" }, "model"],
    [claudeCodeProvider, { text: "You’ve hit your limit · resets 3pm (UTC)" }, "usage_limit"],
    [claudeCodeProvider, { text: "Claude AI usage limit reached|1795163557" }, "usage_limit"],
    [claudeCodeProvider, { text: "Credit balance is too low" }, "usage_limit"],
    [
      claudeCodeProvider,
      { text: "API Error: Request rejected (429) · this may be a temporary capacity issue." },
      "rate_limit",
    ],
    [claudeCodeProvider, { text: "Something new.", code: "rate_limit" }, "rate_limit"],
    [claudeCodeProvider, { text: "Not logged in · Please run /login" }, "auth"],
    [claudeCodeProvider, { text: "API Error: 401 Invalid API key · Please run /login" }, "auth"],
    [claudeCodeProvider, { text: "Please run /login · API Error: 401 expired", code: "authentication_failed" }, "auth"],
    [claudeCodeProvider, { text: "Prompt is too long", code: "invalid_request" }, "context"],
    [claudeCodeProvider, { text: "There's an issue with the selected model (x).", code: "model_not_found" }, "model"],
    [claudeCodeProvider, { text: "API Error: Connection lost mid-response.", code: "server_error" }, "network"],
    [claudeCodeProvider, { text: "API Error: Unable to connect to API (ECONNREFUSED)" }, "network"],
    [
      claudeCodeProvider,
      { text: "API Error: 400 You've hit your session limit, says the text", code: "unknown" },
      "other",
    ],
    [codexProvider, { text: "You’ve hit your usage limit. Try again at 3:05 PM." }, "usage_limit"],
    [codexProvider, { text: "Wait.", code: "usage_limit_exceeded" }, "usage_limit"],
    [codexProvider, { text: "unexpected status 401 Unauthorized: , url: http://127.0.0.1:1/responses" }, "auth"],
    [codexProvider, { text: "exceeded retry limit", code: "response_too_many_failed_attempts:429" }, "rate_limit"],
    [codexProvider, { text: "exceeded retry limit, last status: 503 Service Unavailable" }, "overloaded"],
    [codexProvider, { text: "Selected model is at capacity. Please try a different model." }, "overloaded"],
    [
      codexProvider,
      { text: "Codex ran out of room in the model's context window. Start a new thread." },
      "context",
    ],
    [codexProvider, { text: '{"error":{"message":"no","code":"model_not_found"}}' }, "model"],
    [codexProvider, { text: "stream disconnected before completion: closed" }, "network"],
    [
      codexProvider,
      { text: '{"error":{"message":"The text says \\"code\\":\\"model_not_found\\"","code":"bad"}}' },
      "other",
    ],
  ] as const
) {
  const said = "code" in words ? `${words.text} (${words.code})` : words.text;
  Deno.test(`the failure "${said}" is of the class ${expected}`, () => {
    assertEquals(classifyFailure(table.failures ?? [], words), expected);
  });
}

Deno.test("the recorded log of Codex tells why its turn failed, until the next turn begins", () => {
  const lines = recordedLines("tui-session-1.jsonl");
  const end = lines.findIndex((line) => line.includes('"codex_error_info"'));
  const failed = codexLog(lines.slice(0, end + 1));
  assertEquals(failed.failure?.code, JSON.parse(lines[end]!).payload.error.codex_error_info);
  const started = JSON.stringify({ type: "event_msg", payload: { type: "task_started", turn_id: "next" } });
  assertEquals(codexLog([...lines.slice(0, end + 1), started]).failure, undefined);
});

Deno.test("Codex: a limit of the account is reset when its log says, and an error before the end is the reason", () => {
  const event = (payload: unknown) => JSON.stringify({ type: "event_msg", payload });
  const rate_limits = { primary: { used_percent: 100, resets_at: 1_795_163_557 } };
  const state = codexLog([
    event({ type: "task_started", turn_id: "t1" }),
    event({ type: "token_count", rate_limits }),
    event({ type: "error", message: "You've hit your usage limit.", codex_error_info: "usage_limit_exceeded" }),
    event({ type: "task_complete", turn_id: "t1", last_agent_message: null }),
  ]);
  assertEquals(state.failure, { text: "You've hit your usage limit.", code: "usage_limit_exceeded", writtenAt: NaN });
  assertEquals(state.limitResetsAt, 1_795_163_557_000);
});

Deno.test("Claude Code: a transcript tells why its turn failed, unless the agent has gone on since", () => {
  const ask = JSON.stringify({ type: "user", message: { content: "Go" } });
  const timestamp = "2026-11-20T10:00:00.000Z";
  const failed = JSON.stringify({
    type: "assistant",
    isApiErrorMessage: true,
    error: "rate_limit",
    timestamp,
    message: { id: "m1", content: [{ type: "text", text: "You've hit your session limit · resets 3pm (UTC)" }] },
  });
  const failure = {
    code: "rate_limit",
    text: "You've hit your session limit · resets 3pm (UTC)",
    writtenAt: Date.parse(timestamp),
  };
  assertEquals(claudeLog([ask, failed]).failure, failure);
  const said = JSON.stringify({ type: "assistant", message: { id: "m2", content: [{ type: "text", text: "On." }] } });
  assertEquals(claudeLog([ask, failed, said]).failure, undefined);
  assertEquals(claudeLog([ask, failed, ask]).failure, undefined);
});

Deno.test("a time of day is that after the record was written, however late it is read", () => {
  const recorded = {
    text: "You've hit your usage limit. Try again at 3:05 PM.",
    code: "usage_limit_exceeded",
    evidence: "task_complete of turn t1",
    writtenAt: new Date(2026, 10, 20, 14, 0).getTime(),
  };
  const now = new Date(2026, 10, 20, 18, 0);
  const failure = judgeFailure(codexProvider, { shown: undefined, recorded, overBy: "task_complete", now });
  assertEquals(failure?.resetsAt, new Date(2026, 10, 20, 15, 5));
  assertEquals(failure?.evidence, "task_complete of turn t1");
});

Deno.test("a CLI of which parts are gone, as while it is updated, is told from other ends", () => {
  const classOf = (provider: PaneProvider, text: string) => classifyFailure(provider.failures ?? [], { text });
  const reinstall =
    "Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex";
  for (
    const [provider, words, expected] of [
      [codexProvider, `the agent exited with 1: Error: ${reinstall}`, "program"],
      [codexProvider, "the agent exited with 1: Error: Cannot find module '/usr/lib/node_modules/x.js'", "program"],
      [codexProvider, "the agent exited with 1: Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'", "program"],
      [claudeCodeProvider, "the agent exited with 1: Error: claude native binary not installed.", "program"],
      [codexProvider, `The tests say: Error: ${reinstall}`, "other"],
      [codexProvider, "the agent exited with 1: Error: no such option", "other"],
    ] as const
  ) assertEquals(classOf(provider, words), expected, words);
});
