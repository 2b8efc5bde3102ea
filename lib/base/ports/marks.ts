/** Variables by which the processes of a run are found again, in the environment of all that it starts. */

/** Whose value is the session's mark. */
export const PANE_MARK_VARIABLE = "PANEWRIGHT_SESSION_MARK";

/** Whose value is where an agent's asks are heard, below the run's folder. */
export const ASK_CHANNEL_VARIABLE = "PANEWRIGHT_ASK_CHANNEL";

/** Whose value begins with the folder of the run whose check it is. */
export const CHECK_VARIABLE = "PANEWRIGHT_CHECK_OF";

/** Whose value begins with the folder of the run whose role it plays. */
export const ROLE_VARIABLE = "PANEWRIGHT_ROLE_OF";
