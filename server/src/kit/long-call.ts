// A call that takes long, as its use case sees it: what began with a right ends when the right or the session does (ADR 0042).
import type { Caller } from "./caller.ts";

export type LongCall = {
  /** Who calls, with the rights of the moment at which it was begun to be watched. */
  caller: Caller;
  /** Aborted with the AppError that ends the call. */
  signal: AbortSignal;
  /**
   * What the call relies on, instead of what was said before. It is asked with the rights at that time whenever rights,
   * owners or what is owned changed, also if that was between the beginning and now. What it throws ends the call.
   */
  reliesOn(check: Check): void;
};
/** Throws when the call may not go on. */
export type Check = (caller: Caller) => unknown;
