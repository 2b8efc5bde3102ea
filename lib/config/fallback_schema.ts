import * as z from "zod";
import type { ProviderId } from "../agents/provider.ts";
import type { ShapedSlice } from "./shapes.ts";

const LOGIN = /^(?:~\/|\/)/;

const entry = (ids: readonly ProviderId[]) =>
  z.union([
    z.enum(ids),
    z.strictObject({
      provider: z.enum(ids).describe("The agent CLI."),
      login: z.string().regex(LOGIN, "must be an absolute path, or one that begins with ~/").optional().describe(
        "The folder with another login of it, as in its CODEX_HOME or CLAUDE_CONFIG_DIR.",
      ),
    }),
  ]);

export const fallbackSettings = (ids: readonly ProviderId[]) => ({
  fallback: {
    names: { key: "fallback" },
    value: {
      kind: "shape",
      schema: () => z.array(entry(ids)),
      must: "an array of providers, or of objects with a provider and a login",
      default: [],
    },
    description:
      "Who takes the place of an agent that cannot continue, since its account's limit is reached, say, or its model " +
      "server is down: providers, and other logins, in this order. Sandbox and policy stay as they are. Once the limit is " +
      "reset, the role's or step's own agent continues with its next turn.",
    example: [ids[1], { provider: ids[0], login: "~/.codex-work" }],
  },
} as const satisfies ShapedSlice);

/** An entry of the setting. */
export type FallbackEntry = z.output<ReturnType<typeof entry>>;
