/** In how many files of lib one thing is named: where it is many, one change is made in many places. */
import { assert, assertEquals } from "@std/assert";
import { EXEC_RECORDS } from "../../lib/journal/exec/facts.ts";
import { REVIEW_RECORDS } from "../../lib/journal/loop/facts.ts";
import { readSources } from "./source_tree.ts";

const FILES = [...(await readSources()).values()];

/** Their names are words of everyday, so that they are found where other things are meant. */
const PLAIN_WORDS = ["note", "warning"];

/** More files name these: a run's life is what most commands look at, and tokens come from everywhere. */
const IN_MANY = ["run_started", "run_resumed", "run_finished", "tokens_counted"];

Deno.test("records: a type is named in at most 6 files, and in fewer than 4 on average", () => {
  const types = new Set([...Object.keys(EXEC_RECORDS), ...Object.keys(REVIEW_RECORDS)]);
  for (const word of PLAIN_WORDS) types.delete(word);
  assert(types.size > 50, `only ${types.size} record types were found`);
  const counts = [...types].map((type) => {
    const name = new RegExp(`"${type}"|\\b${type}[(:,]`);
    return { type, files: FILES.filter(({ text }) => name.test(text)).length };
  });
  assertEquals(counts.filter(({ type, files }) => files > 6 && !IN_MANY.includes(type)), []);
  const average = counts.reduce((sum, { files }) => sum + files, 0) / counts.length;
  assert(average < 4, `${average} on average`);
});
