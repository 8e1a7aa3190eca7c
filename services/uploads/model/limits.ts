/** Limits of the values that the index accepts (`api/proto`), also in requests. */

/** In bytes of UTF-8. */
export const filenameBytesMax = 1024;
export const slugBytesMax = 1024;
export const uploadIdBytesMax = 128;
export const tagBytesMax = 256;
/** Part of an index entry, whose size is limited. */
export const organisationIdBytesMax = 512;

/** In elements or characters. */
export const tagsMax = 256;
export const metaUploadsMax = 256;
export const aliasesMax = 256;
export const hostnameLengthMax = 253;
