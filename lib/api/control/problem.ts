import { type ErrorCode, PanewrightError } from "../../base/errors.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { present } from "../../base/schema.ts";

const OWN_PROBLEMS = {
  malformed: [400, "The request cannot be read"],
  unauthorized: [401, "The token is missing or wrong"],
  wrong_host: [403, "The server is not called so"],
  foreign_origin: [403, "The request comes from another site"],
  unknown_path: [404, "There is nothing here"],
  unknown_role: [404, "There is no such role"],
  unknown_detail: [404, "There is no such detail"],
  wrong_method: [405, "The method is not that of this path"],
  too_slow: [408, "The request took too long to arrive"],
  ambiguous_run: [409, "Several runs have this id"],
  too_large: [413, "The request is too large"],
  wrong_type: [415, "The body is not JSON"],
  refused: [422, "The request was refused"],
  too_many_requests: [429, "Too many requests"],
  headers_too_large: [431, "The headers are too large"],
  internal: [500, "An unexpected error"],
  overloaded: [503, "Too many connections"],
  ending: [503, "The server ends"],
  timed_out: [503, "The answer took too long"],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

const COMMAND_PROBLEMS: Readonly<Record<ErrorCode, readonly [status: number, title: string]>> = {
  unknown_run: [404, "There is no such run"],
  run_over: [409, "The run is over"],
  not_open: [409, "The question is not open"],
  answered_before: [409, "The question was answered before"],
  needs_trust: [403, "A person has to trust the configuration"],
  reserved_for_person: [403, "Only a person may answer this"],
  busy: [409, "Another process has what is needed"],
  key_reused: [422, "The key belongs to another request"],
  bad_input: [422, "What was given cannot be used"],
};

const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  ...OWN_PROBLEMS,
  ...COMMAND_PROBLEMS,
};

export type ProblemCode = keyof typeof OWN_PROBLEMS | ErrorCode;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

export function statusOf(code: ProblemCode): number {
  return PROBLEMS[code][0];
}

interface ProblemOptions {
  readonly hint?: string;
  readonly mistakes?: readonly { readonly pointer: string; readonly detail: string }[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

export class Problem extends PanewrightError {
  override name = "Problem";
  readonly problem: ProblemCode;
  readonly options: ProblemOptions;

  /** @param detail as messages of errors: "Cannot X: Y" */
  constructor(problem: ProblemCode, detail: string, options: ProblemOptions = {}) {
    const { hint, cause } = options;
    super(detail, { ...present({ hint, cause }) });
    this.problem = problem;
    this.options = options;
  }
}

/** What is answered in place of what was asked for: RFC 9457, with our own code and hint. */
interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly hint?: string;
  readonly mistakes?: ProblemOptions["mistakes"];
}

function problemDocument(error: unknown, redactor: Redactor): ProblemDocument {
  const code = codeOf(error);
  const [status, title] = PROBLEMS[code];
  const hint = error instanceof PanewrightError ? error.hint : undefined;
  const detail = error instanceof PanewrightError ? errorText(error) : "Cannot answer: an unexpected error";
  const mistakes = error instanceof Problem ? error.options.mistakes : undefined;
  return {
    type: `urn:panewright:problem:${code}`,
    title,
    status,
    detail: redactor.text(detail),
    code,
    ...(hint === undefined ? {} : { hint: redactor.text(hint) }),
    ...(mistakes === undefined ? {} : { mistakes: redactor.value(mistakes) }),
  };
}

export function problemResponse(error: unknown, redactor: Redactor): Response {
  const document = problemDocument(error, redactor);
  const headers = error instanceof Problem ? error.options.headers : undefined;
  return new Response(`${JSON.stringify(document)}\n`, {
    status: document.status,
    headers: { "Content-Type": "application/problem+json", ...headers },
  });
}

function codeOf(error: unknown): ProblemCode {
  if (error instanceof Problem) return error.problem;
  if (!(error instanceof PanewrightError)) return "internal";
  // A configuration that cannot be used, a limit that is reached: as the command says it.
  return error.code ?? "refused";
}
