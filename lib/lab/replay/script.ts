import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import { errorText } from "../../base/text/error_text.ts";

/**
 * What replayed agents do, by role. Turns are played in order, one per prompt; a reminder is a prompt too. A turn with
 * `when` is for the prompt that contains this text, and the turns after it follow from there: an agent that is
 * restarted in the middle of a job plays the turn that it is asked for.
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
  /**
   * @default {false} whether the last turn is repeated for every further prompt; otherwise such a prompt gives an
   * error row
   */
  readonly repeatLast: boolean;
}

/** The reaction to one prompt; in a file without `when`, just the list of steps. */
interface ReplayTurn {
  /** Text in the prompt that this turn is for, wherever the turn is in the list. */
  readonly when?: string;
  readonly steps: readonly ReplayStep[];
}

const milliseconds = z.number().int("must be a whole number of milliseconds").min(0).max(24 * 3600 * 1000);
/** Text, or its lines. */
const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join("\n"))], {
  error: "must be text, or a list of lines",
});
const command = z.string().min(1);

/** An object that refuses unknown keys and names the known ones. */
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
  /** Works for this many milliseconds, with the `Working` row. */
  think: milliseconds,
  /** Says something and continues to work. */
  commentary: text,
  /** Streams the final answer, without a `Working` row, as Codex does. */
  stream: z.union([
    text.transform((value) => ({ text: value, charactersPerSecond: 400 })),
    strict({ text, charactersPerSecond: z.number().positive().default(400) }),
  ], { error: 'must be text, a list of lines, or {"text", "charactersPerSecond"}' }),
  /** Shows files being read. */
  explore: strict({ files: z.array(z.string()).min(1), ms: milliseconds.default(400) }),
  /** Shows a command and its output; runs nothing. */
  run: strict({
    command,
    output: text.default(""),
    exitCode: z.number().int().min(0).max(255).default(0),
    ms: milliseconds.default(400),
    /** Asks for approval first, with this reason ("" for none); refusal ends the turn. */
    approval: z.string().optional(),
  }),
  /**
   * Writes the response file that the prompt names: with `pauseMs` in two parts with a pause between them, with
   * `afterIdleMs` that long after the end of the turn. Empty text gives an empty file; without this step there is no
   * file.
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
  /** Ends the program at once and leaves the terminal as it is, like a killed agent. */
  crash: strict({ exitCode: z.number().int().min(0).max(255).default(137) }),
} as const;

type StepKind = keyof typeof STEP_VALUES;

/** One step of a turn: its kind, and the value for that kind. */
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

/** Not a union: that would report problems of the first form only. */
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
 * Parses a replay script.
 *
 * @param source the file's name in messages
 * @throws {UsageError} for text that is not JSON or not a script; it names every wrong place
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
    hint: `A turn is a list of steps, each an object with one key: ${Object.keys(STEP_VALUES).join(", ")}.`,
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("").replace(/^\./, "");
  return place === "" ? "top level" : place;
}
