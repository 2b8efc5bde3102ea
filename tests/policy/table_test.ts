import { assert, assertEquals } from "@std/assert";
import { DEFAULT_PERMISSION_POLICY, permissionDecider } from "../../lib/policy/mod.ts";
import type { PermissionDecision, PermissionPolicy } from "../../lib/policy/mod.ts";
import {
  documentedPolicy,
  listedPolicy,
  mayHoldRepository,
  offeredAllowList,
  TABLE_LINKS,
  TABLE_WORKDIR,
  type TablePolicy,
  type TableRow,
  tableRows,
} from "../support/permission_table.ts";

const HOSTILE = tableRows("hostile");
const EVERYDAY = tableRows("everyday");

const DECIDERS: Readonly<Record<TablePolicy, ReturnType<typeof permissionDecider>>> = {
  offered: deciderFor(offeredAllowList()),
  readme: deciderFor(documentedPolicy()),
  default: deciderFor({ ...DEFAULT_PERMISSION_POLICY, default: "allow" }),
};

Deno.test("the table has enough rows, each with a name and a subject of its own", () => {
  assert(HOSTILE.length >= 3500 && EVERYDAY.length >= 250);
  const rows = [...HOSTILE, ...EVERYDAY];
  assertEquals(new Set(rows.map(({ id }) => id)).size, rows.length);
  assertEquals(new Set(rows.map(({ kind, subject }) => `${kind} ${subject}`)).size, rows.length);
  assertEquals(HOSTILE.filter(({ does }) => does === undefined), []);
});

Deno.test("under the offered allow list no hostile row is accepted", () => {
  assertEquals(HOSTILE.filter((row) => decide(row, "offered") === "allow").map(tell), []);
});

Deno.test("under an allow list of a person's own no hostile row is accepted", () => {
  const decider = deciderFor(listedPolicy());
  const passing = HOSTILE.filter(({ kind, subject }) => decider({ kind, subject }).decision === "allow");
  assertEquals(passing.map(tell), []);
});

Deno.test("under the offered allow list at least 95 of 100 everyday rows need no person", () => {
  const asked = EVERYDAY.filter((row) => decide(row, "offered") !== "allow");
  assert(asked.length <= EVERYDAY.length * 0.05, asked.map(tell).join("\n"));
});

for (const policy of ["offered", "readme", "default"] as const) {
  // Where nothing but exceptions is listed, what no rule names passes: such a policy is no boundary.
  Deno.test(`under the policy ${policy} just those hostile rows pass that the table says do`, () => {
    const passing = HOSTILE.filter((row) => decide(row, policy) === "allow");
    const expected = HOSTILE.filter(({ passes }) => passes?.includes(policy));
    assertEquals(passing.map(tell), expected.map(tell));
  });

  Deno.test(`under the policy ${policy} just those everyday rows are stopped that the table says are`, () => {
    const stopped = EVERYDAY.filter((row) => decide(row, policy) !== "allow");
    const expected = EVERYDAY.filter((row) => row.stopped?.includes(policy));
    assertEquals(stopped.map(tell), expected.map(tell));
  });
}

Deno.test("what builtin rules and protection are about is stopped under every policy", () => {
  const classes = ["panewright", "file", "dropped-character", "arithmetic"];
  const passing = HOSTILE.filter((row) => classes.includes(row.class) && row.passes !== undefined);
  assertEquals(passing.map(tell), []);
});

Deno.test("the policy of docs/permissions.md denies what its rules name", () => {
  const pushes = HOSTILE.filter(({ subject }) => /^git push\b/.test(subject));
  assert(pushes.length >= 5);
  assertEquals(pushes.filter((row) => decide(row, "readme") !== "deny").map(tell), []);
});

function decide({ kind, subject }: TableRow, policy: TablePolicy): PermissionDecision {
  return DECIDERS[policy]({ kind, subject }).decision;
}

function deciderFor(policy: PermissionPolicy): ReturnType<typeof permissionDecider> {
  const who = { workdir: TABLE_WORKDIR, home: "/home/me", role: "programmer", provider: "codex" } as const;
  return permissionDecider({ policy, ...who, realPath, mayHoldRepository });
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
