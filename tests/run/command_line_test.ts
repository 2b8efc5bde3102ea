import { assertEquals } from "@std/assert";
import { initialProgress } from "../../lib/journal/progress.ts";
import { continuedBy } from "../../lib/run/command_line.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { useTemporaryStateHome } from "../support/state_home.ts";

Deno.test("a run is continued by itself, or by the run that it has told to be a part of; by nothing else that it tells", () => {
  useTemporaryStateHome();
  const [id, whole] = ["20260101-000000-aaaa", "20260101-000000-bbbb"];
  const folder = runFolderAt("/project", id);
  const told = (resumeCommand?: string) =>
    continuedBy(
      { folder, progress: { ...initialProgress("exec"), ...(resumeCommand === undefined ? {} : { resumeCommand }) } },
      { wd: "/project" },
    );
  const own = `panewright resume ${id} --wd /project`;
  assertEquals(told(), own);
  assertEquals(told(`panewright resume ${id} --raise max_turns=4`), own);
  assertEquals(told(`panewright resume ${whole} --wd /other`), `panewright resume ${whole} --wd /other`);
  for (const other of ["panewright stop 20260101-000000-bbbb", "panewright resume x; touch y", "rm -r ."]) {
    assertEquals(told(other), own, other);
  }
});
