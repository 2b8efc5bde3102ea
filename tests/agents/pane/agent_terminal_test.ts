import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DraftInTheWayError, HumanInterventionRequiredError, RuntimeError } from "../../../lib/base/errors.ts";
import { findProcess } from "../../../lib/base/ports/process_table.ts";
import type { AgentTerminal } from "../../../lib/agents/pane/agent_terminal.ts";
import { startAgentTerminal } from "../../../lib/agents/pane/start_agent_terminal.ts";
import { codexProvider } from "../../../lib/agents/codex/provider.ts";
import { openDialog } from "../../../lib/agents/pane/pane_look.ts";
import type { PaneProvider, TerminalProvider } from "../../../lib/agents/provider.ts";
import { sendKeys } from "../../../lib/tmux/input.ts";
import type { TmuxClient, TmuxCommand } from "../../../lib/tmux/client.ts";
import { openSession } from "../../../lib/tmux/open_session.ts";
import type { TmuxSession } from "../../../lib/tmux/session.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { screenText, type TmuxSandbox, tmuxSandbox, until as untilSeen } from "../../tmux/support.ts";
import type { FakeComposerScript } from "./fake_composer.ts";

/** Limits are numbers of looks: time passes while an agent's terminal sleeps, and with each look of a test. */
const clock = patientClock();

function until<T>(look: () => Promise<T>, accept: (value: T) => boolean): Promise<T> {
  const lookLater = () => {
    clock.advance(25);
    return look();
  };
  return untilSeen(lookLater, accept);
}

const PROGRAM = new URL("./fake_composer.ts", import.meta.url).pathname;

/** Codex, but with shorter waits, and started as a program of the tests. */
function fakeProvider(script: FakeComposerScript, submit: Partial<TerminalProvider["submit"]> = {}): PaneProvider {
  return {
    ...codexProvider,
    terminal: {
      ...codexProvider.terminal,
      submit: { pastedToEnterMs: 150, proofTimeoutMs: 1000, ...submit },
      launch: ({ workdir, env = {} }) => ({
        argv: [Deno.execPath(), "run", "--quiet", "--no-config", "--allow-write", PROGRAM, JSON.stringify(script)],
        env,
        cwd: workdir,
      }),
    },
  };
}

interface Stage {
  readonly sandbox: TmuxSandbox;
  readonly session: TmuxSession;
  start(script: FakeComposerScript, options?: Partial<TerminalProvider["submit"]>): Promise<AgentTerminal>;
  /** What reached the program so far. */
  received(): Promise<unknown[]>;
  /** What tmux was asked, several commands at once, since the last call. */
  takeAsked(): readonly TmuxCommand[];
}

async function onStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  await using sandbox = await tmuxSandbox();
  const asked: TmuxCommand[] = [];
  const runAll: TmuxClient["runAll"] = (commands, options) => {
    asked.push(...commands);
    return sandbox.client.runAll(commands, options);
  };
  await using session = await openSession({ ...sandbox.client, runAll }, { name: "test" });
  const log = `${sandbox.home}/received.log`;
  await run({
    sandbox,
    session,
    takeAsked: () => asked.splice(0),
    start: (script, submit) =>
      startAgentTerminal({
        session,
        provider: fakeProvider({ log, ...script }, submit),
        request: { workdir: sandbox.home, role: "analyst" },
        startTimeoutMs: 60_000,
        clock,
      }),
    async received() {
      const text = await Deno.readTextFile(log).catch(() => "");
      return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    },
  });
}

function status(agent: AgentTerminal, wanted: string): Promise<unknown> {
  return until(() => agent.status(), (now) => now.status === wanted);
}

Deno.test("a prompt arrives word for word as one bracketed paste and one Enter, and the answer is read", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({});
    assertEquals((await agent.status()).status, "idle");
    const text = "First line; $HOME `id`\n\tindented \"quoted\" 'é›' \\n\n\nlast line;";
    await agent.submit(text);
    assertEquals(await received(), [{ paste: text.replaceAll("\n", "\r") }, "enter", { submitted: text }]);
    await status(agent, "completed");
    assertEquals(await agent.lastOutput(), "Done.");
  });
});

Deno.test("a status that is asked for again and again captures few styles, and tells what a look with all of them tells", async () => {
  await onStage(async ({ start, takeAsked }) => {
    const agent = await start({});
    for (const wanted of ["idle", "completed"]) {
      if (wanted === "completed") await agent.submit("a prompt");
      await status(agent, wanted);
      let told = await agent.status();
      await until(async () => {
        takeAsked();
        told = await agent.status();
        return takeAsked().filter(([name]) => name === "capture-pane").map((command) => command.includes("-e"));
      }, ([first, ...others]) => first === false && others.length > 0 && others.every((styled) => styled));
      const { classification } = await agent.look();
      assertEquals([told.status, told.rule, told.evidence], [
        classification.status,
        classification.rule,
        classification.evidence,
      ]);
    }
  });
});

Deno.test("the paste terminator and control characters inside a prompt cannot leave the paste", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({});
    await agent.submit("before\x1b[201~\rmiddle\x03\x1b[A after");
    assertEquals(await received(), [
      { paste: "before␛[201~\rmiddle␃␛[A after" },
      "enter",
      { submitted: "before␛[201~\nmiddle␃␛[A after" },
    ]);
  });
});

Deno.test("a long prompt that the composer shows as a marker is submitted", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({});
    const text = "A line of a long prompt.\n".repeat(400).trim();
    await agent.submit(text);
    assertEquals((await received()).slice(1), ["enter", { submitted: `[Pasted Content ${text.length} chars]` }]);
  });
});

Deno.test("a person's draft is neither sent nor added to", async () => {
  await onStage(async ({ start, session, received }) => {
    const agent = await start({});
    await sendKeys(session.client, agent.pane.paneId, { keys: ["w", "a", "i", "t"] });
    await until(() => agent.look(), ({ composer }) => composer?.text.includes("wait") ?? false);
    const error = await assertRejects(() => agent.submit("a prompt"), HumanInterventionRequiredError, "draft");
    assertStringIncludes(error.message, "› wait");
    assertEquals((await received()).filter((one) => one === "enter" || "paste" in (one as object)), []);
  });
});

Deno.test("when Enter is lost twice, it is an error, and trying again needs no second paste", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({ loseEnters: 2 });
    const error = await assertRejects(() => agent.submit("a prompt"), RuntimeError, "nothing shows");
    assertStringIncludes(error.message, "› a prompt");
    await agent.submit("a prompt");
    assertEquals(await received(), [{ paste: "a prompt" }, "enter", "enter", "enter", { submitted: "a prompt" }]);
  });
});

Deno.test("the pause outlasts the paste burst of a program without bracketed paste", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({ bracketed: false });
    await agent.submit("two\nlines");
    const all = await received();
    assertEquals(all.filter((one) => one === "enter").length, 2);
    assertEquals(all.at(-1), { submitted: "two\nlines" });
  });
});

Deno.test("an Enter that the paste burst turned into a line end is followed by another", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({ bracketed: false }, { pastedToEnterMs: 0 });
    await agent.submit("a prompt");
    const all = await received();
    assert(all.filter((one) => one === "enter").length >= 1);
    assertStringIncludes((all.at(-1) as { submitted: string }).submitted, "a prompt");
  });
});

Deno.test("an agent that is done takes the next prompt", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({});
    for (const prompt of ["first", "second"]) {
      await agent.submit(prompt);
      await status(agent, "completed");
    }
    assertEquals((await received()).filter((one) => one === "enter").length, 2);
  });
});

Deno.test("an agent that ends on Enter is reported as ended, with its last screen", async () => {
  await onStage(async ({ start }) => {
    const agent = await start({ dieOnEnter: true });
    const error = await assertRejects(() => agent.submit("a prompt"), RuntimeError, "ended when Enter was pressed");
    assertStringIncludes(error.message, "› a prompt");
    assertEquals((await agent.status()).status, "error");
    await assertRejects(() => agent.submit("again"), RuntimeError, "the agent has ended");
  });
});

for (const [startDialog, remedy] of [["trust", "trust it"], ["login", "codex login"], ["model", "by hand"]] as const) {
  Deno.test(`a ${startDialog} dialog at start is named with its remedy, and not answered`, async () => {
    await onStage(async ({ start, received, session }) => {
      const error = await assertRejects(
        () => start({ startDialog }),
        HumanInterventionRequiredError,
        "Cannot start analyst",
      );
      assertStringIncludes(error.hint ?? "", remedy);
      assertEquals(await received(), []);
      assertEquals((await session.client.run(["list-panes", "-a"])).stdout.trim().split("\n").length, 1);
    });
  });
}

Deno.test("a composer that shows up before the dialog does not count as ready", async () => {
  await onStage(async ({ start }) => {
    const script = { startDialog: "login", composerBeforeDialogMs: 900 } as const;
    await assertRejects(() => start(script), HumanInterventionRequiredError, "(login)");
  });
});

Deno.test("a program that ends at start is reported with its last lines", async () => {
  await onStage(async ({ start }) => {
    const error = await assertRejects(
      () => start({ dieAtStart: "Error loading configuration: no such profile\r\n" }),
      RuntimeError,
      "ended while it was starting",
    );
    assertStringIncludes(error.message, "  | Error loading configuration: no such profile");
  });
});

Deno.test("an agent that starts with a person's draft is ready, and its prompt waits", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({ draft: "half a thought" });
    await assertRejects(() => agent.submit("do it"), DraftInTheWayError, "half a thought");
    assertEquals(await received(), []);
  });
});

Deno.test("an approval is answered once with the CLI's own key, and only while it is open", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({ askApproval: true });
    await agent.submit("do it");
    await status(agent, "waiting_user_answer");
    const dialog = openDialog(await agent.look());
    assert(dialog);
    await assertRejects(() => agent.submit("y"), HumanInterventionRequiredError, "(command)");
    assertEquals((await agent.answerDialog(dialog, "accept")).result, "closed");
    await status(agent, "completed");
    assertEquals((await agent.answerDialog(dialog, "accept")).result, "gone");
    assertEquals((await received()).slice(2), [{ submitted: "do it" }, { approvalKey: "y" }]);
    assertEquals(await agent.lastOutput(), "Approved.");
  });
});

Deno.test("a dialog that stays open after it was accepted is an error that shows the screen, and gets no second key", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({ askApproval: true, deafDialog: true });
    await agent.submit("do it");
    await status(agent, "waiting_user_answer");
    const dialog = openDialog(await agent.look());
    assert(dialog);
    const error = await assertRejects(
      () => agent.answerDialog(dialog, "accept"),
      HumanInterventionRequiredError,
      "stays open",
    );
    assertStringIncludes(error.message, "$ touch /home/dev/approved.txt");
    assertEquals((await received()).slice(3), [{ approvalKey: "y" }]);
  });
});

Deno.test("closing an agent ends its process, and an abort ends waiting", async () => {
  await onStage(async ({ start, received }) => {
    const agent = await start({ loseEnters: 9 }, { proofTimeoutMs: 60_000 });
    const controller = new AbortController();
    const submitting = agent.submit("a prompt", { signal: controller.signal });
    await until(received, (all) => all.includes("enter"));
    controller.abort(new Error("stop"));
    await assertRejects(() => submitting, Error, "stop");
    await agent.close();
    assertEquals(await findProcess(agent.pane.pid), undefined);
    await assertRejects(() => agent.status(), RuntimeError, "Cannot read pane");
  });
});

Deno.test("an agent that is started by a script is not taken for a shell", async () => {
  await onStage(async ({ sandbox, session }) => {
    const provider = fakeProvider({});
    const request = { workdir: sandbox.home, role: "analyst" };
    const { argv } = await provider.terminal.launch(request, {
      os: "",
      arch: "",
      path: [],
      stateFolder: undefined,
      realFile: () => undefined,
    });
    const wrapped: PaneProvider = {
      ...provider,
      terminal: {
        ...provider.terminal,
        launch: () => ({ argv: ["sh", "-c", '"$@"; exit 0', "sh", ...argv], env: {}, cwd: sandbox.home }),
      },
    };
    const agent = await startAgentTerminal({ session, provider: wrapped, request });
    const { screen } = await agent.look();
    assertStringIncludes(screenText(screen), "OpenAI Codex");
    await agent.submit("a prompt");
    await status(agent, "completed");
  });
});
