import { permissionCommand } from "../record_answer.ts";

/** `panewright approve`: a yes to what an agent may do, once. */
export const command = permissionCommand("approve");
