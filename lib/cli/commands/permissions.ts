import { loadSettings } from "../../config/load.ts";
import { toPermissionPolicy } from "../../config/plan.ts";
import { didYouMean } from "../../config/suggest.ts";
import { UsageError } from "../../errors.ts";
import { decidePermission, exactRequest, type PermissionVerdict } from "../../dialogs/policy/mod.ts";
import { ROLES } from "../../roles.ts";
import { dialogKindsOf, PROVIDER_IDS, PROVIDERS } from "../../providers/mod.ts";
import { defineCommand } from "../console/command.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";

const ACTIONS = ["test"];
const KINDS = dialogKindsOf(PROVIDERS);

/** `panewright permissions test 'command'`. */
export const command = defineCommand({
  description:
    `"permissions test" tells how a permission dialog of an agent would be answered, and why: allow, ask (a person ` +
    `is asked) or deny, with the rule that decides. Nothing is run.

The policy comes from "permissions" in the configuration. SUBJECT is the path of the file for dialogs about files ` +
    `(--kind file_edit, file_write, patch), and the command for all others.

The exit code is 0, whatever the answer is.`,
  arguments: [
    { name: "ACTION", description: "test", required: true },
    { name: "SUBJECT", description: "the command, or the file; quote it for your shell", required: true },
    { name: "CONFIG", description: "the config file; panewright.jsonc of the working directory if left out" },
  ],
  flags: [
    {
      name: "role",
      type: "choice",
      choices: ROLES,
      placeholder: "ROLE",
      description: "whose dialog it is (programmer)",
    },
    {
      name: "kind",
      type: "choice",
      choices: KINDS,
      placeholder: "KIND",
      description: `what the dialog asks for (command): ${KINDS.join(", ")}`,
    },
    {
      name: "provider",
      type: "choice",
      choices: PROVIDER_IDS,
      placeholder: "ID",
      description: "the agent CLI (that of the role in the configuration)",
    },
  ],
  examples: [
    { command: "permissions test 'git push origin main'", description: "is a push allowed?" },
    { command: "permissions test --role tester --kind file_edit src/a.ts", description: "may the tester edit?" },
  ],
  async run({ flags, positionals, global }, io) {
    const [action = "", subject = "", path] = positionals;
    if (!ACTIONS.includes(action)) {
      throw new UsageError(`Cannot do "${action}" with permissions${didYouMean(action, ACTIONS)}`, {
        hint: 'ACTION is test: panewright permissions test "COMMAND".',
      });
    }
    const { config, workdir } = await loadSettings({
      cwd: io.cwd,
      env: io.env,
      ...(path === undefined ? {} : { path }),
    });
    const { role = "programmer", kind = "command" } = flags;
    const provider = flags.provider ?? config.roles[role]?.provider ?? config.provider;
    const policy = toPermissionPolicy(config.permissions);
    const verdict = decidePermission(exactRequest(kind, subject), { policy, workdir, role, provider });
    const { auto_accept: autoAccept, dry_run: dryRun } = config.permissions;
    const asked = { role, provider, kind, subject, workdir, autoAccept, dryRun };
    io.stdout(global.json ? jsonLine({ ...verdict, ...asked }) : render(verdict, asked));
    return 0;
  },
});

interface Asked {
  readonly role: string;
  readonly provider: string;
  readonly kind: string;
  readonly subject: string;
  readonly autoAccept: boolean;
  readonly dryRun: boolean;
}

function render({ decision, rule, reason }: PermissionVerdict, asked: Asked): string {
  const lines = [
    `${decision}  ${sanitizeLine(asked.subject)}`,
    `  ${sanitizeLine(reason)}`,
    `  rule: ${rule}; ${asked.kind} dialog of ${asked.role} (${asked.provider})`,
  ];
  if (!asked.autoAccept) {
    lines.push("  permissions.auto_accept is off: in a run, nothing would be sent and a person would be told.");
  } else if (asked.dryRun) {
    lines.push(
      "  permissions.dry_run is on: in a run, the decision would be written to the audit log and nothing sent.",
    );
  }
  return `${lines.join("\n")}\n`;
}
