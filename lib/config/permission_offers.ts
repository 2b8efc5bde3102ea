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
  /** The hosts that the project installs from, as far as they are known. @default {[]} */
  readonly hosts?: readonly string[] | undefined;
}

export function offeredSettings(
  offer: PermissionOffer,
  { full = false, hosts = [] }: OfferOptions = {},
): OfferedSettings {
  switch (offer) {
    case "allow-list":
      return {
        about: [
          "An allow list: you are asked about what no entry of `allow` names. It decides about what an agent asks for. Nothing",
          "checks what an accepted command then does: a test runs whatever the agent wrote into it. It is no boundary.",
          'The other way is a sandbox: `sandbox` is "auto" above, and here `default` is "allow" and `allow` is empty.',
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
          "A sandbox (`sandbox` above): the operating system keeps agents, the test command and checks from writing outside of",
          "the working directory and of `writable`, and from hosts that are not named in `sandbox_network`. Inside, an agent",
          "may change anything. Where the machine cannot, the sandbox of each agent's CLI holds its commands, as the run says;",
          'where there is none either, it does not start. The other way: "panewright init --permissions allow-list".',
        ],
        inShort:
          "A sandbox keeps agents in this folder, and off other hosts than sandbox_network names; inside, all is accepted.",
        topLevel: {
          sandbox: '"auto"',
          ...(hosts.length === 0
            ? {}
            : { sandbox_network: `[${hosts.map((host) => JSON.stringify(host)).join(", ")}]` }),
        },
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
