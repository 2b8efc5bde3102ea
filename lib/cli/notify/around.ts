import type { GlobalFlags } from "../console/command.ts";
import type { TrustSurroundings } from "../trust.ts";

export type NotifySurroundings = Pick<TrustSurroundings, "io" | "trust"> & Pick<GlobalFlags, "json" | "quiet">;
