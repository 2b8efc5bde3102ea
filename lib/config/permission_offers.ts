import { EVERYDAY_LIST } from "./allow_list.ts";

/** The settings that `init` offers for work that nobody watches. */
export const PERMISSION_OFFERS = ["allow-list", "sandbox"] as const;

/** One of {@linkcode PERMISSION_OFFERS}. */
export type PermissionOffer = typeof PERMISSION_OFFERS[number];

/** What a written configuration says for an offer. */
interface OfferedSettings {
  /** What it proves and what not, as lines for a comment. */
  readonly about: readonly string[];
  /** The same in a line. */
  readonly inShort: string;
  /** Keys of the top level, and the JSON text that each is set to. @default {{}} */
  readonly topLevel?: Readonly<Record<string, string>>;
  /** The same in `permissions`. */
  readonly permissions: Readonly<Record<string, string>>;
}

/** How {@linkcode offeredSettings} writes. */
interface OfferOptions {
  /** Whether the list is written out; otherwise its key is there instead. @default {false} */
  readonly full?: boolean;
}

/** What a written configuration says for an offer. */
export function offeredSettings(offer: PermissionOffer, { full = false }: OfferOptions = {}): OfferedSettings {
  switch (offer) {
    case "allow-list":
      return {
        about: [
          "An allow list: you are asked about what no entry of `allow` names. It decides about what an agent asks for. Nothing",
          "checks what an accepted command then does: a test runs whatever the agent wrote into it. It is no boundary.",
          'The other way is a sandbox: `sandbox` is "cli" above, and here `default` is "allow" and `allow` is empty.',
        ],
        inShort:
          'Everyday commands and edits here are accepted ("panewright permissions list"); you are asked about the rest.',
        permissions: {
          auto_accept: "true",
          default: '"ask"',
          ...(full ? { allow: everydayText("    ") } : { allow_everyday: "true" }),
        },
      };
    case "sandbox":
      return {
        about: [
          "A sandbox (`sandbox` above): the operating system keeps commands of agents from writing outside of the working",
          "directory and of `writable`, and from the network; a run refuses to start where that is not so. Inside, an agent may",
          "change anything, and it reads what you can read. Programs that the CLI itself starts (MCP servers, its own hooks)",
          'are not in it. The other way is an allow list: "panewright init --permissions allow-list" writes one.',
        ],
        inShort:
          "The sandbox of the agent's CLI keeps commands in this folder and off the network; inside, all is accepted.",
        topLevel: { sandbox: '"cli"' },
        permissions: { auto_accept: "true", default: '"allow"' },
      };
    default:
      return offer satisfies never;
  }
}

/** The longest line of the list. */
const MAX_COLUMNS = 110;

/**
 * {@linkcode EVERYDAY_LIST} as JSON with comments.
 *
 * @param indent stands before each line but the first
 */
export function everydayText(indent: string): string {
  const inner = `${indent}  `;
  const lines = EVERYDAY_LIST.flatMap(({ about, rules }) => {
    const rows = [`${inner}// ${about}`];
    let row = inner;
    for (const rule of rules) {
      const text = `${JSON.stringify(rule)},`;
      if (row.trim() !== "" && row.length + text.length > MAX_COLUMNS) {
        rows.push(row.trimEnd());
        row = inner;
      }
      row += `${text} `;
    }
    return [...rows, row.trimEnd()];
  });
  return ["[", ...lines, `${indent}]`].join("\n");
}
