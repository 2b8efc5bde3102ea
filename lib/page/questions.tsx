import { type ReportHeader, type ReportWaiting, waitingOf } from "../api/report/model.ts";
import { type GivenFromPage, Question } from "./question.tsx";

export function Questions({ header, onAnswer }: {
  readonly header: ReportHeader;
  readonly onAnswer: (answer: GivenFromPage) => Promise<unknown>;
}) {
  return (
    <>
      {waitingOf(header).map((waiting, place) => (
        <Question key={keyOf(waiting)} waiting={waiting} place={place} onAnswer={onAnswer} />
      ))}
    </>
  );
}

export function keyOf({ id, by, fingerprint, askedAt }: ReportWaiting): string {
  return [id, by, fingerprint, askedAt].join(" ");
}
