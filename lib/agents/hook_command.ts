export interface HookCommand {
  readonly command: string;
  readonly timeoutSeconds: number;
}
