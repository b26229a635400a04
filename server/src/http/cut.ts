// How answers end: what is over by then, and those that flow for a while, sent as long as their reader has the right to them.
import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** However the answer ends, and at once if no one waits for it any more. */
export function whenOver({ raw }: FastifyReply, leave: () => void): void {
  if (raw.destroyed) leave();
  else raw.once("close", leave);
}

/** Sends the stream. When `ended` is aborted it fails with the reason, or is broken off, so that it is never taken for whole. */
export function sendWhileAllowed(reply: FastifyReply, stream: Readable, ended: AbortSignal): void {
  ended.throwIfAborted();
  ended.addEventListener("abort", () => {
    if (reply.raw.headersSent) reply.raw.destroy();
    else stream.destroy(ended.reason as Error);
  });
  void reply.send(stream);
}
