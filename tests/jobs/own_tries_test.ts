import { assertEquals } from "@std/assert";
import { openOwnTries } from "../../lib/jobs/own_tries.ts";

const OWN = ["connect tips.example:443", "write /tmp/socks-0"];

Deno.test("what a CLI tries when it starts is told to nobody, a host once for each start; what its agent tries later is", () => {
  const tries = openOwnTries((worker) => worker === "tester" ? OWN : []);
  const first = { by: "tester", what: "connect tips.example:443" };
  assertEquals(tries.isOwn(first), false);
  tries.begin("tester");
  assertEquals([tries.isOwn(first), tries.isOwn(first)], [true, false]);
  const folder = { by: "tester", what: "write /tmp/socks-0" };
  assertEquals([tries.isOwn(folder), tries.isOwn(folder)], [true, true]);
  assertEquals(tries.isOwn({ by: "analyst", what: "connect tips.example:443" }), false);
  assertEquals(tries.isOwn({ by: "tester", what: "write /tmp/socks-0/more" }), false);
  tries.begin("tester");
  assertEquals(tries.isOwn(first), true);
});

Deno.test("a host that a CLI reaches for at its start is asked about only beyond that", async () => {
  const tries = openOwnTries(() => OWN);
  const asked: string[] = [];
  const mayReach = tries.reaching(({ host }) => {
    asked.push(host);
    return Promise.resolve(true);
  });
  tries.begin("analyst");
  tries.begin("tester");
  const reach = async (host: string) => await mayReach({ host, port: 443 });
  assertEquals(await Promise.all([reach("tips.example"), reach("other.example"), reach("tips.example")]), [
    false,
    true,
    false,
  ]);
  assertEquals(asked, ["other.example"]);
  assertEquals(await reach("tips.example"), true);
});
