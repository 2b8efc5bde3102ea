import {
  assemble,
  exploreSummary,
  heading,
  type PromptInput,
  quotedTestCommand,
  read,
  scenarioTest,
} from "./shared.ts";

/** The tester of a loop that begins with the tests: somebody else programs until they pass. */
export function acceptancePrompt(input: PromptInput): string {
  return assemble(input, [
    heading(
      input,
      "You write the acceptance tests, before anybody programs. You change tests alone, and you do not run git.",
    ),
    exploreSummary(input),
    scenarioTest(input),
    ...read(input),
    quotedTestCommand(input),
    `Write a test for each point of the scenario test, in the project's own framework and where the project test command \
runs it. Run the command: each new test must fail now, and only because what it asks for is not there yet. \
Another agent makes them pass and may not change them. Your response contains:
- Each test: its file, its name, and the point of the scenario test that it checks.
- What each of them prints now, and why that is the right reason to fail.
- What cannot be tested so, and how else it can be seen.`,
  ]);
}
