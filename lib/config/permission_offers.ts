import { OFFERED_ALLOW_LIST } from "./allow_list.ts";

/** The settings that `init` offers for work that nobody watches. */
export const PERMISSION_OFFERS = ["allow-list", "sandbox"] as const;

/** One of {@linkcode PERMISSION_OFFERS}. */
export type PermissionOffer = typeof PERMISSION_OFFERS[number];

/** What a written configuration says for an offer. */
export interface OfferedSettings {
  /** What it proves and what not, as lines for a comment. */
  readonly about: readonly string[];
  /** Keys of the top level, and the JSON text that each is set to. @default {{}} */
  readonly topLevel?: Readonly<Record<string, string>>;
  /** The same in `permissions`. */
  readonly permissions: Readonly<Record<string, string>>;
}

/**
 * What a written configuration says for an offer.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const { topLevel, permissions } = offeredSettings("sandbox");
 * assertEquals(topLevel, { sandbox: '"cli"' });
 * assertEquals(permissions, { auto_accept: "true", default: '"allow"' });
 * ```
 */
export function offeredSettings(offer: PermissionOffer): OfferedSettings {
  switch (offer) {
    case "allow-list":
      return {
        about: [
          "An allow list: what no entry of `allow` names is put to you. It decides about what an agent asks for; what an",
          "accepted command then does, nobody reads: a test runs whatever the agent wrote into it. It is no boundary.",
          'The other way is a sandbox: `sandbox` is "cli" above, and here `default` is "allow" and `allow` is empty.',
        ],
        permissions: { auto_accept: "true", default: '"ask"', allow: allowListText() },
      };
    case "sandbox":
      return {
        about: [
          "A sandbox (`sandbox` above): the operating system keeps commands of agents from writing outside of the working",
          "directory and of `writable`, and from the network; a run refuses to start where that is not so. Inside, an agent may",
          "change anything, and it reads what you can read. Programs that the CLI itself starts (MCP servers, its own hooks)",
          'are not in it. The other way is an allow list: "panewright init --permissions allow-list" writes one.',
        ],
        topLevel: { sandbox: '"cli"' },
        permissions: { auto_accept: "true", default: '"allow"' },
      };
    default:
      return offer satisfies never;
  }
}

/** The longest line of the list. */
const MAX_COLUMNS = 110;

/** The offered list as JSON with comments, indented as a value in a group. */
function allowListText(): string {
  const indent = "      ";
  const lines = OFFERED_ALLOW_LIST.flatMap(({ about, rules }) => {
    const rows = [`${indent}// ${about}`];
    let row = indent;
    for (const rule of rules) {
      const text = `${JSON.stringify(rule)},`;
      if (row.trim() !== "" && row.length + text.length > MAX_COLUMNS) {
        rows.push(row.trimEnd());
        row = indent;
      }
      row += `${text} `;
    }
    return [...rows, row.trimEnd()];
  });
  return ["[", ...lines, "    ]"].join("\n");
}
