// The one error of the product: a number of the catalog and, where it helps, details. Status and sentence follow from the number.
import { errorCode, errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { WhyNot } from "@psp/contract/permission/why-not.ts";

export class AppError extends Error {
  readonly code: ServerErrorCode;
  readonly details: Record<string, unknown> | undefined;
  /** Only where the catalog's status does not fit: 412, 413, 429, and 409 for a count that differs. */
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    code: ServerErrorCode,
    details?: Record<string, unknown>,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(errorEntry(code).message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = details;
    this.status = options.status ?? errorEntry(code).status;
    this.headers = options.headers ?? {};
  }
}

/** Throws what a rule of the contract says against it, with the reason in words that only the server can find. */
export function refuseIf(why: WhyNot | null, words?: (why: WhyNot) => Record<string, unknown>): void {
  if (why !== null) throw new AppError(why.code, { ...why.details, ...words?.(why) });
}

/** 429 with the seconds to wait. */
export function tooMany(retryAfterS: number): AppError {
  return new AppError(
    errorCode.noPermission,
    { retryAfter: retryAfterS },
    {
      status: 429,
      headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterS))) },
    },
  );
}
