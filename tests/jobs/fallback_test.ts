import { assertEquals } from "@std/assert";
import { agentDue, fallbacksOf, loginOf } from "../../lib/jobs/fallback.ts";
import { stillUnusable, type Unusable, unusableWith } from "../../lib/journal/recovery.ts";

const AT = "2026-11-20T22:00:00Z";

const agent = (id: string, login?: string) => ({ provider: { id }, ...(login === undefined ? {} : { login }) });

const OWN = { ...agent("codex"), fallbacks: [agent("claude_code"), agent("codex", "codex (~/work)")] };

interface Around {
  readonly unusable?: readonly Unusable[];
  readonly current?: string;
  readonly worker?: string;
  readonly hours?: number;
}

function dueIn({ unusable = [], current, worker = "tester", hours = 0 }: Around): string {
  const now = new Date(Date.parse(AT) + hours * 3_600_000);
  return loginOf(agentDue(OWN, { unusable, worker, now, current }));
}

Deno.test("who is to play: who plays already, else the first that can, and the own one once its limit is reset", () => {
  const limited = { login: "codex", until: "2026-11-21T03:00:00Z" };
  assertEquals(dueIn({}), "codex");
  assertEquals(dueIn({ unusable: [limited] }), "claude_code");
  assertEquals(dueIn({ unusable: [limited], hours: 6 }), "codex");
  assertEquals(dueIn({ unusable: [limited], hours: 6, current: "claude_code" }), "claude_code");
  const both = [limited, { login: "claude_code" }];
  assertEquals(dueIn({ unusable: both }), "codex (~/work)");
  assertEquals(dueIn({ unusable: [...both, { login: "codex (~/work)" }] }), "codex");
  // What only one role cannot use, another can.
  const ofTester = [{ login: "codex", worker: "tester" }];
  assertEquals(dueIn({ unusable: ofTester }), "claude_code");
  assertEquals(dueIn({ unusable: ofTester, worker: "analyst" }), "codex");
});

Deno.test("when another agent can take the place of one: at once, at the first reset, or never", () => {
  const now = new Date(AT);
  const of = (unusable: readonly Unusable[], current = "codex") =>
    fallbacksOf(OWN, { unusable, worker: "tester", now, current }).at?.toISOString();
  assertEquals(of([]), "1970-01-01T00:00:00.000Z");
  const until = "2026-11-21T03:00:00.000Z";
  assertEquals(of([{ login: "claude_code" }, { login: "codex (~/work)", until }]), until);
  assertEquals(of([{ login: "claude_code" }, { login: "codex (~/work)" }]), undefined);
  assertEquals(fallbacksOf(agent("codex"), { unusable: [], worker: "", now, current: "codex" }), { count: 0 });
});

Deno.test("a login is left alone until its reset, an hour where it passes, else until somebody resumes the run", () => {
  const left = (failure: Parameters<typeof unusableWith>[1]["class"], resetsAt?: string) =>
    unusableWith({}, { recovery: "fallback", login: "codex", class: failure, resetsAt, worker: "tester" }, AT).unusable;
  const until = "2026-11-21T03:00:00Z";
  assertEquals(left("usage_limit", until), [{ login: "codex", until }]);
  assertEquals(left("usage_limit", "2026-11-20T21:59:00Z"), [{ login: "codex", until: "2026-11-20T22:01:00.000Z" }]);
  assertEquals(left("overloaded"), [{ login: "codex", until: "2026-11-20T23:00:00.000Z" }]);
  assertEquals(left("auth"), [{ login: "codex" }]);
  assertEquals(left("context"), [{ login: "codex", worker: "tester" }]);
  assertEquals(unusableWith({}, { recovery: "reset", login: "codex", class: "auth", worker: "tester" }, AT), {});
  const again = { recovery: "fallback", login: "codex", class: "usage_limit", worker: "analyst" } as const;
  assertEquals(unusableWith({ unusable: [{ login: "codex", until }] }, again, AT), { unusable: [{ login: "codex" }] });
  assertEquals(stillUnusable({ unusable: [{ login: "codex", until }, { login: "claude_code" }] }), {
    unusable: [{ login: "codex", until }],
  });
});
