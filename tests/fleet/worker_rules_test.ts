import { assertEquals, assertThrows } from "@std/assert";
import type { Job } from "../../lib/fleet/job.ts";
import { readWorkerRules, ruleFor } from "../../lib/fleet/worker_rules.ts";
import { tempDir } from "../support/temp_dir.ts";

const job = (url: string | undefined, labels: Record<string, string> = {}) =>
  ({ source: url === undefined ? { bundle: "h" } : { url }, labels }) as unknown as Job;

Deno.test("a worker takes what a rule names: whose, which repository, which labels", () => {
  const rules = {
    accept: [
      { from: ["anna"], repositories: ["https://git.example.org/team/*"] },
      { repositories: ["bundle"], labels: { team: "a" }, secrets: ["KEY"] },
    ],
  };
  const taken = (author: string, one: Job) => ruleFor({ author, job: one }, rules) !== undefined;
  assertEquals(taken("anna", job("https://git.example.org/team/shop.git")), true);
  assertEquals(taken("bob", job("https://git.example.org/team/shop.git")), false);
  assertEquals(taken("anna", job("https://git.example.org.evil.example/team/shop.git")), false);
  assertEquals(taken("anna", job(undefined)), false);
  assertEquals(taken("bob", job(undefined, { team: "a" })), true);
});

Deno.test("a file of rules that says something else is refused with what is wrong", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/worker.jsonc`;
  const read = async (text: string) => {
    await Deno.writeTextFile(path, text);
    return () => readWorkerRules(path);
  };
  assertThrows(() => readWorkerRules(path), Error, "there is no such file");
  assertThrows(await read("{"), Error, "it is not JSON");
  assertThrows(await read('{"accept":[{}]}'), Error, 'its "accept" is missing or wrong');
  assertThrows(await read('{"accept":[{"repositories":["*"],"secret":["X"]}]}'), Error, 'accept[0] has "secret"');
  const rules = (await read('{"accept":[{"repositories":["bundle"]}], // all\n}'))();
  assertEquals(rules.accept.length, 1);
});
