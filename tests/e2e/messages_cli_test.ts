import { assertEquals, assertStringIncludes } from "@std/assert";
import { leaveMessage } from "../../lib/api/control/send_message.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { CLI_LABELS } from "../support/clis.ts";
import { useStateHome } from "../support/state_home.ts";
import { until } from "../support/until.ts";
import { setUpOneTurn } from "./one_turn_stage.ts";

const QUESTION = "Which port does the greeter use?";

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`a message to a real ${CLI_LABELS[provider]} in its pane is sent once and answered, while another works`, async () => {
    const config = {
      start_agent: "programmer",
      limits: { max_review_cycles: 1, min_review_cycles_before_approval: 1 },
    };
    await using stage = await setUpOneTurn({ provider, config });
    await using run = stage.watch("run");
    await run.fact("turn_started");
    const folder = runFolderAt(stage.sandbox.project, (await run.folder()).split("/").at(-1)!);
    using _state = useStateHome(`${stage.sandbox.home}/.local/state`);
    const ask = { role: "tester", text: QUESTION, by: "mcp", who: "codex" } as const;
    const { message: messageId } = await leaveMessage(folder, { ...ask, wantsResponse: true });
    const { message: quiet } = await leaveMessage(folder, {
      ...ask,
      text: "For your information.",
      wantsResponse: false,
    });
    const answered = () => run.facts().filter(({ type }) => type === "message_answered");
    await until(() => answered().length === 2);
    const { code, stderr } = await run.program.ended;
    assertEquals(code, 0, stderr);
    const sent = run.facts().filter(({ type, turnId }) => type === "message_sent" && turnId === messageId);
    assertEquals(sent.map(({ what }) => what), ["prompt"]);
    const responses = new Map(answered().map(({ messageId, archivedAs }) => [messageId, archivedAs !== undefined]));
    assertEquals(responses, new Map<unknown, boolean>([[messageId, true], [quiet, false]]));
    assertStringIncludes(await Deno.readTextFile(`${folder.repliesDir}/${messageId}/001-tester.md`), "RESULT: PASS");
    assertEquals(run.facts().filter(({ type }) => type === "round_finished").map(({ verdict }) => verdict), ["PASS"]);
    // The tester's own prompt came last in the same conversation.
    assertEquals(stage.conversation().split(QUESTION).length - 1, 1);
    await stage.sandbox.assertNothingLeft();
  });
}
