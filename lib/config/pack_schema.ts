import { FAILURE_CLASSES } from "../base/terms.ts";
import * as z from "zod";
import { ACP_ACTING_KINDS, ACP_TOOL_KINDS } from "../agents/acp/tool_kinds.ts";
import type { Pack } from "../agents/packs/pack.ts";
import { DECIDED_KINDS } from "../policy/mod.ts";
import type { FileForm } from "./schema.ts";
import { pattern } from "../screen/rules_schema.ts";
import { text } from "./shapes.ts";

const line = (most: number) =>
  z.string().min(1).max(most).regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, "must be one line, without control characters");
const sentence = () => line(400);
const obeyedPath = () =>
  z.string().regex(/^(?!\/|~|\$|(?:.*\/)?\.\.?(?:\/|$))[^\p{Cc}]+$/u, "must be a path below the working folder");
const variable = () => z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");
function needsOne(keys: readonly string[], message: string) {
  return (entry: Readonly<Record<string, unknown>>, context: z.RefinementCtx) => {
    if (context.issues.length > 0 || keys.some((key) => entry[key] !== undefined)) return;
    context.addIssue({ code: "custom", message });
  };
}

const subject = z.strictObject({
  from: z.enum(["input", "meta", "locations", "diffs", "title"]).describe(
    "`input`, `meta`: the field of the tool call's rawInput or _meta that `path` leads to. `locations`, `diffs`: the " +
      "paths of its locations, or of the diffs in its content. `title`: its title, only where the agent puts the exact " +
      "text there and nothing else.",
  ),
  path: z.array(line(200)).min(1).max(8).optional().describe("The keys that lead to the field."),
  form: z.enum(["text", "texts", "argv", "keys"]).optional().describe(
    "What the field is: a string (`text`), one string or several (`texts`), the words of a command (`argv`), or an " +
      "object whose keys count (`keys`).",
  ),
}).superRefine(({ from, path, form }, context) => {
  if (context.issues.length > 0) return;
  const isField = from === "input" || from === "meta";
  const add = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  if (isField && path === undefined) add("path", `is missing: it leads to the field of ${from}`);
  if (!isField && path !== undefined) add("path", `has no effect with ${from}`);
  if (!isField && form !== undefined) add("form", `has no effect with ${from}`);
});

const tool = z.strictObject({
  name: line(200).optional().describe("The tool's own name, as `name` of the tool call has it."),
  kind: z.enum(ACP_TOOL_KINDS).optional().describe("The kind of the tool call."),
  as: z.enum(DECIDED_KINDS).describe("What the request is about: the policy decides about it as about such a dialog."),
  subject: subject.describe("Where the exact command, or the exact paths, stand. What is not there, a person decides."),
  cwd: subject.optional().describe("Where the folder stands in which it would run."),
  cwd_in_content: pattern().optional().describe(
    "A regular expression whose first group is that folder, in the text of the tool call's content. A person decides " +
      "about what it does not match.",
  ),
  beside: z.array(line(200)).max(50).optional().describe(
    "Fields of rawInput that change nothing about what is decided, such as a description; those of _meta as `_meta.NAME`. " +
      "With a field that is named nowhere here, a person decides about the call.",
  ),
}).superRefine(needsOne(["name", "kind"], "needs a name or a kind: which tool calls is it about?"));

const login = z.strictObject({
  variables: z.array(variable()).min(1).optional().describe("Variables that are set. Keys are named, never valued."),
  file: z.string().regex(
    /^(?:~|\$\w+|\$\{\w+:-[~/][^}]*\})?\/./,
    "must be a path that begins with /, ~/, $NAME/ or ${NAME:-~/folder}/",
  ).optional().describe("A file that is there: `~/.agent/login.json`, `${AGENT_HOME:-~/.agent}/login.json`."),
  auth_method: line(200).optional().describe(
    "The id of the protocol's authentication method that is called with this login; without it, none is.",
  ),
}).superRefine(needsOne(["variables", "file"], "needs variables or a file: what shows this login?"));

const failure = z.strictObject({
  class: z.enum(FAILURE_CLASSES).describe("What it means."),
  code: pattern().optional().describe("A regular expression for the agent's own name or code of it."),
  words: pattern().optional().describe("A regular expression for its message. It begins with ^ where it can."),
}).superRefine(needsOne(["code", "words"], "needs a code or words: by what is it known?"));

const turnOrSession = z.enum(["turn", "session"]).describe("Whether it is of the turn, or of the session so far.");

const usage = z.discriminatedUnion("from", [
  z.strictObject({ from: z.literal("prompt").describe("`usage` of the reply to a prompt."), of: turnOrSession }),
  z.strictObject({ from: z.literal("quota").describe("`_meta.quota` of the reply to a prompt."), of: turnOrSession }),
  z.strictObject({
    from: z.literal("message").describe("`_meta.usage` of a piece of the agent's message."),
    of: z.literal("request").describe("It is of one request to the model."),
  }),
  z.strictObject({
    from: z.literal("cost").describe("`cost` of the notification usage_update."),
    of: z.literal("session").describe("It is of the session so far."),
  }),
]);

const model = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("argument"), name: line(100).describe("The argument that the model follows.") }),
  z.strictObject({ by: z.literal("variable"), name: variable().describe("The variable that is set to it.") }),
  z.strictObject({ by: z.literal("session_model").describe("By the method session/set_model.") }),
  z.strictObject({ by: z.literal("config_option"), id: line(200).describe("The session's config option.") }),
]);

/** Names of variables that hold secrets: what stands in a pack may be shown, and be in a repository. */
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;

const acting = () => z.array(z.enum(ACP_ACTING_KINDS));

const packSchema = z.strictObject({
  $schema: text().optional().describe("Where an editor finds the JSON Schema of this file."),
  label: line(60).describe("What people call the agent."),
  program: line(400).optional().describe(
    "What is looked up on PATH; without it, the configuration must name a `command`.",
  ),
  npm_package: line(214).optional().describe("What npm calls its package."),
  install_hint: sentence().optional().describe("How it is installed, as a full sentence; by default, by npm."),
  args: z.array(z.string()).optional().describe(
    "What makes the program speak the Agent Client Protocol on its standard input and output.",
  ),
  env: z.record(variable(), z.string()).superRefine((variables, context) => {
    for (const name of Object.keys(variables).filter((name) => SECRET_NAME.test(name))) {
      context.addIssue({
        code: "custom",
        path: [name],
        message: "is by its name a secret, which no pack may hold: set it where panewright is started",
      });
    }
  }).optional().describe("Variables that it is always started with, such as those that switch off its updates."),
  version_args: z.array(z.string()).min(1).optional().describe('Arguments that print its version; `["--version"]`.'),
  min_version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, "must be three numbers, such as 1.4.0").optional()
    .describe("The first version that is known to work."),
  min_node: z.int().min(1).max(1000).optional().describe("The first major version of Node.js that it runs on."),
  login: z.array(login).min(1).optional().describe(
    "What shows that somebody is logged in: any of these. Without it, nothing is said of a login.",
  ),
  login_status_args: z.array(z.string()).min(1).optional().describe(
    "Arguments with which the program exits with 0 when somebody is logged in.",
  ),
  login_settings: z.array(z.string().regex(/^[^/~$]/, "must be a path below the working folder")).min(1).optional()
    .describe(
      "Files below the working folder that may hold a login of which those arguments know nothing.",
    ),
  login_hint: sentence().optional().describe("How a person logs in, as a full sentence."),
  model_server: z.strictObject({
    url: variable().optional().describe("Its address."),
    key: variable().optional().describe("Its key."),
    model: variable().optional().describe("The model."),
  }).optional().describe("The names of the variables that lead the agent to a model server of your own."),
  model: model.optional().describe("How its model is chosen; without it, `model` of the configuration is refused."),
  ask_mode: z.strictObject({
    id: line(400).optional().describe(
      "The session's mode, which is set and read back; without it, its arguments or variables must see to it.",
    ),
    options: z.record(line(200), z.string()).optional().describe(
      "The session's config options that are set and read back as well.",
    ),
    asks_before: acting().describe(
      "What it never does without asking: a tool call of that kind that completes unasked ends the run.",
    ),
    asks_before_changes: acting().optional().describe(
      "What it asks before only where it believes that something would change.",
    ),
  }).optional().describe("The way of working in which it asks before it acts."),
  tools: z.array(tool).max(100).optional().describe(
    "How the exact request is read from a tool call: the first that fits counts. Where none does, a person decides.",
  ),
  questions: z.literal("answers_by_index").optional().describe(
    "How it takes the answers to questions that it puts as requests for a permission: beside the outcome, as `answers`, " +
      "by their places. Without it, only a yes or a no can be given to such a question.",
  ),
  usage: z.array(usage).optional().describe("Where it tells what it used."),
  resume: z.array(z.enum(["resume", "load"])).optional().describe(
    "How a session is continued in a new process, where the agent offers it, in order of preference.",
  ),
  start_seconds: z.int().min(1).max(600).optional().describe("How long it may take to start; 60 by default."),
  failures: z.array(failure).max(100).optional().describe(
    "What it says of turns that failed; the first that holds counts.",
  ),
  obeys: z.union([
    line(100),
    z.strictObject({
      files: z.array(obeyedPath()).max(100).describe("Files and folders: instructions, skills, plugins, commands."),
      settings: z.array(obeyedPath()).max(100).describe("Files of settings, as JSON or TOML."),
      acts: z.array(line(100)).max(200).describe("Keys in these by which something runs, or is permitted."),
    }),
  ]).optional().describe(
    "What of a working directory it obeys, which a person is shown before it is started there, or the id of an agent " +
      "that obeys the same; by default, what any known agent obeys.",
  ),
  sandbox: z.union([
    line(100),
    z.strictObject({
      state: z.strictObject({
        variable: variable().describe("The variable that names the folder of its state."),
        folder: z.union([z.literal(""), obeyedPath()]).describe(
          "That folder below the home, where the variable is not set; empty for the home itself.",
        ),
      }),
      copied: z.array(obeyedPath()).max(100).describe("Its settings in that folder: an agent gets a copy of its own."),
      beside: obeyedPath().optional().describe(
        "A file of its state that lies in the home where the variable is not set.",
      ),
      login: obeyedPath().optional().describe("The file with its login in that folder: it is shared."),
      hosts: z.array(line(300)).max(100).describe("The hosts of its model, and of its login."),
      variables: z.array(line(200)).max(100).describe("Variables that it reads; `*` at the end stands for any."),
      temporary: variable().optional().describe(
        "The variable that names its folder for temporary files, if not TMPDIR.",
      ),
      env: z.record(variable(), z.string()).optional().describe("What is set for it inside."),
    }),
  ]).optional().describe(
    "How it works in a sandbox around it, or `codex` or `claude_code` where it keeps its state as these do; without it, it " +
      "cannot be inside.",
  ),
  notes: z.array(sentence()).max(20).optional().describe("What a person should know of it, as full sentences."),
});

export const PACK_FORM: FileForm = { schemaFor: () => packSchema, keys: [], providerIds: [] };

/** The pack that data holds. The schema and the type say the same: the compiler sees to it. */
export function parsePack(data: unknown): Pack | undefined {
  return packSchema.safeParse(data).data;
}

export function packJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(packSchema, { io: "input" });
  return { $schema, title: "panewright agent", ...schema };
}
