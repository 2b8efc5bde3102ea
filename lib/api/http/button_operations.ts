import * as z from "zod";
import { claimOf } from "../../run/notify/buttons.ts";
import { machineSecrets } from "../../run/notify/machine_secrets.ts";
import { pressButton } from "../control/press_button.ts";
import { flag, text } from "../output/shapes.ts";
import { operation } from "./operation.ts";
import { Problem } from "./problem.ts";

/** What the buttons of notifications lead to. The token in the path is all that they have. */
export const BUTTON_OPERATIONS = [
  operation({
    id: "pressButton",
    method: "post",
    path: "/v1/buttons/{token}",
    summary: "Gives the answer that a button of a notification stands for",
    description:
      "The token of the button takes the place of the server's: it stands for one answer to one question, and can be used once.",
    isOpen: true,
    params: { token: z.string().describe("The button's.") },
    replies: {
      200: {
        about: "The answer was given.",
        schema: z.object({
          question: text("The question's id."),
          goesOn: flag("Whether the run continues by itself; otherwise it is to be resumed."),
        }),
      },
    },
    problems: ["not_open", "answered_before", "needs_trust", "bad_input"],
    async handle({ context, params: { token = "" } }) {
      const claim = claimOf(token);
      const folder = claim && await context.findRun(claim.run).catch(() => undefined);
      // Who has no token is not told which runs there are.
      if (folder === undefined) throw new Problem("not_open", "Cannot answer: this is not a button of a run here");
      const { requireTrust, wallClock, secrets = machineSecrets() } = context;
      const given = await pressButton(folder, token, { requireTrust, wallClock, secrets });
      return { status: 200, json: given };
    },
  }),
];
