import * as z from "zod";
import { UsageError } from "../errors.ts";
import { type Role, ROLES } from "../roles.ts";
import { errorText } from "../text/error_text.ts";

/**
 * What replayed agents do, by role. Turns are consumed in order, one a prompt; a reminder is a prompt too. A turn that says
 * `when` is for the prompt that holds this text, and those after it follow from there: an agent that was started anew in
 * the middle of a job plays the turn that it is asked for.
 *
 * ```json
 * {
 *   "roles": {
 *     "tester": {
 *       "turns": [
 *         [{ "think": 800 }, { "run": { "command": "sh test.sh", "exitCode": 1, "output": "1 failed" } },
 *          { "respond": ["RESULT: FAIL", "One test fails."] }, { "stream": "It fails." }],
 *         { "when": "Round 2 of", "steps": [{ "respond": "RESULT: PASS" }] }
 *       ],
 *       "repeatLast": true
 *     }
 *   }
 * }
 * ```
 */
export interface ReplayScript {
  readonly roles: { readonly [R in Role]?: RoleScript };
}

/** One agent's part. */
export interface RoleScript {
  readonly turns: readonly ReplayTurn[];
  /** @default {false} whether the last turn is played again for every further prompt; otherwise that is an error row */
  readonly repeatLast: boolean;
}

/** What is done about one prompt; in a file, without `when`, the list of steps alone. */
export interface ReplayTurn {
  /** Text of the one prompt that the turn is for, wherever it stands in the list. */
  readonly when?: string;
  readonly steps: readonly ReplayStep[];
}

const milliseconds = z.number().int("must be a whole number of milliseconds").min(0).max(24 * 3600 * 1000);
/** Text, or its lines. */
const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join("\n"))], {
  error: "must be text, or a list of lines",
});
const command = z.string().min(1);

/** An object that refuses other keys and says which ones there are. */
function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown key ${issue.keys.map((key) => `"${key}"`).join(", ")}; allowed: ${Object.keys(shape).join(", ")}`
        : undefined,
  });
}

/** The kinds of step, by the one key that a step has in the file. */
const STEP_VALUES = {
  /** Works so many milliseconds, with the `Working` row. */
  think: milliseconds,
  /** Says something and goes on working. */
  commentary: text,
  /** Streams the final answer; there is no `Working` row meanwhile, as in Codex. */
  stream: z.union([
    text.transform((value) => ({ text: value, charactersPerSecond: 400 })),
    strict({ text, charactersPerSecond: z.number().positive().default(400) }),
  ], { error: 'must be text, a list of lines, or {"text", "charactersPerSecond"}' }),
  /** Shows files being read. */
  explore: strict({ files: z.array(z.string()).min(1), ms: milliseconds.default(400) }),
  /** Shows a command and its output; nothing is run. */
  run: strict({
    command,
    output: text.default(""),
    exitCode: z.number().int().min(0).max(255).default(0),
    ms: milliseconds.default(400),
    /** Asks for approval first, with this reason ("" for none); a refusal ends the turn. */
    approval: z.string().optional(),
  }),
  /**
   * Writes the response file that the prompt names. `pauseMs` writes it in two pieces with a pause between them,
   * `afterIdleMs` writes it so long after the turn is over. Empty text makes an empty file; without this step there is none.
   */
  respond: z.union([
    text.transform((value) => ({ text: value, pauseMs: 0, afterIdleMs: undefined })),
    strict({ text, pauseMs: milliseconds.default(0), afterIdleMs: milliseconds.optional() }),
  ], { error: 'must be text, a list of lines, or {"text", "pauseMs", "afterIdleMs"}' }),
  /** Writes a file of the project; the path is relative to the working directory and may not leave it. */
  writeFile: strict({ path: z.string().min(1), text }),
  /** Works until it is interrupted. */
  endless: z.literal(true),
  /** Ends the turn with an error row. */
  fail: z.string().min(1),
  /** Ends the program at once and leaves the terminal as it is, as a killed agent does. */
  crash: strict({ exitCode: z.number().int().min(0).max(255).default(137) }),
} as const;

type StepKind = keyof typeof STEP_VALUES;

/** One thing that an agent does in a turn: a kind, and what that kind needs. */
export type ReplayStep = {
  [K in StepKind]: { readonly kind: K; readonly value: z.output<(typeof STEP_VALUES)[K]> };
}[StepKind];

const stepSchema = z.unknown().transform((value, context): ReplayStep => {
  const refuse = (message: string, path: PropertyKey[] = []) => {
    context.issues.push({ code: "custom", message, path, input: value });
    return z.NEVER;
  };
  const allowed = Object.keys(STEP_VALUES).join(", ");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(`a step is an object with one key, one of ${allowed}`);
  }
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) {
    return refuse(`a step has exactly one key, one of ${allowed}; this one has ${others.length + (entry ? 1 : 0)}`);
  }
  const [kind, content] = entry;
  if (!Object.hasOwn(STEP_VALUES, kind)) return refuse(`unknown step "${kind}"; allowed: ${allowed}`);
  const result = STEP_VALUES[kind as StepKind].safeParse(content);
  if (result.success) return { kind, value: result.data } as ReplayStep;
  for (const issue of result.error.issues) refuse(issue.message, [kind, ...issue.path]);
  return z.NEVER;
});

const stepsSchema = z.array(stepSchema);
const conditionalTurnSchema = strict({ when: z.string().min(1), steps: stepsSchema });

/** Not a union: of one, only the first form's problems would be told. */
const turnSchema = z.unknown().transform((value, context): ReplayTurn => {
  const result = Array.isArray(value)
    ? stepsSchema.transform((steps) => ({ steps })).safeParse(value)
    : conditionalTurnSchema.safeParse(value);
  if (result.success) return result.data;
  for (const { message, path } of result.error.issues) {
    context.issues.push({ code: "custom", message, path, input: value });
  }
  return z.NEVER;
});

const roleSchema = strict({
  turns: z.array(turnSchema).min(1, "needs at least one turn"),
  repeatLast: z.boolean().default(false),
});

const scriptSchema = strict({
  roles: strict(
    Object.fromEntries(ROLES.map((role) => [role, roleSchema.optional()])) as {
      [R in Role]: z.ZodOptional<typeof roleSchema>;
    },
  ),
});

/**
 * A replay script from the text of its file.
 *
 * @param source where the text is from, for messages
 * @throws {UsageError} naming every place that is wrong, when the text is no JSON or no script
 *
 * @example
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * const script = parseReplayScript('{"roles":{"tester":{"turns":[[{"think":5}]]}}}', "demo.json");
 * assertEquals(script.roles.tester?.turns, [{ steps: [{ kind: "think", value: 5 }] }]);
 * assertThrows(
 *   () => parseReplayScript('{"roles":{"tester":{"turns":[[{"thnik":5}]]}}}', "demo.json"),
 *   Error,
 *   'roles.tester.turns[0][0]: unknown step "thnik"',
 * );
 * ```
 */
export function parseReplayScript(text: string, source: string): ReplayScript {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`Cannot read the replay script ${source}: ${errorText(error)}`, { cause: error });
  }
  const result = scriptSchema.safeParse(json);
  if (result.success) return result.data as ReplayScript;
  const places = result.error.issues.map((issue) => `${placeOf(issue.path)}: ${issue.message}`);
  throw new UsageError(`Cannot read the replay script ${source}: ${places.join("\n  ")}`, {
    hint: "See lib/providers/replay/script.ts for what a script may contain.",
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("").replace(/^\./, "");
  return place === "" ? "top level" : place;
}
