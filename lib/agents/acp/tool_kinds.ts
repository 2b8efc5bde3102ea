export const ACP_TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

export type AcpToolKind = (typeof ACP_TOOL_KINDS)[number];

export const ACP_ACTING_KINDS = ["execute", "edit", "delete", "move"] as const satisfies readonly AcpToolKind[];

export type AcpActingKind = (typeof ACP_ACTING_KINDS)[number];
