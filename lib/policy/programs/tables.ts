import { present } from "../../base/schema.ts";
import { namesIn } from "../../shell/mod.ts";
import { operandRule } from "./operands.ts";
import DATA from "./programs.json" with { type: "json" };
import { type OtherNames, otherNamesOf } from "./spellings.ts";
import type { Given, Operand, OptionSpec, Use } from "./use.ts";

type Options = string | readonly string[];

/**
 * What a program's options do. An option is written with its dashes, and with `=` after it where it takes a value:
 * `-o=`, `--output=`. With `==` it takes two, of which the second counts. What is not in a table is harmless.
 */
interface OptionRow {
  readonly runs?: Options;
  readonly writes?: Options;
  /** Those that name a folder which is emptied first: with other values than harmless ones, an entry must name them. */
  readonly empties?: Options;
  readonly reads?: Options;
  readonly enters?: Options;
  /** Those that an entry must name, as they send something. */
  readonly leaves?: Options;
  readonly finds?: Options;
  /** Other options that take a value, so that the value is not taken for an operand or an option. */
  readonly valued?: Options;
  /** Values with which an option of `runs` or `empties` is harmless. */
  readonly harmless?: Readonly<Record<string, string>>;
}

/** What is known of a program, or of several that are called alike: a row of `programs.json`, of which the first fits. */
interface ProgramRow extends OptionRow {
  readonly programs?: string;
  readonly about?: string;
  readonly like?: string;
  /** Options have one dash and a whole word: `-exec`. @default {false} */
  readonly words?: boolean;
  /** Whether running code of the project or of its words is its purpose. @default {false} */
  readonly code?: boolean;
  /** Whether options end at the first operand. @default {false} */
  readonly optionsFirst?: boolean;
  /** What differs after subcommands, whose names stand in one text; `*` is for those that are not named. */
  readonly subcommands?: Readonly<Record<string, OptionRow>>;
  readonly inAllSubcommands?: OptionRow;
  /** Further subcommands that do no more than their names say. */
  readonly plainSubcommands?: Options;
  /** Whether options of the program itself hold before the subcommand only. @default {false} */
  readonly globalsFirst?: boolean;
  readonly spelling?: string;
  readonly operands?: string;
}

const KINDS = ["runs", "writes", "empties", "reads", "enters", "leaves", "finds", "valued"] as const;

export interface ProgramTable extends Pick<ProgramRow, "like" | "words" | "code" | "optionsFirst" | "globalsFirst"> {
  readonly options: readonly OptionSpec[];
  readonly subcommandOptions: ReadonlyMap<string, readonly OptionSpec[]> | undefined;
  readonly otherNames: OtherNames;
  operands(operands: readonly Operand[], given: Given): readonly Use[];
}

const { shared, programs }: {
  readonly shared: Readonly<Record<string, ProgramRow>>;
  readonly programs: readonly ProgramRow[];
} = DATA;

/** Each table is made when its program is first met: of most, no run ever hears. */
const TABLES = programs.map((row) => ({
  names: new RegExp(`^(?:${row.programs})$`),
  tableOf: once(() => tableOf(row.like === undefined ? row : joined(shared[row.like] ?? {}, row))),
}));

/** The table of a program, if there is one: the first that fits counts. */
export function programTable(program: string): ProgramTable | undefined {
  return TABLES.find(({ names }) => names.test(program))?.tableOf();
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => made ??= make();
}

export function tableOf(row: ProgramRow): ProgramTable {
  const options = specsOf(row);
  const subcommandOptions = row.subcommands && new Map(
    Object.entries(row.subcommands).flatMap(([names, own]) => {
      const specs = specsOf(joined(own, row.inAllSubcommands ?? {}));
      return names.split(" ").map((name) => [name, specs] as const);
    }),
  );
  const plain = namesIn(row.plainSubcommands ?? []);
  const known = { options, knows: (name: string) => plain.includes(name) || subcommandOptions?.has(name) === true };
  const [rule, ...told] = row.operands?.split(" ") ?? [];
  return {
    ...row,
    ...{ options, subcommandOptions },
    otherNames: otherNamesOf(row.spelling, options),
    operands: (operands, given) => rule === undefined ? [] : operandRule(rule)(operands, given, { ...known, told }),
  };
}

function joined<Row extends OptionRow>(first: OptionRow, row: Row): Row {
  const lists = KINDS.map((kind) => [kind, [...namesIn(first[kind] ?? []), ...namesIn(row[kind] ?? [])]]);
  return { ...first, ...row, ...Object.fromEntries(lists) };
}

function specsOf(row: OptionRow): readonly OptionSpec[] {
  return KINDS.flatMap((kind) =>
    namesIn(row[kind] ?? []).map((text): OptionSpec => {
      const name = text.replace(/=+$/, "");
      const takes = Math.min(text.length - name.length, 2) as OptionSpec["takes"];
      const values = row.harmless?.[name];
      return { name, kind, takes, ...present({ harmless: values === undefined ? undefined : new RegExp(values) }) };
    })
  );
}
