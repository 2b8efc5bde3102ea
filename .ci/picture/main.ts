// deno-lint-ignore-file no-console -- a script for people
/**
 * Draws docs/demo.svg: the demo, recorded as it runs.
 *
 *     deno task picture [RECORDING]
 *
 * With RECORDING, a file of JSON: draws that one if it is there; otherwise keeps the new one there.
 *
 * @module
 */
import { ROOT } from "../runtime.ts";
import { recordDemo, TYPED } from "./record.ts";
import type { Recording } from "./recording.ts";
import { drawPicture } from "./svg.ts";

const [file] = Deno.args;
const kept = file === undefined ? undefined : await Deno.readTextFile(file).catch(() => undefined);
const recording: Recording = kept === undefined ? await recordDemo() : JSON.parse(kept);
if (file !== undefined && kept === undefined) await Deno.writeTextFile(file, JSON.stringify(recording));
const picture = drawPicture(recording, { typed: TYPED.join(" ") });
await Deno.writeTextFile(`${ROOT}docs/demo.svg`, picture);
console.log(`docs/demo.svg: ${(picture.length / 1024).toFixed(0)} KiB`);
