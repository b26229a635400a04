// The live channel: opens with a ticket, gathers messages for a second, comes back after three, and never skips one silently (LI-01).
import { createTicket } from "@psp/contract/auth/auth.api.ts";
import { closeCodes } from "@psp/contract/live/channel.ts";
import { type CountsStoredMessage, type LiveMessage, parseLiveMessage } from "@psp/contract/live/live-message.ts";
import { call, CallError, sinceSession } from "./call.ts";
import { socketAddress } from "./server-address.ts";
import { onWatchedChange, watchedNow } from "./watch.ts";

export type LiveState = "connecting" | "open" | "down";
export type ObjectMessage = Exclude<Extract<LiveMessage, { op: unknown }>, CountsStoredMessage>;

export type LiveHandlers = {
  onState(state: LiveState): void;
  /** What arrived within a second, in order. */
  onMessages(messages: ObjectMessage[]): void;
  /** Counts were stored. At once: who asks for them waits by itself. */
  onCounts(message: CountsStoredMessage): void;
  /** Something was missed: load everything again. */
  onResync(): void;
  /** The session is over, or its rights changed so much that all must be loaded again. */
  onEnded(reason: "session" | "rights"): void;
};

const gatherMs = 1000;
const reconnectMs = 3000;

/** Set from the logout until the server knows of it, so that a reload or a lost connection can't undo it. */
const leavingKey = "psp-leaving";

/** Logs out over a socket of its own: the server ends a session whose socket is closed with 4000. */
async function sayGoodbye(): Promise<void> {
  try {
    const { ticket } = await call(createTicket);
    await new Promise<void>((resolve) => {
      const socket = new WebSocket(liveAddress(ticket, null));
      socket.addEventListener("open", () => socket.close(closeCodes.logout));
      socket.addEventListener("close", ({ code }) => {
        if (code === closeCodes.logout) localStorage.removeItem(leavingKey);
        resolve();
      });
    });
  } catch (error) {
    if (error instanceof CallError && error.status === 401) localStorage.removeItem(leavingKey);
  }
}

/** A new sign-in replaces the session that was to be ended. */
export function forgetLogout(): void {
  localStorage.removeItem(leavingKey);
}

/** At the start: a logout that never reached the server is made good before anybody is taken for signed in. */
export async function finishLogout(): Promise<void> {
  if (localStorage.getItem(leavingKey) !== null) await sayGoodbye();
}

function liveAddress(ticket: string, since: string | null): URL {
  const address = socketAddress("/live");
  address.searchParams.set("token", ticket);
  // No counts until the page says which it shows.
  address.searchParams.set("counts", "watched");
  if (since !== null) address.searchParams.set("since", since);
  return address;
}

let lostAt: number | null = null;
/** Since when nothing arrives, in ms; null while something does. It is known before `onState` says so. */
export const liveLostAt = (): number | null => lostAt;

/** Hands on together what arrives within a second. */
function gatherMessages(onMessages: LiveHandlers["onMessages"]) {
  let gathered: ObjectMessage[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    const messages = gathered;
    gathered = [];
    onMessages(messages);
  };
  return {
    add(message: ObjectMessage) {
      gathered.push(message);
      timer ??= setTimeout(flush, gatherMs);
    },
    stop: () => clearTimeout(timer),
  };
}

export function openLiveChannel(handlers: LiveHandlers) {
  let socket: WebSocket | null = null;
  let stopped = false;
  // What changes between the page's first answers and the channel comes with it (ADR 0013).
  let since = sinceSession();
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  const gathering = gatherMessages((messages) => handlers.onMessages(messages));

  const retry = () => {
    if (stopped) return;
    lostAt ??= Date.now();
    handlers.onState("down");
    // A little jitter, so that a whole company does not come back in the same instant.
    retryTimer = setTimeout(() => void connect(), reconnectMs + Math.random() * 500);
  };

  async function connect(): Promise<void> {
    try {
      const { ticket } = await call(createTicket);
      if (stopped) return;
      listen(new WebSocket(liveAddress(ticket, since)));
    } catch (error) {
      if (error instanceof CallError && error.status === 401) return;
      retry();
    }
  }

  // Until it is said once, the server sends no counts at all.
  const sayWatched = () => {
    if (socket !== null && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ watch: watchedNow() }));
  };
  const endWatching = onWatchedChange(sayWatched);

  function listen(next: WebSocket) {
    socket = next;
    next.addEventListener("open", () => {
      sayWatched();
      lostAt = null;
      handlers.onState("open");
    });
    next.addEventListener("message", (event) => {
      const message = parseLiveMessage(JSON.parse(String(event.data)));
      if (message === null) return;
      since = message.cursor;
      if (message.type === "resync") handlers.onResync();
      if (message.type === "datapoint") handlers.onCounts(message);
      else if ("op" in message) gathering.add(message);
    });
    next.addEventListener("close", ({ code }) => {
      if (code === closeCodes.logout) localStorage.removeItem(leavingKey);
      // A socket that was given up while the network was away has its successor already.
      if (socket !== next) return;
      socket = null;
      if (stopped) return;
      if (code === closeCodes.sessionEnded) return handlers.onEnded("session");
      if (code === closeCodes.roleChanged) {
        handlers.onEnded("rights");
        since = null;
      }
      retry();
    });
  }

  // The browser knows sooner than the socket that the network is gone or back.
  const onOffline = () => {
    socket?.close();
    socket = null;
    clearTimeout(retryTimer);
    retry();
  };
  const onOnline = () => {
    if (socket !== null) return;
    clearTimeout(retryTimer);
    void connect();
  };
  window.addEventListener("offline", onOffline);
  window.addEventListener("online", onOnline);

  const stop = (code: number) => {
    if (stopped) return;
    stopped = true;
    endWatching();
    window.removeEventListener("offline", onOffline);
    window.removeEventListener("online", onOnline);
    gathering.stop();
    clearTimeout(retryTimer);
    socket?.close(code);
  };
  /** Ends the session on the server: closing with 4000 is the logout (docs/rules/live-channel.md#logout). */
  const logout = () => {
    localStorage.setItem(leavingKey, "1");
    const open = socket !== null && socket.readyState === WebSocket.OPEN;
    stop(closeCodes.logout);
    if (!open) void sayGoodbye();
  };
  lostAt = null;
  handlers.onState("connecting");
  void connect();
  return { logout, stop: () => stop(1000) };
}

export type LiveChannel = ReturnType<typeof openLiveChannel>;
