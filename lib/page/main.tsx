import { options, render } from "preact";
import type { ReportDocument } from "../api/report/model.ts";
import { detailsOfDocument } from "./details.tsx";
import { IndexView } from "./index_view.tsx";
import { LiveView } from "./live_view.tsx";
import { ReportView } from "./report_view.tsx";
import { dayOf, shownText, timeOfDay } from "./show.ts";
import { createTokenKeeper } from "./token_keeper.ts";

const root = document.getElementById("page")!;

// What is printed is what is there when the event is over.
addEventListener("beforeprint", () => options.debounceRendering = (draw) => draw(), { capture: true });
addEventListener("afterprint", () => delete options.debounceRendering);

const { page, run } = document.documentElement.dataset;
if (page === "file") {
  const { header, items, madeAt, madeBy, leftOut }: ReportDocument = JSON.parse(
    document.getElementById("report")!.textContent!,
  );
  const note = `Made by panewright ${madeBy} on ${dayOf(madeAt)} at ${
    timeOfDay(madeAt)
  }; times are those of this browser.`;
  const missing = leftOut === undefined ? null : <p class="caution-note">{shownText(leftOut)}</p>;
  render(<ReportView report={{ header, items }} source={detailsOfDocument()} note={note} first={missing} />, root);
} else {
  const token = createTokenKeeper();
  render(page === "live" ? <LiveView run={run!} token={token} /> : <IndexView token={token} />, root);
}
