import { permissionDecider } from "../../lib/policy/mod.ts";
import { offeredAllowList, TABLE_WORKDIR, tableRows } from "../support/permission_table.ts";

const ROWS = tableRows("everyday");
const CONTEXT = { policy: offeredAllowList(), workdir: TABLE_WORKDIR, role: "programmer", provider: "codex" } as const;
const decide = permissionDecider(CONTEXT);

Deno.bench(`decide about ${ROWS.length} everyday requests under the offered allow list`, () => {
  for (const { kind, subject } of ROWS) decide({ kind, subject });
});
