import { parse } from "jsonc-parser";
import { EVERYDAY_LIST } from "../../lib/config/allow_list.ts";
import { toPermissionPolicy } from "../../lib/config/common_plan.ts";
import { permissionRuleSettings } from "../../lib/config/permissions_schema.ts";
import type { PermissionPolicy } from "../../lib/policy/mod.ts";
import type { DialogKind } from "../../lib/screen/dialog.ts";
import { PROVIDER_IDS } from "../../lib/agents/mod.ts";

const ROOT = new URL("../../", import.meta.url);

/** One request of the table in `fixtures/permissions`. */
export interface TableRow {
  readonly id: string;
  readonly class: string;
  readonly kind: DialogKind;
  /** The command, or the paths, one a line; the working directory is {@linkcode TABLE_WORKDIR}. */
  readonly subject: string;
  /** What a hostile request would do. */
  readonly does?: string;
  /** The policies under which a hostile request is accepted all the same. */
  readonly passes?: readonly TablePolicy[];
  /** The policies under which an everyday request is not accepted. */
  readonly stopped?: readonly TablePolicy[];
}

/** The allow list that `init` offers, that of docs/permissions.md, and one that is nothing but `default: allow`. */
export type TablePolicy = "offered" | "readme" | "default";

/** The working directory that the rows of the table name. */
export const TABLE_WORKDIR = "/srv/shop";

/** The links in the working directory that the rows name, with where they lead. */
export const TABLE_LINKS: Readonly<Record<string, string>> = {
  "etc-link": "/etc",
  "up-link": "/srv",
  "hooks-link": `${TABLE_WORKDIR}/.git/hooks`,
  "home-link": "/home/me",
};

/** The folders in the working directory that the rows name and that are no repositories. */
const TABLE_FOLDERS = ["packages", "packages/api", "packages/web", "src"].map((name) => `${TABLE_WORKDIR}/${name}`);

export function mayHoldRepository(folder: string): boolean {
  return !TABLE_FOLDERS.includes(folder);
}

/** The hostile or the everyday rows of the table. */
export function tableRows(name: "hostile" | "everyday"): readonly TableRow[] {
  const text = Deno.readTextFileSync(new URL(`fixtures/permissions/${name}.ndjson`, ROOT));
  return text.trimEnd().split("\n").map((line) => ({ kind: "command", ...JSON.parse(line) }));
}

/** The allow list that `panewright init` offers. */
export function offeredAllowList(): PermissionPolicy {
  const allow = EVERYDAY_LIST.flatMap(({ rules }) => rules);
  return policyOf(JSON.stringify({ default: "ask", allow, writable: ["/tmp"] }));
}

/** An allow list as a person may write it. */
export function listedPolicy(): PermissionPolicy {
  const bare = "git status, npm test, ls, make test, pytest, go test, cargo test, node --test, git branch, pwd";
  const open =
    "git status, git diff, git log, git show, git branch, git add, git commit, npm test, npm run, ls, cat, grep, " +
    "rg, find, fd, sed -n, awk, sort, head, tail, wc, jq, make, pytest, python -m pytest, go test, go build, cargo test, " +
    "node --test, echo, cd, mkdir, cp, mv, rm, curl, npx jest, deno test, ctest, docker ps";
  const allow = [...bare.split(", "), ...open.split(", ").map((program) => `${program} **`)];
  return policyOf(JSON.stringify({ default: "ask", allow, writable: ["/tmp"] }));
}

/** The policy that docs/permissions.md shows. */
export function documentedPolicy(): PermissionPolicy {
  const page = Deno.readTextFileSync(new URL("docs/permissions.md", ROOT));
  const shown = /```jsonc\n"permissions": (\{\n[^]*?\n\})\n```/.exec(page)?.[1];
  if (shown === undefined) throw new Error("docs/permissions.md shows no policy");
  return policyOf(shown);
}

/** A policy from the text of a config's `permissions`, checked as a config is. */
function policyOf(text: string): PermissionPolicy {
  const given = parse(text);
  const { deny, ask, allow } = permissionRuleSettings(PROVIDER_IDS);
  const [denied, asked, allowed] = [deny, ask, allow].map(({ names, value }) =>
    value.schema().parse(given[names.key.split(".")[1] as string] ?? [])
  );
  return toPermissionPolicy({ lift_builtin: [], writable: [], ...given, deny: denied, ask: asked, allow: allowed });
}

/** Shell texts that, in one shell or another, run `touch pwned`. */
export function payloadTexts(): readonly string[] {
  const text = Deno.readTextFileSync(new URL("fixtures/permissions/payloads.ndjson", ROOT));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line).subject);
}
