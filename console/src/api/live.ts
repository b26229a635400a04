// Live channel: connects with a ticket, batches messages per second, reconnects after 3 s, and detects missed messages (LI-01).
import { createTicket } from "@psp/contract/auth/auth.api.ts";
import { closeCodes } from "@psp/contract/live/channel.ts";
import {
  type CountsStoredMessage,
  type LiveMessage,
  parseLiveMessage,
  type VehicleMessage,
} from "@psp/contract/live/live-message.ts";
import { call, CallError, getFirstLiveCursor } from "./call.ts";
import { socketUrl } from "./server-address.ts";
import { onWatchedChange, getCurrentWatch } from "./watch.ts";

export type LiveState = "connecting" | "open" | "down";
export type ObjectMessage = Exclude<Extract<LiveMessage, { op: unknown }>, CountsStoredMessage | VehicleMessage>;

export type LiveHandlers = {
  onState(state: LiveState): void;
  onMessages(messages: ObjectMessage[]): void;
  /** Called for each message without batching, because the receiver throttles. */
  onCounts(message: CountsStoredMessage): void;
  /** Called for each message without batching, because the receiver batches. */
  onVehicle(message: VehicleMessage): void;
  onResync(): void;
  /** The session has ended, or rights changed so that everything must be reloaded. */
  onEnded(reason: "session" | "rights"): void;
};

const gatherMs = 1000;
const reconnectMs = 3000;

/** Set from logout until the server has confirmed it, so that a reload or lost connection can't undo it. */
const leavingKey = "psp-leaving";

/** Logs out over a separate socket: the server ends a session whose socket is closed with 4000. */
async function requestLogout(): Promise<void> {
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

/** Called on sign-in, which replaces the session that the pending logout would end. */
export function cancelPendingLogout(): void {
  localStorage.removeItem(leavingKey);
}

/** On start, completes a logout that never reached the server. */
export async function completePendingLogout(): Promise<void> {
  if (localStorage.getItem(leavingKey) !== null) await requestLogout();
}

function liveAddress(ticket: string, since: string | null): URL {
  const address = socketUrl("/live");
  address.searchParams.set("token", ticket);
  // With this parameter, the server sends no counts until it receives the first `watch` message.
  address.searchParams.set("counts", "watched");
  if (since !== null) address.searchParams.set("since", since);
  return address;
}

let lostAt: number | null = null;
/** Time of the connection loss in ms, null while connected. Set before `onState` is called. */
export const getConnectionLostAt = (): number | null => lostAt;

function batchMessages(onMessages: LiveHandlers["onMessages"]) {
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

function passOn(message: LiveMessage, handlers: LiveHandlers, gather: (message: ObjectMessage) => void): void {
  if (message.type === "resync") handlers.onResync();
  if (message.type === "datapoint") handlers.onCounts(message);
  else if (message.type === "vehicle") handlers.onVehicle(message);
  else if ("op" in message) gather(message);
}

export function openLiveChannel(handlers: LiveHandlers) {
  let socket: WebSocket | null = null;
  let stopped = false;
  // The first cursor is older than the page's first responses, so that no later change is missed (ADR 0013).
  let since = getFirstLiveCursor();
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  const gathering = batchMessages((messages) => handlers.onMessages(messages));

  const retry = () => {
    if (stopped) return;
    lostAt ??= Date.now();
    handlers.onState("down");
    // Jitter, so that clients don't all reconnect at once.
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

  const sendWatched = () => {
    if (socket !== null && socket.readyState === WebSocket.OPEN)
      socket.send(JSON.stringify({ watch: getCurrentWatch() }));
  };
  const endWatching = onWatchedChange(sendWatched);

  function listen(next: WebSocket) {
    socket = next;
    next.addEventListener("open", () => {
      sendWatched();
      lostAt = null;
      handlers.onState("open");
    });
    next.addEventListener("message", (event) => {
      const message = parseLiveMessage(JSON.parse(String(event.data)));
      if (message === null) return;
      since = message.cursor;
      passOn(message, handlers, gathering.add);
    });
    next.addEventListener("close", ({ code }) => {
      if (code === closeCodes.logout) localStorage.removeItem(leavingKey);
      // Ignores a socket that was abandoned while offline and has been replaced.
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

  // The browser detects network changes earlier than the socket.
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
  /** Closing with 4000 ends the session on the server (docs/rules/live-channel.md#logout). */
  const logout = () => {
    localStorage.setItem(leavingKey, "1");
    const open = socket !== null && socket.readyState === WebSocket.OPEN;
    stop(closeCodes.logout);
    if (!open) void requestLogout();
  };
  lostAt = null;
  handlers.onState("connecting");
  void connect();
  return { logout, stop: () => stop(1000) };
}

export type LiveChannel = ReturnType<typeof openLiveChannel>;
