// Maximum size of a firmware package.

/** The default; each installation can configure its own. */
export const maxPackageBytes = 512 * 1024 * 1024;
