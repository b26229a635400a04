// The live channel: opens with a ticket, gathers messages for a second, comes back after three, and never skips one silently (LI-01).
import { createTicket } from "@psp/contract/auth/auth.api.ts";
import { closeCodes } from "@psp/contract/auth/auth.ts";
import { type LiveMessage, liveMessageSchema } from "@psp/contract/live/live.ts";
import { call, CallError } from "./call.ts";

export type LiveState = "connecting" | "open" | "down";
export type ObjectMessage = Extract<LiveMessage, { op: unknown }>;

export type LiveHandlers = {
  onState(state: LiveState): void;
  /** What arrived within a second, in order. */
  onMessages(messages: ObjectMessage[]): void;
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

function liveAddress(ticket: string, since: number | null): URL {
  const address = new URL("/live", location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.searchParams.set("token", ticket);
  if (since !== null) address.searchParams.set("since", String(since));
  return address;
}

export function openLiveChannel(handlers: LiveHandlers) {
  let socket: WebSocket | null = null;
  let stopped = false;
  let since: number | null = null;
  let gathered: ObjectMessage[] = [];
  let gatherTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    gatherTimer = undefined;
    const messages = gathered;
    gathered = [];
    if (messages.length > 0) handlers.onMessages(messages);
  };

  const retry = () => {
    if (stopped) return;
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

  function listen(next: WebSocket) {
    socket = next;
    next.addEventListener("open", () => handlers.onState("open"));
    next.addEventListener("message", (event) => {
      const parsed = liveMessageSchema.safeParse(JSON.parse(String(event.data)));
      if (!parsed.success) return;
      since = parsed.data.seq;
      if (parsed.data.type === "resync") handlers.onResync();
      if ("op" in parsed.data) {
        gathered.push(parsed.data);
        gatherTimer ??= setTimeout(flush, gatherMs);
      }
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
    const lost = socket;
    socket = null;
    lost?.close();
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
    window.removeEventListener("offline", onOffline);
    window.removeEventListener("online", onOnline);
    clearTimeout(gatherTimer);
    clearTimeout(retryTimer);
    socket?.close(code);
  };
  /** Ends the session on the server: closing with 4000 is the logout (decisions 4). */
  const logout = () => {
    localStorage.setItem(leavingKey, "1");
    const open = socket?.readyState === WebSocket.OPEN;
    stop(closeCodes.logout);
    if (!open) void sayGoodbye();
  };
  handlers.onState("connecting");
  void connect();
  return { logout, stop: () => stop(1000) };
}

export type LiveChannel = ReturnType<typeof openLiveChannel>;
