/** Limits of what the index takes in, as the contract has them (`api/proto`); sizes in UTF-8. */
export const filenameBytesMax = 512;
export const slugBytesMax = 512;
export const uploadIdBytesMax = 128;
export const tagsMax = 256;
export const tagBytesMax = 256;
export const metaUploadsMax = 256;
export const aliasesMax = 256;
export const hostnameLengthMax = 253;

/** The organisation is part of an index, whose entries are limited. */
export const organisationIdBytesMax = 512;
