import { assertEquals, assertThrows } from "@std/assert";
import { inside } from "../../lib/fleet/inside.ts";
import type { Job } from "../../lib/fleet/job.ts";
import { commandOf } from "../../lib/fleet/job_command.ts";
import type { JobPlace } from "../../lib/fleet/tree.ts";
import { tempDir } from "../support/temp_dir.ts";

async function place(folder: string): Promise<JobPlace> {
  const checkout = `${folder}/checkout`;
  await Deno.mkdir(`${checkout}/shop`, { recursive: true });
  await Deno.writeTextFile(`${folder}/secret`, "a secret");
  await Deno.writeTextFile(`${checkout}/shop/task.md`, "Fix it.");
  await Deno.symlink(folder, `${checkout}/shop/out`);
  return { checkout, workdir: `${checkout}/shop` } as JobPlace;
}

const job = (more: Partial<Job>) => ({ command: "exec", folder: "shop", ...more }) as Job;

Deno.test("a job is a task and few names: no flag of its submitter's, no file of its worker's", async () => {
  await using dir = await tempDir();
  const there = await place(dir.path);
  const { workdir } = there;
  assertEquals(commandOf(job({ task: "--check 'sh x'" }), there).slice(-2), ["--", "--check 'sh x'"]);
  assertEquals(commandOf(job({ taskFile: "task.md" }), there).at(-1), `${workdir}/task.md`);
  assertEquals(commandOf(job({ command: "run", task: "../../secret" }), there), [
    "run",
    "--trust",
    "--prompt",
    "../../secret",
  ]);
  for (
    const odd of [
      { task: "../../secret" },
      { task: `${dir.path}/secret` },
      { task: "-" },
      { taskFile: "../../secret" },
      { taskFile: "out/secret" },
      { task: "Fix it now", config: "out/panewright.jsonc" },
      { task: "Fix it now", config: "/etc/panewright.jsonc" },
    ]
  ) assertThrows(() => commandOf(job(odd), there), Error, "Cannot work on a job", JSON.stringify(odd));
});

Deno.test("a folder of a job is in its checkout, whatever links are there", async () => {
  await using dir = await tempDir();
  const { checkout } = await place(dir.path);
  const at = (folder: string) => inside(folder, { checkout, workdir: checkout });
  assertEquals([at("shop"), at("new/one"), at(".")], [`${checkout}/shop`, `${checkout}/new/one`, checkout]);
  for (const odd of ["..", "../checkout-2", "shop/out", "shop/out/new", "/etc"]) {
    assertThrows(() => at(odd), Error, "it is outside of its repository", odd);
  }
});
