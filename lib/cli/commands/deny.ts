import { permissionCommand } from "../permission_command.ts";

/** `panewright deny`: a no to what an agent may do, and why. */
export const command = permissionCommand("deny");
