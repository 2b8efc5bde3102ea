import { permissionCommand } from "../record_answer.ts";

/** `panewright deny`: a no to what an agent may do, and why. */
export const command = permissionCommand("deny");
