import { decidePermission, exactRequest } from "../../lib/dialogs/policy/mod.ts";
import { offeredAllowList, TABLE_WORKDIR, tableRows } from "../support/permission_table.ts";

const ROWS = tableRows("everyday");
const CONTEXT = { policy: offeredAllowList(), workdir: TABLE_WORKDIR, role: "programmer", provider: "codex" } as const;

Deno.bench(`decide about ${ROWS.length} everyday requests under the offered allow list`, () => {
  for (const { kind, subject } of ROWS) decidePermission(exactRequest(kind, subject), CONTEXT);
});
