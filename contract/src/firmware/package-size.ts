// Maximum size of a firmware package.

/** Default; configurable per installation. */
export const maxPackageBytes = 512 * 1024 * 1024;
