export interface WorkflowCommand {
  readonly name: "group" | "endgroup" | "warning" | "error";
  readonly properties?: Readonly<Partial<Record<"file" | "line" | "title", string>>>;
  readonly message?: string;
}

export function workflowCommand({ name, properties = {}, message = "" }: WorkflowCommand): string {
  const given = Object.entries(properties).map(([key, value]) => `${key}=${escapedProperty(value)}`).join(",");
  return `::${name}${given === "" ? "" : ` ${given}`}::${escapedData(message)}\n`;
}

export function withoutCommands(text: string): string {
  const isJson = text.startsWith("{");
  return text.replaceAll(/^(\s*)::/gm, "$1\\::").replaceAll("##[", isJson ? "#\\u0023[" : "#\\#[");
}

function escapedData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
