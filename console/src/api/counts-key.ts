// How queries of counts are named, so that a message finds those that it concerns.

/** `meas:<id>` or `sens:<id>` as the calls take them, or `any`: a sum or a list of many. */
export type CountsSubject = `meas:${string}` | `sens:${string}` | "any";

/** Every query of counts begins like this; `range` as in the address. */
export type CountsKey = readonly ["datapoint", what: string, subject: CountsSubject, range: string, ...more: unknown[]];
