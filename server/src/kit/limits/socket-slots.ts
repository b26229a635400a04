// Limits concurrent sockets per session and account in this process.
import type { Duplex } from "node:stream";
import { createKeyedSemaphore } from "./semaphores.ts";

/** Retry-After of a refused client, in seconds. */
export const socketRetryS = 10;

export type SocketLimits = { perSession: number; perAccount: number };

export function createSocketSlots({ perSession, perAccount }: SocketLimits) {
  const sessions = createKeyedSemaphore({ max: Infinity, maxPerKey: perSession });
  const accounts = createKeyedSemaphore({ max: Infinity, maxPerKey: perAccount });
  return {
    /** Takes a slot of the session and of the account until the connection closes; false if either has no free slot. */
    take(stream: Duplex, session: string, account: string): boolean {
      if (stream.destroyed || !sessions.hasRoom(session) || !accounts.hasRoom(account)) return false;
      const leave = [sessions.take(session), accounts.take(account)];
      stream.once("close", () => leave.forEach((one) => one()));
      return true;
    },
  };
}
