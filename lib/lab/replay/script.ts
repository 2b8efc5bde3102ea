import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { type Role, ROLE_NAME } from "../../base/roles.ts";
import { errorText } from "../../base/text/error_text.ts";

export interface ReplayScript {
  readonly roles: Readonly<Record<Role, RoleScript>>;
}

interface ReplayTurn {
  readonly when?: string;
  readonly steps: readonly ReplayStep[];
}

const milliseconds = z.number().int("must be a whole number of milliseconds").min(0).max(24 * 3600 * 1000);
const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join("\n"))], {
  error: "must be text, or a list of lines",
});
const command = z.string().min(1);

function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown key ${issue.keys.map((key) => `"${key}"`).join(", ")}; allowed: ${Object.keys(shape).join(", ")}`
        : undefined,
  });
}

const STEP_VALUES = {
  think: milliseconds,
  commentary: text,
  stream: z.union([
    text.transform((value) => ({ text: value, charactersPerSecond: 400 })),
    strict({ text, charactersPerSecond: z.number().positive().default(400) }),
  ], { error: 'must be text, a list of lines, or {"text", "charactersPerSecond"}' }),
  explore: strict({ files: z.array(z.string()).min(1), ms: milliseconds.default(400) }),
  run: strict({
    command,
    output: text.default(""),
    exitCode: z.number().int().min(0).max(255).default(0),
    ms: milliseconds.default(400),
    approval: z.string().optional(),
  }),
  respond: z.union([
    text.transform((value) => ({ text: value, pauseMs: 0, afterIdleMs: undefined })),
    strict({ text, pauseMs: milliseconds.default(0), afterIdleMs: milliseconds.optional() }),
  ], { error: 'must be text, a list of lines, or {"text", "pauseMs", "afterIdleMs"}' }),
  writeFile: strict({ path: z.string().min(1), text }),
  endless: z.literal(true),
  fail: z.string().min(1),
  crash: strict({ exitCode: z.number().int().min(0).max(255).default(137) }),
} as const;

type StepKind = keyof typeof STEP_VALUES;

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
  roles: z.record(z.string().regex(ROLE_NAME, "is not a valid role name"), roleSchema),
});

export type RoleScript = Readonly<z.output<typeof roleSchema>>;

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
