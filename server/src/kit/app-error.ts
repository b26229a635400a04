// The server's error class. The error code determines the message and, by default, the status.
import { errorCode, errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { Denial } from "@psp/contract/permission/why-not.ts";

export class AppError extends Error {
  readonly code: ServerErrorCode;
  readonly details: Record<string, unknown> | undefined;
  /** The status that the catalog assigns to the code, unless the caller sets another one. */
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

/** Throws the denial of a contract rule, if there is one. `details` adds reasons that only the server knows. */
export function throwIfDenied(denial: Denial | null, details?: (denial: Denial) => Record<string, unknown>): void {
  if (denial !== null) throw new AppError(denial.code, { ...denial.details, ...details?.(denial) });
}

export function tooManyRequests(retryAfterS: number): AppError {
  return new AppError(
    errorCode.noPermission,
    { retryAfter: retryAfterS },
    {
      status: 429,
      headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterS))) },
    },
  );
}
