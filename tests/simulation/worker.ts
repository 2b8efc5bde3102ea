/// <reference lib="deno.worker" />
import { reportOf } from "./player.ts";

self.onmessage = async ({ data }: MessageEvent<{ readonly seed: number; readonly inPanes: boolean }>) => {
  self.postMessage(await reportOf(data.seed, { inPanes: data.inPanes }));
};
