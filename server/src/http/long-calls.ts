// Long calls end when the session or the right they rely on is lost, or when the client leaves.
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller, LongCall, RightsCheck } from "../kit/caller.ts";
import type { Leases } from "../open/lease.ts";
import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

export type LongCalls = ReturnType<typeof createLongCalls>;

export function createLongCalls(
  leases: Pick<Leases, "acquire">,
  sessions: { byId(sessionId: string): Promise<Omit<Caller, "request"> | null> },
) {
  async function loadCaller({ sessionId, request }: Caller): Promise<Caller> {
    const actor = await sessions.byId(sessionId);
    if (!actor) throw new AppError(errorCode.unauthorized);
    return { ...actor, request };
  }

  return {
    /** Holds a lease until the call ends. Throws 106 if the session has ended. */
    async begin(caller: Caller, onCallEnd: (over: () => void) => void): Promise<LongCall> {
      const controller = new AbortController();
      let reliedOn: RightsCheck = () => undefined;
      let isAffected = false;
      // Acquired before the session is read, so that a session that ends in between is noticed.
      const lease = leases.acquire({
        sessionId: caller.sessionId,
        affectedBy(change) {
          isAffected = true;
          return change.kind === "displays" ? "no" : "check";
        },
        check: async () => reliedOn(await loadCaller(caller)),
        end: (reason) => controller.abort(reason),
      });
      onCallEnd(() => lease.release());
      const now = await loadCaller(caller).catch((error: unknown) => {
        lease.release();
        throw error;
      });
      controller.signal.throwIfAborted();
      return {
        caller: now,
        signal: controller.signal,
        reliesOn(check) {
          reliedOn = check;
          if (isAffected) lease.recheck();
        },
      };
    },
  };
}

/** Runs `leave` when the response is finished or the client has left; immediately if that has already happened. */
export function onResponseClosed({ raw }: FastifyReply, leave: () => void): void {
  if (raw.destroyed) return leave();
  // The limits, the lease and the stream each add listeners. By default, Node warns of a leak from the eleventh listener on.
  raw.setMaxListeners(20);
  raw.once("close", leave);
}

/** Aborted when the client leaves before the response is finished. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  onResponseClosed(reply, () => {
    if (!reply.raw.writableFinished) left.abort(new AppError(errorCode.invalidArgument, { reason: "The client left" }));
  });
  return left.signal;
}

/**
 * Sends the stream. When `ended` is aborted, responds with the reason. A response that has begun is cut off, so that it never looks
 * complete.
 */
export function sendWhileAllowed(reply: FastifyReply, stream: Readable, ended: AbortSignal): void {
  ended.throwIfAborted();
  ended.addEventListener("abort", () => {
    if (reply.raw.headersSent) reply.raw.destroy();
    else stream.destroy(ended.reason as Error);
  });
  void reply.send(stream);
}
