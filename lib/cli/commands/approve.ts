import { permissionCommand } from "../permission_command.ts";

/** `panewright approve`: a yes to what an agent may do, once. */
export const command = permissionCommand("approve");
