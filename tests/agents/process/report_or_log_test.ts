import { assertEquals } from "@std/assert";
import type { AgentEvent } from "../../../lib/agents/agent.ts";
import { ReportOrLog } from "../../../lib/agents/process/report_or_log.ts";

const ran = (command: string): AgentEvent => ({ type: "ran", id: command, command });
const saw = (command: string, output = ""): AgentEvent => ({ type: "saw", id: command, command, output });
const said = (text: string): AgentEvent => ({ type: "said", text });

/** What is told, in order. */
function teller(hasLog = true) {
  const told: string[] = [];
  const stream = new ReportOrLog(
    hasLog,
    (events) =>
      told.push(
        ...events.map((event) =>
          "command" in event
            ? `${event.type} ${event.command}`
            : "text" in event
            ? `${event.type} ${event.text}`
            : event.type
        ),
      ),
  );
  return { stream, told };
}

Deno.test("what both tell is told by the log, where there is one, and else by the report", () => {
  const both = teller();
  both.stream.take([ran("ls"), said("Done.")], "report");
  assertEquals(both.told, []);
  both.stream.decide("log");
  both.stream.take([ran("ls"), saw("ls"), said("Done.")], "log");
  both.stream.take([said("Late.")], "report");
  both.stream.decide("report");
  assertEquals(both.told, ["ran ls", "saw ls", "said Done."]);

  const alone = teller();
  alone.stream.take([ran("ls")], "report");
  alone.stream.decide("report");
  alone.stream.take([said("Done.")], "report");
  assertEquals(alone.told, ["ran ls", "said Done."]);
});

Deno.test("a log that is found late tells what the report did not, and nothing twice", () => {
  const { stream, told } = teller();
  stream.take([ran("touch good")], "report");
  stream.decide("report");
  stream.take([saw("touch good", "out")], "report");
  stream.take([ran("touch good")], "report");
  stream.decide("log");
  // What only the log has: a call that was refused.
  stream.take([ran("touch good"), ran("touch bad"), saw("touch good", "Exit code 0\nout")], "log");
  stream.take([said("Done.")], "report");
  stream.take([saw("touch bad"), ran("touch good"), ran("touch good"), said("Done.")], "log");
  stream.decide("report");
  assertEquals(told, [
    ...["ran touch good", "saw touch good", "ran touch good"],
    ...["ran touch bad", "saw touch bad", "ran touch good", "said Done."],
  ]);
});
