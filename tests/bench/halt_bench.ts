import { systemClock } from "../../lib/base/ports/clock.ts";
import { askedBy, fakeProject, shellCall, started } from "../agents/process/support.ts";

const said = {
  do: "log",
  record: { type: "response_item", payload: { type: "message", role: "assistant", content: [{ text: "I look." }] } },
} as const;

Deno.bench({
  name: "from the ask's record on disk to the agent's processes being gone (to stay under 250 ms)",
  n: 20,
  warmup: 2,
  async fn(b) {
    await using project = await fakeProject();
    const threadId = crypto.randomUUID();
    const steps = [started(threadId), said, { do: "spawn", argv: ["sleep", "600"] }, { do: "hang" }] as const;
    const asked = askedBy(project.run(steps, { plan: { threadId } }));
    while (!project.facts.some(({ type }) => type === "said")) await systemClock.sleep(5);
    const folder = `${project.path}/codex/sessions/2026/11/20`;
    const [log] = [...Deno.readDirSync(folder)];
    const call = shellCall("panewright ask 'Which?'");
    const line = call.do === "log" ? `${JSON.stringify(call.record)}\n` : "";
    b.start();
    await Deno.writeTextFile(`${folder}/${log!.name}`, line, { append: true });
    await asked;
    b.end();
  },
});
