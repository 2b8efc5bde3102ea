import { offeredSettings } from "./permission_offers.ts";
import { oneLine, type StepTemplate, type TemplateValues } from "./template.ts";

/** A config to start from in about ten lines: JSON with comments, and only the keys that are set. */
export function shortTemplate({ step, permissions: offer, hosts, ...values }: TemplateValues): string {
  const { inShort, topLevel = {}, permissions } = offeredSettings(offer, { hosts });
  return [
    '// What else can be set: "panewright init --full" writes every key with its meaning.',
    "{",
    `  "$schema": ${JSON.stringify(values.$schema)},`,
    `  "provider": ${JSON.stringify(values.provider)},`,
    ...(values.prompt_file === undefined ? [] : [`  "prompt_file": ${JSON.stringify(values.prompt_file)},`]),
    ...(step === undefined ? testLines(values.project_test_cmd) : stepLines(step)),
    `  // ${inShort}`,
    ...Object.entries(topLevel).map(([key, text]) => `  ${JSON.stringify(key)}: ${text},`),
    `  "permissions": { ${
      Object.entries(permissions).map(([key, text]) => `${JSON.stringify(key)}: ${text}`).join(", ")
    } },`,
    "}",
    "",
  ].join("\n");
}

function testLines(command: TemplateValues["project_test_cmd"]): readonly string[] {
  if (command === undefined) {
    return [
      "  // Name the command that tests the project; without it, a PASS is the tester's word alone.",
      '  // "project_test_cmd": ["npm", "test"],',
    ];
  }
  return [
    "  // The tester's PASS counts only if this command passes too.",
    `  "project_test_cmd": ${oneLine(command)},`,
  ];
}

function stepLines({ check, args }: StepTemplate): readonly string[] {
  const checked = check === undefined
    ? ['        "check": { "type": "none" },']
    : [`        "check": { "type": "shell", "command": ${JSON.stringify(check)} },`, '        "retry": 2,'];
  return [
    check === undefined
      ? '  // Nothing is checked yet: name the command that must pass, as { "type": "shell", "command": "npm test" }.'
      : "  // While the check fails, the step is tried again, and told why.",
    '  "pipelines": {',
    '    "main": [',
    "      {",
    '        "name": "work",',
    '        "prompt": "self",',
    ...(args.length === 0 ? [] : [`        "args": ${oneLine(args)},`]),
    ...checked,
    "      },",
    "    ],",
    "  },",
  ];
}
