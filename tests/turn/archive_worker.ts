/// <reference lib="deno.worker" />
import { moveToArchive } from "../../lib/turn/archive.ts";

/** One of two programs of archive_test.ts: archives `count` files named alike, and says so when it is done. */
interface Job {
  readonly source: string;
  readonly archiveDir: string;
  readonly name: string;
  readonly count: number;
}

self.onmessage = ({ data }: MessageEvent<Job>) => {
  for (let index = 0; index < data.count; index++) {
    Deno.writeTextFileSync(data.source, `${data.name} ${index}`);
    moveToArchive(data.source, { archiveDir: data.archiveDir, label: "tester" });
  }
  self.postMessage("done");
};
