import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  decidePermission,
  DEFAULT_PERMISSION_POLICY,
  type PermissionPolicy,
  type PermissionRequest,
} from "../../lib/policy/mod.ts";
import { present } from "../../lib/base/schema.ts";
import TABLE from "../../fixtures/permissions/decisions.json" with { type: "json" };

type Entry = string | PermissionPolicy["allow"][number];

/** A policy as the table has it: an entry that is a text is a command, and what is left out is the default's. */
type TablePolicy =
  & Partial<Omit<PermissionPolicy, "allow" | "ask" | "deny">>
  & {
    readonly [List in "allow" | "ask" | "deny"]?: readonly Entry[];
  };

interface Case extends Partial<Pick<PermissionRequest, "kind" | "otherReadings" | "tool" | "unread">> {
  /** The policies that all decide so, by name or as they are. @default the default policy */
  readonly under?: readonly (string | TablePolicy)[];
  readonly role?: "tester";
  readonly provider?: "claude_code";
  /** Whether only a part of the subject is shown. */
  readonly isCut?: boolean;
  /** Decision and rule. */
  readonly is: string;
  readonly reason?: string;
  readonly of: readonly (string | null)[];
}

const POLICIES = TABLE.policies as Readonly<Record<string, TablePolicy>>;
const LINKS: Readonly<Record<string, string>> = { "/w/link": "/etc", "/w/inner": "/w/.git" };

/** Where the commands of a test are run, and what is written there besides. */
const PLACES = {
  shop: { context: { workdir: "/srv/shop" }, policy: { allow: [] } },
  linked: {
    context: { workdir: "/w", home: "/home/jane", realPath },
    policy: { allow: [{ path: "**", kinds: ["file_write"] as const }], writable: ["/tmp"] },
  },
} as const;

function realPath(path: string): string {
  const link = Object.keys(LINKS).find((one) => path === one || path.startsWith(`${one}/`));
  return link === undefined ? path : `${LINKS[link]}${path.slice(link.length)}`;
}

function policyOf(named: string | TablePolicy, place: keyof typeof PLACES): PermissionPolicy {
  const policy = typeof named === "string" ? POLICIES[named]! : named;
  const rules = (entries: readonly Entry[] = []) =>
    entries.map((entry) => typeof entry === "string" ? { command: entry } : entry);
  const { allow, ...more } = PLACES[place].policy;
  const lists = { allow: [...rules(policy.allow), ...allow], ask: rules(policy.ask), deny: rules(policy.deny) };
  return { ...DEFAULT_PERMISSION_POLICY, ...policy, ...lists, ...more };
}

for (const { what, place, provider: usual = "codex", cases } of TABLE.tests) {
  Deno.test(what, () => {
    for (const one of cases as readonly Case[]) {
      const { under = [{}], kind = "command", provider = usual, role = "programmer", isCut = false } = one;
      for (const named of under) {
        const policy = policyOf(named, place as keyof typeof PLACES);
        const { context } = PLACES[place as keyof typeof PLACES];
        const found = one.of.map((subject) => {
          const { otherReadings = [], tool, unread = false } = one;
          const request = { kind, subject: subject ?? undefined, otherReadings, unread, ...present({ tool }) };
          const { decision, rule, reason } = decidePermission(
            { ...request, subjectComplete: !isCut },
            { ...context, policy, role, provider: provider as "codex" },
          );
          if (one.reason !== undefined) assertStringIncludes(reason, one.reason);
          return [subject, `${decision} ${rule}`];
        });
        // One comparison shows all that differ.
        assertEquals(found, one.of.map((subject) => [subject, one.is]));
      }
    }
  });
}
