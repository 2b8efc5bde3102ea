import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import { type HandoffSettings, resolveHandoffSettings } from "../../lib/turn/settings.ts";

Deno.test("the defaults are those of the seeds", () => {
  assertEquals(resolveHandoffSettings(), {
    pollSeconds: 2,
    idleGraceSeconds: 30,
    responseTimeoutSeconds: 1800,
    strictFileHandoff: true,
    autoAcceptPermissions: false,
    acceptCooldownSeconds: 5,
    acceptCap: 20,
    maxErrorRetries: 0,
    errorRetrySeconds: 30,
    waitForUsageLimitReset: false,
    stallMinutes: 0,
    maxFileReminders: 0,
    maxResponseBytes: 1048576,
  });
});

Deno.test("what is given wins, and undefined is not given", () => {
  const settings = resolveHandoffSettings({ acceptCap: 3, pollSeconds: undefined } as unknown as HandoffSettings);
  assertEquals([settings.acceptCap, settings.pollSeconds], [3, 2]);
});

for (
  const [name, value, message] of [
    ["pollSeconds", 0, "Cannot use 0 as pollSeconds: it must be a number greater than 0 and at most 3600"],
    ["pollSeconds", NaN, "Cannot use NaN as pollSeconds: it must be a number greater than 0 and at most 3600"],
    ["pollSeconds", "2", 'Cannot use "2" as pollSeconds: it must be a number greater than 0 and at most 3600'],
    ["pollSeconds", 3601, "Cannot use 3601 as pollSeconds: it must be a number greater than 0 and at most 3600"],
    ["idleGraceSeconds", -1, "Cannot use -1 as idleGraceSeconds: it must be a number of at least 0"],
    [
      "responseTimeoutSeconds",
      Infinity,
      "Cannot use Infinity as responseTimeoutSeconds: it must be a number greater than 0",
    ],
    ["strictFileHandoff", 1, "Cannot use 1 as strictFileHandoff: it must be true or false"],
    ["autoAcceptPermissions", null, "Cannot use null as autoAcceptPermissions: it must be true or false"],
    ["acceptCap", 2.5, "Cannot use 2.5 as acceptCap: it must be a whole number of at least 0"],
    ["acceptCooldownSeconds", -0.1, "Cannot use -0.1 as acceptCooldownSeconds: it must be a number of at least 0"],
    ["maxFileReminders", -1, "Cannot use -1 as maxFileReminders: it must be a whole number of at least 0"],
    ["maxResponseBytes", 0, "Cannot use 0 as maxResponseBytes: it must be a whole number of at least 1"],
    ["pollSecond", 1, 'Cannot use the setting "pollSecond": there is no such setting'],
    ["toString", 1, 'Cannot use the setting "toString": there is no such setting'],
  ] as const
) {
  Deno.test(`${name} = ${String(value)} is refused with its name`, () => {
    const error = assertThrows(() => resolveHandoffSettings({ [name]: value }), UsageError);
    assertEquals(error.message, message);
  });
}
