/** Why a test with this program cannot be run here; undefined where it can. */
export async function whyMissing(program: string): Promise<string | undefined> {
  const args = ["-c", 'command -v "$1"', "sh", program];
  const { success } = await new Deno.Command("sh", { args, stdin: "null", stdout: "null", stderr: "null" }).output();
  return success ? undefined : `there is no ${program}`;
}
