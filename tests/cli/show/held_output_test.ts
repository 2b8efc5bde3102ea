import { assertEquals, assertMatch } from "@std/assert";
import { PIPELINE } from "../../../lib/jobs/pipeline/mod.ts";
import { openLiveOutput } from "../../../lib/cli/show/live_output.ts";
import { fakeIo } from "../../support/fake_io.ts";

const GLOBAL = { json: false, quiet: false, verbose: false, color: { stdout: false, stderr: false } };

Deno.test("what happens while a person types is shown once they have sent it, in its order, and nothing of it is lost", () => {
  const io = fakeIo({});
  using output = openLiveOutput(PIPELINE, { io, global: GLOBAL });
  const warn = (message: string) => output.onEvent({ type: "warning", message });
  warn("one");
  {
    using _outer = output.hold();
    warn("two");
    {
      using _inner = output.hold();
      warn("three");
    }
    assertEquals(/two|three/.test(io.written.stderr), false);
  }
  warn("four");
  assertMatch(io.written.stderr, /one\n[^]*two\n[^]*three\n[^]*four\n$/);
});
