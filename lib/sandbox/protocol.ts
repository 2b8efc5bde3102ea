import * as z from "zod";

/** What panewright tells the process that holds the sandbox of a run, a line each. */
export const TO_HOST = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("open"),
    hosts: z.array(z.string()).readonly(),
    /** What any of its programs may write: what is refused beyond that is told. */
    writable: z.array(z.string()).readonly(),
    /** Where the library's files that run inside are kept. */
    folder: z.string(),
    /** Where it says that a sandbox is open in its folder. */
    locks: z.string(),
  }),
  z.object({
    type: z.literal("wrap"),
    id: z.number(),
    /** Whose program it is. */
    name: z.string(),
    script: z.string(),
    writable: z.array(z.string()).readonly(),
    readOnly: z.array(z.string()).readonly(),
    hidden: z.array(z.string()).readonly(),
    shown: z.array(z.string()).readonly(),
  }),
  z.object({ type: z.literal("decided"), id: z.number(), allow: z.boolean() }),
]);

/** What it answers. */
export const FROM_HOST = z.discriminatedUnion("type", [
  z.object({ type: z.literal("opened") }),
  z.object({ type: z.literal("failed"), message: z.string() }),
  z.object({
    type: z.literal("wrapped"),
    id: z.number(),
    argv: z.tuple([z.string()], z.string()).readonly(),
    /** What its bubblewrap reads of the folders that it has to itself. */
    mounts: z.string(),
  }),
  z.object({ type: z.literal("not_wrapped"), id: z.number(), message: z.string() }),
  /** The kernel or a proxy has refused something. */
  z.object({ type: z.literal("refused"), what: z.string(), by: z.string() }),
  z.object({ type: z.literal("asked"), id: z.number(), host: z.string(), port: z.number() }),
]);

export type ToHost = z.infer<typeof TO_HOST>;
export type FromHost = z.infer<typeof FROM_HOST>;
