import { UsageError } from "../../base/errors.ts";
import type { Recording } from "./recording.ts";
import { parseScreen, type Screen } from "../../screen/screen.ts";
import type { TerminalStatus } from "../../base/status.ts";
import type { Frame, Timeline } from "./timeline.ts";
import { errorText } from "../../base/text/error_text.ts";
import { present } from "../../base/schema.ts";

export type Fixture = Recording & Required<Pick<Recording, "provider" | "version" | "expect">>;

interface CutOptions {
  readonly name?: string;
  readonly atSeconds: number;
  readonly expect: TerminalStatus;
  readonly version?: string;
  readonly alone?: boolean;
  readonly note?: string;
}

export function frameAt({ frames, endSeconds }: Timeline, atSeconds: number): Frame {
  const frame = frames.findLast((candidate) => candidate.atSeconds <= atSeconds);
  const [first] = frames;
  if (first === undefined) throw new UsageError("Cannot find a frame: the recording is empty");
  if (frame === undefined || atSeconds > endSeconds) {
    throw new UsageError(
      `Cannot find a frame at ${atSeconds} s: the recording runs from ${first.atSeconds} s to ${endSeconds} s`,
    );
  }
  return frame;
}

export function frameScreen(frame: Frame): Screen {
  return parseScreen(frame.capture, frame.meta);
}

export function cutFixture(timeline: Timeline, options: CutOptions): Fixture {
  const { atSeconds, expect, alone, note } = options;
  const frame = frameAt(timeline, atSeconds);
  const version = options.version ?? timeline.header.version;
  if (version === undefined) {
    throw new UsageError("Cannot cut a fixture: the recording does not name the version of the CLI", {
      hint: "Give it with --cli-version.",
    });
  }
  const { cols, rows } = frame.meta;
  return {
    name: options.name ?? `${expect.replaceAll("_", "-")}-${cols}x${rows}-${atSeconds}s`,
    provider: timeline.header.provider,
    version,
    expect,
    ...frame.meta,
    ...present({ alone, note }),
    ansi: frame.capture,
  };
}

export async function writeFixture({ name, ansi, ...sidecar }: Fixture, dir: string): Promise<string> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/.test(name)) {
    throw new UsageError(`Cannot name a fixture ${JSON.stringify(name)}: use letters, digits, ".", "_" and "-"`);
  }
  const base = `${dir}/${name}`;
  const files = [[`${base}.json`, `${JSON.stringify(sidecar, null, 2)}\n`], [`${base}.ansi`, ansi]] as const;
  const written: string[] = [];
  try {
    await Deno.mkdir(dir, { recursive: true });
    for (const [path, text] of files) {
      await Deno.writeTextFile(path, text, { createNew: true });
      written.push(path);
    }
  } catch (cause) {
    for (const path of written) await Deno.remove(path);
    if (!(cause instanceof Deno.errors.AlreadyExists)) {
      throw new UsageError(`Cannot write the fixture ${base}: ${errorText(cause)}`, { cause });
    }
    throw new UsageError(`Cannot write the fixture ${base}: it exists already`, {
      hint: "Choose another name with --name, or remove the old one.",
      cause,
    });
  }
  return `${base}.ansi`;
}
