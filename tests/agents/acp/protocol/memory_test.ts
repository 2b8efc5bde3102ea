import { assert, assertEquals } from "@std/assert";

const DRIVER = new URL("long_line_driver.ts", import.meta.url).pathname;
const MEGABYTES = 400;

Deno.test({
  name: "a line of 400 MB takes the memory of the limit, not its own",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", "-A", DRIVER, String(MEGABYTES * 1e6)],
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    const told = JSON.parse(decoder.decode(stdout) || `{"error":${JSON.stringify(decoder.decode(stderr))}}`);
    assertEquals(told.events, ["say before", "say after", "end end_turn"], told.error);
    assertEquals(told.troubles, { too_long: 1 });
    // 74 were seen, of a line of 100 MB as of one of 400.
    assert(told.megabytes < MEGABYTES / 2, `${told.megabytes} MB`);
  },
});
