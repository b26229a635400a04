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
  /** The session is over, or its rights changed so much that all must be loaded anew. */
  onEnded(reason: "session" | "rights"): void;
};

const gatherMs = 1000;
const reconnectMs = 3000;

export type LiveChannel = {
  /** Ends the session on the server: closing with 4000 is the logout (decisions 4). */
  logout(): void;
  stop(): void;
};

export function openLiveChannel(handlers: LiveHandlers): LiveChannel {
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
      const address = new URL("/live", location.href);
      address.protocol = address.protocol.replace("http", "ws");
      address.searchParams.set("token", ticket);
      if (since !== null) address.searchParams.set("since", String(since));
      listen(new WebSocket(address));
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
      if (socket === next) socket = null;
      if (stopped) return;
      if (code === closeCodes.sessionEnded) return handlers.onEnded("session");
      if (code === closeCodes.roleChanged) {
        handlers.onEnded("rights");
        since = null;
      }
      retry();
    });
  }

  const stop = (code: number) => {
    stopped = true;
    clearTimeout(gatherTimer);
    clearTimeout(retryTimer);
    socket?.close(code);
  };
  handlers.onState("connecting");
  void connect();
  return { logout: () => stop(closeCodes.logout), stop: () => stop(1000) };
}
