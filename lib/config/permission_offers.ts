import { EVERYDAY_LIST } from "./allow_list.ts";

/** The settings that `init` offers for work that nobody watches. */
export const PERMISSION_OFFERS = ["allow-list", "sandbox"] as const;

export type PermissionOffer = typeof PERMISSION_OFFERS[number];

interface OfferedSettings {
  readonly about: readonly string[];
  readonly inShort: string;
  readonly topLevel?: Readonly<Record<string, string>>;
  readonly permissions: Readonly<Record<string, string>>;
}

interface OfferOptions {
  /** Whether the list is written out; otherwise its key is there instead. @default {false} */
  readonly full?: boolean;
}

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

const MAX_COLUMNS = 110;

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
