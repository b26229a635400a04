// Tells the other processes how many live sockets each account has in this one (docs/rules/live-channel.md#connection).
import { randomUUID } from "node:crypto";
import type { Context } from "../context.ts";
import type { AccountSockets } from "../kit/presences.ts";

const repeatMs = 30_000;
/** Two repetitions may be lost before the sockets of a killed process no longer count. */
const expiresMs = 75_000;
/** Accounts per message, which must stay below the limit of a notification. */
const maxPerMessage = 100;

/** `onOffline` is called for accounts that have no socket any more, unless the last one closed in this process. */
export function exchangePresences({ bus, presences }: Context, onOffline: (accountId: string) => void) {
  const process = randomUUID();
  const send = (sockets: AccountSockets[], isNew = false) =>
    bus.send({ name: "presence", event: { process, sockets, isNew } });

  function sendAll(): void {
    const all = presences.ofThisProcess();
    for (let n = 0; n < all.length; n += maxPerMessage) send(all.slice(n, n + maxPerMessage));
  }

  presences.onChange((sockets) => send([sockets]));
  const off = bus.on("presence", ({ process: from, sockets, isNew }) => {
    if (from === process) return;
    presences.hear(from, sockets, performance.now()).forEach(onOffline);
    if (isNew) sendAll();
  });
  const timer = setInterval(() => {
    sendAll();
    presences.expire(performance.now() - expiresMs).forEach(onOffline);
  }, repeatMs).unref();
  send([], true);

  return {
    sendAll,
    stop(): void {
      clearInterval(timer);
      off();
    },
  };
}
