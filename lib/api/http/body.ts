import type * as z from "zod";
import { abortable } from "../../base/ports/abortable.ts";
import { joinBytes } from "../../base/ports/bytes.ts";
import type { ServeDeps } from "./deps.ts";
import { Problem } from "../control/problem.ts";

export async function readJson(request: Request, context: Pick<ServeDeps, "limits" | "clock">): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new Problem(
      "wrong_type",
      `Cannot read the body: its type is ${type ?? "not given"}, and not application/json`,
    );
  }
  const text = decode(await readBody(request, context));
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem("malformed", "Cannot read the body: it is not JSON", { cause });
  }
}

async function readBody(
  { headers, body }: Request,
  { limits: { bodyBytes, readMs }, clock }: Pick<ServeDeps, "limits" | "clock">,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => new Problem("too_large", `Cannot read the body: it has more than ${bodyBytes} bytes`);
  if (Number(headers.get("content-length") ?? 0) > bodyBytes) throw tooLarge();
  if (body === null) return new Uint8Array();
  const over = new AbortController();
  clock.sleep(readMs, over.signal).then(
    () => over.abort(new Problem("too_slow", `Cannot read the body: it did not arrive within ${readMs / 1000} s`)),
    () => {},
  );
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for (;;) {
      const { value, done } = await abortable(() => reader.read(), over.signal);
      if (done) return joinBytes(chunks);
      length += value.length;
      if (length > bodyBytes) throw tooLarge();
      chunks.push(value);
    }
  } catch (cause) {
    reader.cancel(cause).catch(() => {});
    if (cause instanceof Problem) throw cause;
    throw new Problem("malformed", "Cannot read the body: the connection broke", { cause });
  } finally {
    over.abort();
  }
}

export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const mistakes = error.issues.map(({ path, message }) => ({
    pointer: path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
    detail: message,
  }));
  const told = mistakes.map(({ pointer, detail }) => pointer === "" ? detail : `${pointer}: ${detail}`).join("; ");
  throw new Problem("bad_input", `Cannot use ${place}: ${told}`, { mistakes });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Problem("malformed", "Cannot read the body: it is not UTF-8 text", { cause });
  }
}
