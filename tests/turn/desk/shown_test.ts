import { assertEquals, assertMatch } from "@std/assert";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { refusalOf } from "../../../lib/turn/desk/answers.ts";
import { MAX_ASKED_CHARS, shownOf } from "../../../lib/turn/desk/shown.ts";

const { text: redact } = createRedactor(["correct-horse-battery"]);

const command = { kind: "command", source: "acp", id: "1", tool: "execute" } as const;

Deno.test("a request is shown whole, with a secret masked, or cut", () => {
  const shown = (subject: string) => shownOf({ ...command, subject }, redact);
  assertEquals(shown("git push"), "whole");
  assertEquals(shown("curl -u me:correct-horse-battery localhost"), "masked");
  assertEquals(shown(`echo ${"x".repeat(MAX_ASKED_CHARS)}`), "cut");
  assertEquals(shown(""), "cut");
});

Deno.test("what only a screen tells, and not all of it, is cut", () => {
  const dialog = { heading: "", otherReadings: [], options: [], fingerprint: "", kind: "command" } as const;
  const shown = (subjectComplete: boolean) => shownOf({ ...dialog, subject: "git push", subjectComplete }, redact);
  assertEquals([shown(true), shown(false)], ["whole", "cut"]);
});

Deno.test("an empty plan is shown whole, one that the screen does not show is cut", () => {
  const dialog = { heading: "", otherReadings: [], options: [], fingerprint: "", kind: "plan", subject: "" } as const;
  const shown = (subjectComplete: boolean) => shownOf({ ...dialog, subjectComplete }, redact);
  assertEquals([shown(true), shown(false)], ["whole", "cut"]);
});

Deno.test("a yes to what is not shown whole is refused, whoever gives it; a no and an answer to a question are not", () => {
  const given = { question: "q1", answeredAt: "2026-11-20T07:26:05.000Z" } as const;
  const refusal = (answer: string, shown: "whole" | "masked" | "cut", isPermission = true) =>
    (["terminal", "command", "http", "mcp", "notification"] as const).map((by) =>
      refusalOf({ ...given, answer, by }, { isReserved: false, isPermission, shown, answersFrom: "any" })
    );
  for (const problem of refusal("yes", "masked")) assertMatch(problem ?? "", /looks like a secret/);
  for (const problem of refusal("yes", "cut")) assertMatch(problem ?? "", /not all of it can be shown/);
  for (const shown of ["masked", "cut"] as const) {
    assertEquals(new Set(refusal("no, use the test key", shown)), new Set([undefined]));
    assertEquals(new Set(refusal("yes", shown, false)), new Set([undefined]));
  }
  assertEquals(new Set(refusal("yes", "whole")), new Set([undefined]));
});
