import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { readCorpus } from "../../../lib/lab/recordings/corpus.ts";
import { classifyScreen } from "../../../lib/agents/classify_screen.ts";
import { scrub } from "../../../lib/base/redact/scrub.ts";
import { secretPatterns } from "../../../lib/base/redact/secret_patterns.ts";
import { plainRow } from "../../../lib/base/text/ansi.ts";
import { displayWidth } from "../../../lib/base/text/display_width.ts";
import { parseScreen } from "../../../lib/screen/screen.ts";
import { randomNumbers } from "../../lab/recordings/support.ts";

const COMMON = secretPatterns();
const MACHINE = secretPatterns({
  home: "/var/lib/jane",
  username: "jane",
  hostname: "zeus.corp.lan",
  secrets: ["hunter2hunter2", "short"],
});

const GITHUB_TOKEN = `ghp_${"A1b2C3d4E5".repeat(3)}`;
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

/** What must not be left of each of these. */
const SECRETS: readonly (readonly [what: string, text: string, secret: string])[] = [
  ["a key of OpenAI", "key sk-proj-AbCdEf123456_789-xyz done", "AbCdEf123456"],
  ["a key of Anthropic", "ANTHROPIC sk-ant-api03-AbCdEf123456-xyz", "api03"],
  ["a token of GitHub", `remote ${GITHUB_TOKEN}.`, "A1b2"],
  ["a fine-grained token of GitHub", "github_pat_11ABCDEFG0abcdefghijkl_xyz", "11ABCDEFG0"],
  ["a token of GitLab", "glpat-AbCdEf1234567890xyz1", "AbCdEf"],
  ["an access key of AWS", "id AKIAIOSFODNN7EXAMPLE ok", "IOSFODNN7"],
  ["a key of Google", "AIzaSyA-1234567890abcdefghijklmnopqrstu", "SyA-"],
  ["a token of Slack", "xoxb-123456789012-abcdefGHIJ", "123456789012"],
  ["a token of npm", "//registry/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghij"],
  ["a token of Hugging Face", "hf_abcdefghijklmnopqrstuvwx", "abcdefghij"],
  ["a JWT", `cookie ${JWT};`, "eyJ"],
  ["a bearer token", "Authorization: Bearer abc123.def-456~xyz", "abc123"],
  ["basic authorization", "authorization: basic amFuZTpodW50ZXIy", "amFuZTpo"],
  ["a password that is assigned", "DB_PASSWORD=correcthorse psql", "correcthorse"],
  ["a password in JSON", '{"password": "correcthorse"}', "correcthorse"],
  ["a secret in YAML", "client_secret: correcthorse", "correcthorse"],
  ["an API key in a variable", "export MY_API_KEY='correct.horse'", "correct.horse"],
  ["a password in an address", "postgres://jane:pw@db.local:5432/x", ":pw@"],
  ["an e-mail address", "mail jane.doe+x@mail.corp.example now", "jane.doe"],
  ["the domain of an e-mail address", "<jane@secret-corp.example>", "secret-corp"],
  ["a home on Linux", "cd /home/jane/shop", "jane"],
  ["a home on macOS", "cd /Users/jane.doe/shop", "jane.doe"],
  ["a password that is its own name", "password=password", "=password"],
  ["a short password that is assigned", "password=abc1 x", "abc1"],
  ["a password with blanks", '{"password": "correct horse"}', "horse"],
  ["a password with quotes in it", 'password: "cor\\"recthorse"', "recthorse"],
  ["a password behind an option", "login --password correcthorse", "correcthorse"],
  ["a token behind an option", "x --auth-token=correcthorse", "correcthorse"],
  ["a password of curl", "curl -u jane:correcthorse https://x", "correcthorse"],
  ["a password of mysql", "mysql -u root -pcorrecthorse", "correcthorse"],
  ["a password with signs in an address", "postgres://jane:c@rr:ect@db/x", "ect@"],
  ["a token in an address", "https://abcdef1234567890@github.com/x", "abcdef1234"],
  ["a variable for a password", "DB_PASS=correcthorse", "correcthorse"],
  ["a secret key of AWS", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalr"],
  ["a token of Slack for apps", "xapp-1-A0123-456789-abcdefghij", "abcdefghij"],
  ["an address of Slack that takes messages", "https://hooks.slack.com/services/T0/B0/abcdefghij", "abcdefghij"],
  ["a client secret of Google", "GOCSPX-abcdefghijklmnopqrst12", "abcdefghij"],
  ["a key of Groq", "gsk_abcdefghijklmnopqrst", "abcdefghij"],
  ["a token of Vault", "hvs.abcdefghijklmnopqrst", "abcdefghij"],
  ["a cookie", "Cookie: lang=en; session=abcdefghij", "abcdefghij"],
  ["an encrypted private key", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENC\n\nMIIEpAIB\n-----END", "MIIEpAIB"],
  ["a private key of PGP", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nMIIEpAIB\n-----END", "MIIEpAIB"],
  ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7b\nq83jf/+w==\n-----END", "MIIEpAIB"],
];

for (const [what, text, secret] of SECRETS) {
  Deno.test(`scrubbing takes out ${what}`, () => {
    const scrubbed = scrub(text, { patterns: COMMON, cols: 200 });
    assert(text.includes(secret) && !scrubbed.includes(secret), scrubbed);
    assertEquals(displayWidth(scrubbed), displayWidth(text));
    assertEquals(scrub(scrubbed, { patterns: COMMON, cols: 200 }), scrubbed);
  });

  Deno.test(`scrubbing takes out ${what}, with a style sequence between any two of its characters`, () => {
    for (let at = 1; at < text.length; at++) {
      const styled = `${text.slice(0, at)}\x1b[1m${text.slice(at)}`;
      const scrubbed = scrub(styled, { patterns: COMMON, cols: 200 });
      assertEquals(plain(scrubbed), plain(scrub(text, { patterns: COMMON, cols: 200 })));
      assertEquals(sequences(scrubbed), sequences(styled));
    }
  });
}

for (const [what, text] of SECRETS.filter(([, text]) => !text.includes("\n"))) {
  Deno.test(`scrubbing takes out ${what} where the terminal wraps it at any column`, () => {
    const whole = scrub(text, { patterns: COMMON, cols: 200 });
    for (let cols = 8; cols < text.length; cols++) {
      for (const indent of ["", "  "]) {
        const rows = wrapAt(text, cols, indent);
        // A blank that the wrapping swallows or adds makes other words of it.
        if (rows.some((row) => /^\s*$|\s$/.test(row) || /^ {3}| $/.test(row))) continue;
        if (rows.slice(1).some((row) => row.startsWith(`${indent} `))) continue;
        const scrubbed = scrub(rows.join("\n"), { patterns: COMMON, cols });
        const rejoined = scrubbed.split("\n").map((row, index) => index === 0 ? row : row.slice(indent.length)).join(
          "",
        );
        assertEquals(rejoined, whole, `${cols} columns, indent ${indent.length}`);
      }
    }
  });
}

Deno.test("scrubbing takes out what is private on this machine", () => {
  const text = "jane@zeus:/var/lib/jane$ echo hunter2hunter2 short > ~/.claude/-var-lib-jane-shop; ssh zeus.corp.lan";
  assertEquals(
    scrub(text, { patterns: MACHINE }),
    "user@host:/var/lib/user$ echo redactedxxxxxx short > ~/.claude/-var-lib-user-shop; ssh host.corp.lan",
  );
});

Deno.test("scrubbing takes out a host name that may be a word only where it can be nothing else", () => {
  const patterns = secretPatterns({ hostname: "vm" });
  assertEquals(scrub("vm\na vm is\nme@vm:~$ vm", { patterns, cols: 40 }), "ho\na vm is\nme@ho:~$ vm");
});

Deno.test("scrubbing takes out the home of root", () => {
  const patterns = secretPatterns({ home: "/root" });
  assertEquals(
    scrub("cd /root/shop; ls /root; ls /srv/root /rooted", { patterns }),
    "cd /user/shop; ls /user; ls /srv/root /rooted",
  );
});

Deno.test("scrubbing leaves alone what looks a little like a secret", () => {
  for (
    const text of [
      "✢ Deciphering… (3s · ↓ 24 tokens)",
      "Token usage: total=15 input=10 (+ 5 cached) output=5",
      "basic functionality of the bearer of bad news",
      "task-force-of-seventeen-people and desk-lamp",
      "npm i deno-std@1.3.1 @openai/codex@0.169.0",
      "see https://example.org/home or lib/home/x",
      "password must not be empty",
      "/root",
    ]
  ) assertEquals(scrub(text, { patterns: COMMON }), text);
});

Deno.test("a row that fills the screen is not taken to go on where tmux joined it already", () => {
  const text = `${"a".repeat(30)} /home/jane\nnext word`;
  assertEquals(scrub(text, { patterns: COMMON, cols: 20 }), `${"a".repeat(30)} /home/user\nnext word`);
});

Deno.test("wide characters are replaced column by column", () => {
  const scrubbed = scrub("/home/山田太郎/x", { patterns: COMMON });
  assertEquals(scrubbed, "/home/userxxxx/x");
});

const PIECES = [
  ...SECRETS.map(([, text]) => text),
  "\n",
  "\n",
  " ",
  "  ",
  "\x1b[1m",
  "\x1b[0;2m",
  "\x1b[38;5;174m",
  "界",
  "e\u0301",
  "🙂",
  "│",
  "password=",
  "@",
  "/home/",
  "sk-",
  "Bearer ",
  "jane@zeus",
  "hunter2hunter2",
  "• Working (1s • esc to interrupt)",
];

Deno.test("scrubbing never changes the rows, their widths or their styles, and a second time changes nothing", () => {
  const random = randomNumbers(2026);
  for (let round = 0; round < 2000; round++) {
    let text = "";
    for (let piece = 0; piece < 14; piece++) {
      const chosen = PIECES[Math.floor(random() * PIECES.length)]!;
      // tmux writes whole sequences only.
      text += random() < 0.7 || chosen.startsWith("\x1b")
        ? chosen
        : chosen.slice(0, Math.floor(random() * chosen.length));
    }
    text = text.toWellFormed();
    const options = { patterns: MACHINE, cols: 40 };
    const scrubbed = scrub(text, options);
    assertEquals(shape(scrubbed), shape(text), JSON.stringify(text));
    assertEquals(sequences(scrubbed), sequences(text));
  }
});

for (const provider of ["codex", "claude_code"]) {
  Deno.test(`the status of recorded screens of ${provider} stays when they are scrubbed`, async () => {
    const folder = new URL(`../../../fixtures/screens/${provider}`, import.meta.url).pathname;
    const patterns = secretPatterns({ home: "/home/dev", username: "dev", hostname: "lab" });
    let changed = 0;
    let index = 0;
    for await (const { file, recording: { ansi, ...meta } } of readCorpus(folder)) {
      if (index++ % 5 !== 0) continue;
      const scrubbed = scrub(ansi, { patterns, ...(meta.cols === undefined ? {} : { cols: meta.cols }) });
      if (scrubbed === ansi) continue;
      changed++;
      assertEquals(shape(scrubbed), shape(ansi), file);
      const status = (text: string) => {
        const { status, rule } = classifyScreen(provider, parseScreen(text, meta));
        return `${status} (${rule})`;
      };
      assertEquals(status(scrubbed), status(ansi), file);
      assertNotEquals(scrubbed, ansi);
    }
    assert(changed > 20, `only ${changed} screens hold anything to scrub`);
  });
}

function plain(text: string): string {
  return text.split("\n").map(plainRow).join("\n");
}

function shape(text: string): readonly number[] {
  return text.split("\n").map((row) => displayWidth(plainRow(row)));
}

function sequences(text: string): readonly string[] {
  // deno-lint-ignore no-control-regex -- control sequences are what this is about
  return text.match(/\x1b\[[\d;]*m/g) ?? [];
}

function wrapAt(text: string, cols: number, indent: string): string[] {
  const rows = [text.slice(0, cols)];
  for (let at = cols; at < text.length; at += cols - indent.length) {
    rows.push(indent + text.slice(at, at + cols - indent.length));
  }
  return rows;
}
