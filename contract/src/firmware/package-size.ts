// How large a firmware package may be.

/** The largest file unless the installation says otherwise. */
export const maxPackageBytes = 512 * 1024 * 1024;
