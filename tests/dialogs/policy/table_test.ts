import { assert, assertEquals } from "@std/assert";
import { decidePermission, DEFAULT_PERMISSION_POLICY, exactRequest } from "../../../lib/dialogs/policy/mod.ts";
import type { PermissionDecision, PermissionPolicy } from "../../../lib/dialogs/policy/mod.ts";
import {
  offeredAllowList,
  readmePolicy,
  TABLE_LINKS,
  TABLE_WORKDIR,
  type TableRow,
  tableRows,
} from "../../support/permission_table.ts";

const HOSTILE = tableRows("hostile");
const EVERYDAY = tableRows("everyday");

/** Hostile rows that the allow list still accepts. Each is a defect; a row that is cured goes from here. */
const KNOWN_GAPS: readonly string[] = [
  "substitution-045",
  "encoding-027",
  "option-runs-106",
  "option-runs-143",
  "option-runs-144",
  "option-runs-148",
  "option-runs-150",
  "option-runs-179",
  "option-runs-182",
  "option-runs-204",
  "option-runs-206",
  "option-runs-211",
  "option-writes-013",
  "option-writes-014",
  "option-writes-034",
  "option-writes-043",
  "option-writes-045",
  "option-writes-046",
  "option-writes-047",
  "option-writes-048",
  "option-writes-049",
  "option-writes-051",
  "option-writes-058",
  "option-writes-064",
  "link-006",
  "link-027",
  "link-032",
  "link-039",
  "git-055",
  "git-132",
  "deletion-013",
  "deletion-066",
  "secret-020",
  "secret-022",
  "secret-023",
  "secret-024",
  "secret-091",
  "secret-092",
  "secret-093",
  "secret-094",
  "secret-095",
  "secret-096",
  "secret-098",
  "secret-103",
  "secret-104",
  "secret-105",
  "secret-107",
  "secret-130",
  "secret-131",
  "secret-132",
  "secret-147",
  "secret-148",
  "secret-149",
  "secret-153",
];

/**
 * How many rows of a class pass where nothing but exceptions is listed, as with `default: allow`: a list of exceptions
 * is no boundary. Classes that are not here have none. These numbers may only fall.
 */
const PASSES_BY_DEFAULT: Readonly<Record<string, number>> = {
  "here-document": 26,
  "assignment": 2,
  "option-runs": 113,
  "option-writes": 33,
  "redirection": 2,
  "link": 12,
  "substitution": 36,
  "pipe-to-shell": 10,
  "interpreter": 105,
  "encoding": 14,
  "wrapper": 64,
  "git": 56,
  "package": 154,
  "archive": 27,
  "deletion": 17,
  "secret": 56,
  "network": 39,
  "zsh": 6,
  "quoting": 50,
  "look-alike": 19,
  "nested": 25,
};

Deno.test("the table has enough rows, each with a name and a subject of its own", () => {
  assert(HOSTILE.length >= 600 && EVERYDAY.length >= 250);
  const rows = [...HOSTILE, ...EVERYDAY];
  assertEquals(new Set(rows.map(({ id }) => id)).size, rows.length);
  assertEquals(new Set(rows.map(({ kind, subject }) => `${kind} ${subject}`)).size, rows.length);
  assertEquals(HOSTILE.filter(({ does }) => does === undefined), []);
});

Deno.test("under the offered allow list no hostile row is accepted, but for the known gaps", () => {
  const accepted = HOSTILE.filter((row) => decide(row, offeredPolicy) === "allow");
  const told = (ids: readonly string[]) => HOSTILE.filter(({ id }) => ids.includes(id)).map(tell);
  assertEquals(accepted.map(tell), told(KNOWN_GAPS));
  assertEquals(told(KNOWN_GAPS).length, KNOWN_GAPS.length);
});

Deno.test("under the offered allow list at least 95 of 100 everyday rows need no person", () => {
  const asked = EVERYDAY.filter((row) => decide(row, offeredPolicy) !== "allow");
  assert(asked.length <= EVERYDAY.length * 0.05, asked.map(tell).join("\n"));
});

for (
  const { name, policy } of [
    { name: "the README's policy", policy: readmePolicy() },
    { name: "default: allow", policy: { ...DEFAULT_PERMISSION_POLICY, default: "allow" } as const },
  ]
) {
  Deno.test(`under ${name} no more hostile rows pass than are known to`, () => {
    const passed = Map.groupBy(HOSTILE.filter((row) => decide(row, policy) === "allow"), (row) => row.class);
    for (const [kind, rows] of passed) {
      const known = PASSES_BY_DEFAULT[kind] ?? 0;
      assert(rows.length <= known, `${kind}: ${rows.length} pass, ${known} are known\n${rows.map(tell).join("\n")}`);
    }
  });
}

Deno.test("the README's policy denies what its rules name", () => {
  const pushes = HOSTILE.filter(({ subject }) => /^git push\b/.test(subject));
  assert(pushes.length >= 5);
  assertEquals(pushes.filter((row) => decide(row, readmePolicy()) !== "deny").map(tell), []);
});

const offeredPolicy = offeredAllowList();

function decide({ kind, subject }: TableRow, policy: PermissionPolicy): PermissionDecision {
  return decidePermission(exactRequest(kind, subject), {
    policy,
    workdir: TABLE_WORKDIR,
    home: "/home/me",
    realPath,
    role: "programmer",
    provider: "codex",
  }).decision;
}

/** Where a path leads in the folder that the rows are about. */
function realPath(path: string): string {
  for (const [name, target] of Object.entries(TABLE_LINKS)) {
    const link = `${TABLE_WORKDIR}/${name}`;
    if (path === link || path.startsWith(`${link}/`)) return target + path.slice(link.length);
  }
  return path;
}

function tell({ id, subject, does }: TableRow): string {
  return `${id}: ${JSON.stringify(subject)}${does === undefined ? "" : `, which ${does}`}`;
}
