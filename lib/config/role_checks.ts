import { resolve } from "@std/path/posix";
import { isBuiltIn, ROLES } from "../base/roles.ts";
import { didYouMean, nearest } from "../base/text/suggest.ts";
import { LOOP_NAMES, loopProblem, outlineOf, rolesIn, testerIn, uncalledRoles } from "../jobs/review_loop/shapes.ts";
import { REVIEW_LOOP_SETTINGS } from "../jobs/review_loop/settings.ts";
import { type CheckContext, problemOf, readNamedFile, report, reportMissing } from "./checks.ts";
import type { Problem } from "./layers.ts";
import { isMade, ownRolesIn, roleNameProblem, type RolesConfig } from "./roles_schema.ts";
import { isKeyed, valueAt } from "./source.ts";

/** Checks that somebody says when a loop is done, that it begins with one of its roles, and that all of these are known. */
export function checkLoop(context: CheckContext, onWarning: (warning: Problem) => void): void {
  const { shape, projectTestCmd, startAgent, mendedBy } = REVIEW_LOOP_SETTINGS;
  const { merged } = context;
  const [path, startPath] = [[shape.names.key], [startAgent.names.key]];
  const given = valueAt(merged, path) ?? shape.value.default;
  const mends = valueAt(merged, [mendedBy.names.key]);
  if (typeof given !== "string" || !shape.value.pattern.test(given)) return;
  const ownRoles = ownRolesIn(rolesOf(context));
  const loop = { shape: given, ownRoles, mendedBy: typeof mends === "string" ? mends : undefined };
  const isOneWord = !given.includes(",") && !LOOP_NAMES.some((name) => name === given);
  if (isOneWord && !isBuiltIn(given) && ownRoles[given] === undefined) {
    return report(context, path, `% must be ${shape.value.must}, but is the string "${given}"`);
  }
  const problem = loopProblem(loop);
  if (problem !== undefined) return report(context, path, `% is ${given}: ${problem}`);
  const command = [projectTestCmd.names.key];
  if (testerIn(loop) === undefined && valueAt(merged, command) === undefined) {
    reportMissing(context, path, {
      message:
        `% is ${given}, which has no tester: only ${projectTestCmd.names.key} can tell there whether the work is done`,
      missing: [command],
    });
  }
  const first = valueAt(merged, startPath);
  const has = rolesIn(loop);
  if (typeof first === "string" && startAgent.value.pattern.test(first) && !has.includes(first)) {
    const known = [...ROLES, ...Object.keys(ownRoles)];
    const other = `% is ${first}, but the loop ${given} has only ${has.join(", ")}`;
    report(context, startPath, known.includes(first) ? other : noneOf(first, known));
  }
  const tried = has.filter((role) => Number(valueAt(merged, ["roles", role, "attempts"]) ?? 1) > 1);
  for (const [index, role] of tried.entries()) {
    const at = ["roles", role, "attempts"];
    const gives = outlineOf(loop).find(({ name }) => name === role)?.gives;
    if (gives !== "work") {
      report(context, at, `% is there, but the ${role} gives a ${gives}: only work is done several times`);
    } else if (index > 0) {
      report(context, at, `% is there, and so is that of the ${tried[0]}: only one role's work is done several times`);
    }
  }
  for (const { name, gives } of outlineOf(loop)) {
    const at = ["roles", name, "isolation"];
    if (gives !== "work" || valueAt(merged, at) !== "workspace") continue;
    report(context, at, `% is workspace, but the ${name} works: nothing would stay of what it does`);
  }
  for (const role of uncalledRoles(loop)) {
    onWarning(
      problemOf(context, ["roles", role], `% is called by nobody: the loop ${given} has only ${has.join(", ")}`),
    );
  }
}

/** Checks what the configuration says of roles, and reads what they are told besides. */
export async function checkRoles(context: CheckContext): Promise<void> {
  const { baseOf, cwd, fileLayer } = context;
  const roles = rolesOf(context);
  const known = [...ROLES, ...Object.keys(ownRolesIn(roles))];
  checkRuleRoles(context, known);
  for (const [role, entry] of Object.entries(roles)) {
    const path = ["roles", role];
    if (!isBuiltIn(role) && !isMade(entry)) {
      const near = nearest(role, ROLES);
      const meant = near === undefined ? "." : `; did you mean "${near}"?`;
      report(context, path, `unknown role "${role}" in roles${meant} Allowed here: ${ROLES.join(", ")}`);
      continue;
    }
    if (!isBuiltIn(role)) checkOwnRole(context, { role, entry, known });
    const prompt = entry?.prompt;
    if (typeof prompt !== "string" || prompt === "") continue;
    const file = resolve(fileLayer === undefined ? cwd : baseOf(fileLayer), prompt);
    if ((await readNamedFile(context, [...path, "prompt"], file))?.trim() === "") {
      report(context, [...path, "prompt"], `% names ${file}, but it is empty`);
    }
  }
}

function checkOwnRole(
  context: CheckContext,
  { role, entry, known }: {
    readonly role: string;
    readonly entry: RolesConfig[string];
    readonly known: readonly string[];
  },
): void {
  const path = ["roles", role];
  const problem = roleNameProblem(role);
  if (problem !== undefined) return report(context, path, `% ${problem}`);
  const { gives, prompt, reads = [], reviews } = entry ?? {};
  if (prompt === undefined) {
    reportMissing(context, path, {
      message: "% is a role of your own and has no prompt: only the file that it names says what the role does",
      missing: [[...path, "prompt"]],
    });
  }
  if (gives === "review" && reviews === undefined) {
    reportMissing(context, path, {
      message: "% gives a review, but does not say of whose work",
      missing: [[...path, "reviews"]],
    });
  }
  if (reviews !== undefined && gives !== undefined && gives !== "review") {
    report(context, [...path, "reviews"], `% is there, but the role gives ${gives}: who reviews gives a review`);
  }
  for (const [key, names] of [["reviews", reviews === undefined ? [] : [reviews]], ["reads", reads]] as const) {
    const unknown = Array.isArray(names) ? names.find((name) => !known.includes(name)) : undefined;
    if (unknown === undefined) continue;
    report(context, [...path, key], `% names "${unknown}", but there is no such role${didYouMean(unknown, known)}`);
  }
}

/** A rule for a role that is not there would hold for nobody. */
function checkRuleRoles(context: CheckContext, known: readonly string[]): void {
  for (const list of ["deny", "ask", "allow"]) {
    const entries = valueAt(context.merged, ["permissions", list]);
    for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      const roles: unknown = isKeyed(entry) ? entry["roles"] : undefined;
      const at = Array.isArray(roles)
        ? roles.findIndex((role) => typeof role === "string" && !known.includes(role))
        : -1;
      if (!Array.isArray(roles) || at < 0) continue;
      report(context, ["permissions", list, index, "roles", at], noneOf(roles[at], known));
    }
  }
}

function noneOf(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const meant = near === undefined ? "" : `; did you mean "${near}"?`;
  return `% must be one of ${known.join(", ")}, but is the string ${JSON.stringify(name)}${meant}`;
}

/** The roles as they are given: what is wrong with their form is told elsewhere. */
function rolesOf({ merged }: CheckContext): RolesConfig {
  const { roles } = merged;
  return isKeyed(roles)
    ? Object.fromEntries(Object.entries(roles).filter(([, role]) => isKeyed(role))) as RolesConfig
    : {};
}
