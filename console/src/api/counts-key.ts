// Query keys of counts, so that live messages can find the affected queries.

/** `meas:<id>` or `sens:<id>`, or `any` for sums and lists over many objects. */
export type CountsSubject = `meas:${string}` | `sens:${string}` | "any";

/** Common prefix of the query keys of counts. `range` has the same format as in the URL. */
export type CountsKey = readonly ["datapoint", what: string, subject: CountsSubject, range: string, ...more: unknown[]];
