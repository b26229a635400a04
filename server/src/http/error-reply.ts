// Converts errors into responses: code, message, request id, and the fields of problem+json.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { errorCode, errorEntry, isSensorErrorCode } from "@psp/contract/errors.ts";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { AppError } from "../kit/app-error.ts";
import { isDatabaseUnavailable, isDatabaseError } from "../db/database.ts";

export function toErrorBody(error: AppError, requestId: string) {
  const { message, name } = errorEntry(error.code);
  return {
    error: message,
    code: error.code,
    requestId,
    ...(error.details ? { details: error.details } : {}),
    type: `urn:ps-platform:error:${name}`,
    title: message,
    status: error.status,
  };
}

/** Unknown errors become 101, which does not reveal the cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const status = (error instanceof Error && "statusCode" in error && (error as FastifyError).statusCode) || 500;
  // Checked first: aborted requests have the same error codes as lost database connections.
  if (status >= 400 && status < 500) return refusal(error, status);
  if (isDatabaseUnavailable(error))
    return new AppError(errorCode.databaseError, undefined, {
      status: 503,
      headers: { "retry-after": "2" },
      cause: error,
    });
  if (isDatabaseError(error)) return new AppError(errorCode.databaseError, undefined, { cause: error });
  return new AppError(errorCode.internalError, undefined, { cause: error });
}

function refusal(cause: unknown, status: number): AppError {
  if (status === 429) return new AppError(errorCode.noPermission, undefined, { status, cause });
  const reason =
    status === 413
      ? "The request is too large"
      : status === 415
        ? "Unsupported media type"
        : "The request is malformed";
  return new AppError(errorCode.invalidArgument, { reason }, { status, cause });
}

/** Logs failures of the platform with their stack. Failures of a sensor are logged at info level, because an open page may cause many. */
export function logFailure(thrown: unknown, known: AppError, requestId: string, log: Logger): void {
  if (known.status < 500) return;
  const { cause, code, details, message } = known;
  if (cause === undefined && isSensorErrorCode(code))
    log.info({ requestId, code, reason: details?.["reason"] ?? message }, "a sensor could not be asked");
  else log.error({ err: cause ?? thrown, requestId, code }, "a call failed");
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): FastifyReply {
  const known = toAppError(error);
  logFailure(error, known, request.id, log);
  if (known.status < 500 && request.raw.destroyed && !request.raw.complete)
    log.debug({ requestId: request.id }, "a sender went away");
  // The failed response may have set this header.
  reply.removeHeader("content-encoding");
  return reply
    .code(known.status)
    .headers({ ...known.headers, "x-request-id": request.id, "cache-control": "no-store" })
    .type("application/problem+json")
    .send(JSON.stringify(toErrorBody(known, request.id)));
}

/** Responds to malformed HTTP and to timeouts in the same format, then closes the connection. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const status = error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
  const body = JSON.stringify(
    toErrorBody(new AppError(errorCode.invalidArgument, { reason: "The request is malformed" }, { status }), requestId),
  );
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Connection: close",
  ];
  if (socket.writable) socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  socket.destroy(error);
}
