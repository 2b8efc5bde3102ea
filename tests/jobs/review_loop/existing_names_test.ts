import { assert, assertEquals } from "@std/assert";
import { approvalObjection, findEvidence } from "../../../lib/jobs/review_loop/evidence.ts";
import { lookUpNames } from "../../../lib/jobs/review_loop/existing_names.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import { tempDir } from "../../support/temp_dir.ts";

const FILES = {
  "Makefile": "",
  "Dockerfile": "",
  "Учёба": "",
  "build": "",
  "lib/mod": "",
  "test/one": "",
  "Docs/guide": "",
  "in/out": "",
  ".git/config": "",
  ".gitignore": "",
};

async function project() {
  const dir = await tempDir();
  await dir.write(FILES);
  return dir;
}

function names(workdir: string, text: string) {
  return lookUpNames(workdir, { role: "programmer_review", text }).names;
}

Deno.test("names without slash and extension are evidence where they exist", async () => {
  await using dir = await project();
  const review = (one: string, other: string) => `I opened ${one} and ${other}, and both are correct.`;
  for (const [one, other] of [["Makefile", "Dockerfile"], ["`Makefile`", "Учёба"], ["`lib`", "`build`"]] as const) {
    const text = review(one, other);
    assert(!findEvidence(text).includes("interfaces or files and modules"), text);
    assert(findEvidence(text, names(dir.path, text)).includes("interfaces or files and modules"), text);
  }
});

Deno.test("an approval that names such files passes the gate, one that names what is not there does not", async () => {
  await using dir = await project();
  const settings = reviewLoopSettings({ reviewEvidenceMinMatch: 4 });
  const review = (one: string, other: string) =>
    [
      `Artefacts: ${one} is correct and ${other} is complete.`,
      "Traceability: scenario step 1 is covered.",
      `Action items:\n- Keep ${one} as it is.`,
      "REVIEW_NOTES: I read both files.",
      "REVIEW_RESULT: APPROVED",
    ].join("\n");
  const objection = (text: string) => {
    const found = names(dir.path, text);
    return approvalObjection(text, { cycle: 3, settings, ...(found === undefined ? {} : { names: found }) });
  };
  assertEquals(objection(review("Makefile", "Учёба")), undefined);
  assert(objection(review("Rakefile", "Vagrantfile")) !== undefined);
});

Deno.test("everyday words count only where they are marked as names", async () => {
  await using dir = await project();
  const prose =
    "The lib is fine. The build and the test pass. Docs are complete. Run `npm test` and `make build` in in/out.";
  assertEquals(names(dir.path, prose), { files: ["in/out"], folders: ["Docs"] });
  const found = names(dir.path, `${prose}\nSee \`lib\`, test/ and \`build\`.`)!;
  assertEquals(found, { files: ["in/out", "build"], folders: ["Docs", "lib", "test"] });
  // `in/out` alone is one path, and nothing else of the prose is one.
  assert(!findEvidence(prose, found).includes("interfaces or files and modules"));
});

Deno.test("no link is followed, and nothing outside of the working directory or of other people's is looked for", async () => {
  await using dir = await project();
  await Deno.symlink("/etc", `${dir.path}/Link`);
  const text =
    "See `Link`, Link/passwd, `Link/passwd`, `..`, ../etc, `.git`, .git/config, `etc/passwd` and .gitignore.";
  assertEquals(names(dir.path, text), { files: [".gitignore"], folders: ["Link"] });
  assertEquals(names(`${dir.path}/nowhere`, text), undefined);
});

Deno.test("a name is found in whatever form its letters are stored", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/${"Übung".normalize("NFD")}`, "");
  const text = `See ${"Übung".normalize("NFC")}.`;
  assertEquals(names(dir.path, text), { files: ["Übung".normalize("NFC")], folders: [] });
  assertEquals(names(dir.path, text.normalize("NFD")), { files: ["Übung".normalize("NFC")], folders: [] });
});

Deno.test("only reviews are looked through, and of a long one a bounded number of words", async () => {
  await using dir = await project();
  assertEquals(lookUpNames(dir.path, { role: "tester", text: "Makefile" }), {});
  const many = Array.from({ length: 1000 }, (_, word) => `Word${word}`).join(" ");
  assertEquals(names(dir.path, `${many} Makefile`), undefined);
  assertEquals(names(dir.path, `Makefile ${many}`)?.files, ["Makefile"]);
  assertEquals(names(dir.path, `\`\`\`\nMakefile\n\`\`\`\n> Dockerfile`), undefined);
});
