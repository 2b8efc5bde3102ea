import { packJsonSchema } from "../../config/pack_schema.ts";
import { configJsonSchema } from "../../config/schema.ts";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { defineCommand } from "../console/command.ts";
import { twoColumns } from "../console/layout.ts";
import { outputLine } from "../../api/output/line.ts";
import { OUTPUT_SCHEMAS, outputJsonSchema } from "../../api/output/schemas.ts";

const FILES: Readonly<Record<string, { readonly about: string; schema(): Record<string, unknown> }>> = {
  config: { about: "the config file", schema: configJsonSchema },
  "agent-pack": { about: "a file that describes an agent of your own", schema: packJsonSchema },
};

export const command = defineCommand({
  arguments: [{
    name: "NAME",
    description: "the schema; all of them are listed if left out",
    choices: [...Object.keys(FILES), ...Object.keys(OUTPUT_SCHEMAS)],
  }],
  run({ positionals: [name], global }, io) {
    const about = new Map([
      ...Object.entries(FILES).map(([file, { about }]) => [file, about] as const),
      ...Object.entries(OUTPUT_SCHEMAS).map(describe),
    ]);
    if (name === undefined) {
      const rows = [...about];
      const lines = global.json
        ? rows.map(([name, about]) => outputLine("schema", { name, about }))
        : twoColumns(rows, { width: io.columns() }).map((line) => `${line}\n`);
      io.stdout(lines.join(""));
      return Promise.resolve(0);
    }
    if (!about.has(name)) {
      throw new UsageError(`Cannot print the schema "${name}": there is none${didYouMean(name, [...about.keys()])}`, {
        hint: `Schemas: ${[...about.keys()].join(", ")}. What demo, resume and logs print is in run and exec.`,
      });
    }
    const schema = OUTPUT_SCHEMAS[name];
    const printed = schema === undefined ? FILES[name]?.schema() : outputJsonSchema(name, schema);
    io.stdout(`${JSON.stringify(printed, null, 2)}\n`);
    return Promise.resolve(0);
  },
});

function describe([name, { of }]: [string, { readonly of: string }]): [string, string] {
  return [name, `what is printed by ${of}`];
}
