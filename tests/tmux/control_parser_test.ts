import { assert, assertEquals } from "@std/assert";
import { type ControlEvent, ControlParser, unescapeOutput } from "../../lib/tmux/control_parser.ts";
import { OscScanner } from "../../lib/tmux/osc_scanner.ts";

const TRANSCRIPT = Deno.readFileSync(new URL("../../fixtures/control_mode/tmux-3.3a.txt", import.meta.url));

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Output as text, so that events can be compared. */
function readable(events: readonly ControlEvent[]): unknown[] {
  return events.map((event) =>
    event.type === "output"
      ? { ...event, escaped: new TextDecoder("utf-8", { fatal: true }).decode(unescapeOutput(event.escaped)) }
      : event
  );
}

Deno.test("a recorded transcript is read as what happened", () => {
  const events = readable(new ControlParser().push(TRANSCRIPT));
  const own = (ok: boolean, text: string) => ({ type: "reply", isOwn: true, ok, text });
  assertEquals(events, [
    { type: "reply", isOwn: false, ok: true, text: "" },
    { type: "notification", name: "session-changed", rest: "$0 work" },
    own(true, "attached\n"),
    own(true, ""),
    own(true, "%1\n"),
    { type: "notification", name: "window-add", rest: "@1" },
    {
      type: "output",
      paneId: "%1",
      escaped: "\x1b[1m›\x1b[0m é 漢字 🙂 \\ tab\there\r\r\n%end 1 2 3\r\r\n%begin 1 2 1\r\r\n%output %1 x\r\r\n" +
        "\x1b]0;⠋ title é\x07\x1b]7501;state=working:app=codex\x1b\\",
    },
    own(true, "%1 ⠋ title é\n"),
    own(
      true,
      "\x1b[1m›\x1b[0m\x1b[39m\x1b[49m é 漢字 🙂 \\ tab       here\n%end 1 2 3\n%begin 1 2 1\n%output %1 x\n\n\n",
    ),
    own(true, "before\n"),
    own(false, "can't find pane: %99\n"),
    own(false, "parse error: unknown command: bogus\n"),
    { type: "notification", name: "subscription-changed", rest: "panewright $0 @0 0 %0 : 0" },
    { type: "notification", name: "subscription-changed", rest: "panewright $0 @1 1 %1 : 0" },
    { type: "notification", name: "unlinked-window-close", rest: "@1" },
    own(true, "%0 0\n"),
    { type: "notification", name: "exit", rest: "" },
  ]);
});

/** What comes of a piece that is overwritten as soon as it was read, as a buffer is that is read into over and over. */
function pushOnce(parser: ControlParser, bytes: Uint8Array): unknown[] {
  const piece = bytes.slice();
  const events = readable(parser.push(piece));
  piece.fill(0x25);
  return events;
}

Deno.test("a transcript is read the same wherever it is cut, and byte by byte", () => {
  const whole = readable(new ControlParser().push(TRANSCRIPT));
  for (let cut = 0; cut <= TRANSCRIPT.length; cut++) {
    const parser = new ControlParser();
    const events = [TRANSCRIPT.subarray(0, cut), TRANSCRIPT.subarray(cut)].flatMap((piece) => pushOnce(parser, piece));
    assertEquals(events, whole, `cut at byte ${cut}`);
  }
  const parser = new ControlParser();
  assertEquals([...TRANSCRIPT].flatMap((byte) => pushOnce(parser, Uint8Array.of(byte))), whole);
});

Deno.test("a reply ends only where time, number and flags are its own", () => {
  const body = [
    "%end 7 269 0",
    "%end 7 26 1",
    "%end 7 2691 1",
    "%end 8 269 1",
    "%error 7 269",
    "%begin 7 269 1",
    "%end 7 269 1 ",
  ];
  const text = body.map((line) => `${line}\n`).join("");
  assertEquals(new ControlParser().push(bytesOf(`%begin 7 269 1\n${text}%error 7 269 1\n`)), [
    { type: "reply", isOwn: true, ok: false, text },
  ]);
});

Deno.test("lines that no tmux writes are passed over", () => {
  const text = "hello\n\n%output %1\n%extended-output %1 0 no colon\n%begin 1 2\n%begin x 2 1\n%\n%window-add @2\n";
  assertEquals(
    new ControlParser().push(bytesOf(text)).filter((event) =>
      event.type !== "notification" || event.name === "window-add"
    ),
    [{ type: "notification", name: "window-add", rest: "@2" }],
  );
});

Deno.test("output is unescaped as bytes, and what is no escape stays", () => {
  const unescape = (text: string) => {
    const bytes = [...unescapeOutput(bytesOf(text))];
    assertEquals([...unescapeOutput(bytesOf(text), new Uint8Array(100))], bytes);
    return bytes;
  };
  assertEquals(unescape("\\303\\251"), [...bytesOf("é")]);
  assertEquals(unescape("\\377\\000"), [255, 0]);
  for (const plain of ["", "text", "\\", "\\1", "\\12", "\\128", "\\400", "\\x41", "a\\"]) {
    assertEquals(unescape(plain), [...bytesOf(plain)]);
  }
});

Deno.test("a line of megabytes in small pieces arrives whole", () => {
  const parser = new ControlParser();
  parser.push(bytesOf("%output %1 "));
  for (let count = 0; count < 20_000; count++) parser.push(bytesOf("x".repeat(100)));
  const [event] = parser.push(bytesOf("\n"));
  assert(event?.type === "output" && event.escaped.length === 2_000_000);
});

Deno.test("operating system commands are found wherever the output is cut", () => {
  const output = bytesOf(
    "\x1b[1mtext\x1b]0;⠋ tïtle\x07 \x1b]2;two\x1b\\\x1b\x1b]7501;a=b\x1b\\ \x1b]0;cancelled\x18 \x1b]0;broken\x1b[0m\x1b]0;end\x07",
  );
  const wanted = ["0;⠋ tïtle", "2;two", "7501;a=b", "0;end"];
  for (let cut = 0; cut <= output.length; cut++) {
    const scanner = new OscScanner();
    assertEquals([...scanner.push(output.subarray(0, cut)), ...scanner.push(output.subarray(cut))], wanted);
  }
});

Deno.test("an operating system command without an end takes no memory, and the next one is found", () => {
  const scanner = new OscScanner();
  scanner.push(bytesOf("\x1b]0;"));
  for (let count = 0; count < 1000; count++) assertEquals(scanner.push(bytesOf("x".repeat(1000))), []);
  assertEquals(scanner.push(bytesOf("\x07\x1b]0;next\x07")), ["0;next"]);
});
