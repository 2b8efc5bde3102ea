import { usualKind } from "../../agents/usual_tools.ts";
import { present } from "../../base/schema.ts";
import { parsePermissionSubjects, type PermissionSubject } from "../policy_subjects.ts";
import { EVERYDAY_LIST } from "../../config/allow_list.ts";
import { everydayText } from "../../config/permission_offers.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { UsageError } from "../../base/errors.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import { loadSettings } from "../../config/load.ts";
import { policyDecider, WAYS, type Whose, whoseOf } from "../policy_ways.ts";
import { dialogKindsOf, OFFERED_PROVIDER_IDS, PROVIDERS } from "../../agents/mod.ts";
import { paint, type Style } from "../console/color.ts";
import { choiceFlag, type CliIo, defineCommand, switchFlag, textFlag } from "../console/command.ts";
import { configSource } from "../environment.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

const ACTIONS = ["test", "list"];
const KINDS = dialogKindsOf(PROVIDERS);

/** How many answers are written at once: a write for each would take longer than its decision. */
const BLOCK = 256;

export const command = defineCommand({
  arguments: [
    { name: "ACTION", description: ACTIONS.join(" or "), choices: ACTIONS, required: true },
    { name: "SUBJECT", description: "the command, or the file; quote it for your shell", rest: true, text: true },
  ],
  flags: {
    config: textFlag("FILE", "the config file (panewright.jsonc of the working directory)"),
    null: switchFlag("subjects on standard input are separated by NUL characters"),
    role: textFlag("ROLE", "whose dialog it is (programmer)", { completes: ["roles"] }),
    kind: choiceFlag(KINDS, `what the dialog asks for (command): ${KINDS.join(", ")}`, { placeholder: "KIND" }),
    tool: textFlag("NAME", "the CLI's name of the tool that is called: WebFetch (what the kind usually calls)"),
    as: choiceFlag(WAYS, "answers as that way would: in a step, in a pane, as a process, over ACP", {
      placeholder: "WAY",
    }),
    provider: choiceFlag(OFFERED_PROVIDER_IDS, "the agent CLI (that of the role in the configuration)", {
      placeholder: "ID",
    }),
  },
  async run({ flags, positionals, global }, io) {
    const [action = "", ...given] = positionals;
    if (!ACTIONS.includes(action)) {
      throw new UsageError(`Cannot do "${action}" with permissions${didYouMean(action, ACTIONS)}`, {
        hint: `ACTION is ${ACTIONS.join(" or ")}: panewright permissions test "COMMAND".`,
      });
    }
    if (action === "list") return listEveryday(given, { io, json: global.json });
    if (flags.null && given.length > 0) {
      throw new UsageError("Cannot take subjects both from the command line and, with --null, from standard input");
    }
    const loaded = await loadSettings(await configSource(io, { path: flags.config }));
    const { config } = loaded;
    const { tool, kind = tool === undefined ? "command" : usualKind(tool) } = flags;
    const asked = { kind, ...present({ tool }) };
    const whose = whoseOf(flags, loaded);
    const decide = policyDecider(whose, { loaded, home: io.env("HOME") });
    const separator = flags.null ? "\0" : "\n";
    const requests = given.length > 0
      ? given.map((subject) => ({ ...asked, subject }))
      : parsePermissionSubjects(await readText(io.readStdin, separator), { ...asked, kinds: KINDS, separator });
    const { auto_accept: autoAccept, dry_run: dryRun } = config.permissions;
    const tell = (request: PermissionSubject) => {
      const verdict = decide(request);
      return global.json
        ? outputLine("permission_decision", { ...verdict, ...request })
        : render(verdict, { ...request, ...whose, color: global.color.stdout });
    };
    for (let from = 0; from < requests.length; from += BLOCK) {
      io.signal.throwIfAborted();
      io.stdout(requests.slice(from, from + BLOCK).map(tell).join(""));
    }
    const notice = flags.as === undefined ? noticeOf({ autoAccept, dryRun }) : undefined;
    if (!global.json && notice !== undefined && requests.length > 0) io.stdout(notice);
    return 0;
  },
});

function listEveryday(
  given: readonly string[],
  { io, json }: { readonly io: CliIo; readonly json: boolean },
): number {
  if (given.length > 0) throw new UsageError(`Cannot list ${given.join(" ")}: "permissions list" takes no SUBJECT`);
  if (json) {
    const rules = EVERYDAY_LIST.flatMap((part) => part.rules);
    io.stdout(
      rules.map((rule) => outputLine("allow_rule", typeof rule === "string" ? { command: rule } : rule)).join(""),
    );
  } else io.stdout(`${everydayText("")}\n`);
  return 0;
}

async function readText(readStdin: () => Promise<Uint8Array>, separator: "\0" | "\n"): Promise<string> {
  const bytes = await readStdin();
  const decode = (part: Uint8Array) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part);
  try {
    return decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    const isText = (part: Uint8Array) => {
      try {
        return decode(part) !== undefined;
      } catch {
        return false;
      }
    };
    // No character but the separator itself has its byte.
    const code = separator.charCodeAt(0);
    let number = 1;
    for (let from = 0;; number++) {
      const end = bytes.indexOf(code, from);
      if (end === -1 || !isText(bytes.subarray(from, end))) break;
      from = end + 1;
    }
    throw new UsageError(`Cannot use record ${number} of standard input: it is not UTF-8 text`, { cause });
  }
}

interface Asked extends Whose, PermissionSubject {
  readonly color: boolean;
}

const DECISION_STYLES: Readonly<Record<PermissionVerdict["decision"], Style>> = {
  allow: "good",
  ask: "caution",
  deny: "bad",
};

function render({ decision, rule, reason }: PermissionVerdict, asked: Asked): string {
  const dialog = asked.tool === undefined ? `${asked.kind} dialog of` : `a call of ${sanitizeLine(asked.tool)} by`;
  return [
    `${paint(decision, DECISION_STYLES[decision], asked.color)}  ${sanitizeLine(asked.subject)}`,
    `  ${sanitizeLine(reason)}`,
    `  rule: ${rule}; ${dialog} ${asked.role ?? "a step"} (${asked.provider})`,
    "",
  ].join("\n");
}

function noticeOf({ autoAccept, dryRun }: { readonly autoAccept: boolean; readonly dryRun: boolean }) {
  if (!autoAccept) {
    return "  permissions.auto_accept is off: in a run, nothing would be sent and a person would be told.\n";
  }
  if (!dryRun) return undefined;
  return "  permissions.dry_run is on: in a run, the decision would be written to the audit log and nothing sent.\n";
}
