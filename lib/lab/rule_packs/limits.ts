export const MAX_PACK_BYTES = 8 * 1024 * 1024;
