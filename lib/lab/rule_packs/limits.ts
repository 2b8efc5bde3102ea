/** The most that the file of a pack may have: 8 MiB. */
export const MAX_PACK_BYTES = 8 * 1024 * 1024;
