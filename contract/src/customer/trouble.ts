// Kinds of trouble of customers, and the columns that can be sorted, without zod, because the console's pages load them.

/** The worst first. */
export const troubles = ["errors", "warnings", "offline", "outdated"] as const;
export type Trouble = (typeof troubles)[number];

export const customerSorts = ["name", "children", "sensors", ...troubles, "completeness", "lastSignInAt"] as const;
export type CustomerSort = (typeof customerSorts)[number];
