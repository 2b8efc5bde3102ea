import { assertEquals } from "@std/assert";
import { permissionText } from "../../lib/journal/exec/task.ts";

Deno.test("what a step may do is said as it is: inside a sandbox around it, no person is asked by default", () => {
  const said = (sandbox: "agent" | "off", permissions: "policy" | "person" | "dry_run") =>
    permissionText({ sandbox, permissions }).split("permissions: ")[1];
  const inside = "all inside, but for what deny and ask name";
  assertEquals([said("agent", "policy"), said("agent", "person")], [inside, inside]);
  assertEquals(said("agent", "dry_run"), "by a person (permissions.dry_run is on)");
  assertEquals(said("off", "person"), "by a person (permissions.auto_accept is off)");
});
