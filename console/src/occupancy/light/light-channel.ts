// Keeps a display at the present state: asks how it looks, opens its socket, comes back by itself, and never takes silence for news.
import { type Display, type OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import { CallError } from "../../api/call.ts";
import { socketAddress } from "../../api/server-address.ts";

export type Light = OccupancyMessage["obj"];

export type LightSource = {
  /** What the socket is opened with, which may cost a call. A refusal is thrown. */
  token(): Promise<string>;
  /** How the display looks; asked now and then, too, to know that the server is still there. */
  look(signal: AbortSignal): Promise<Display>;
  /** The server refused what was used so far; true when there is something else to try. */
  renew(): boolean;
};

export type LightHandlers = {
  onLook(display: Display): void;
  onLight(light: Light): void;
  /** Since more than a few seconds nothing is known to be true any more; or it is again. */
  onLost(isLost: boolean): void;
  /** It is of no use to try again. */
  onRefused(error: CallError): void;
};

/** How long the last state may stand while it is not known whether it still holds. */
export const graceMs = 3000;
/** A call or a handshake that takes longer has failed. */
export const patienceMs = 5000;
/** How often the server is asked whether it is still there: a dead line says nothing by itself. */
export const checkMs = 10_000;
const firstRetryMs = 1000;
const lastRetryMs = 30_000;
/** An app that is off may be switched on again. */
const offMs = 10_000;

/** The server has looked at it and will not think otherwise tomorrow. */
const isRefusal = (error: unknown): error is CallError =>
  error instanceof CallError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![408, 413, 425, 429].includes(error.status);

function lightIn(text: unknown): Light | null {
  try {
    const { type, obj } = JSON.parse(String(text)) as OccupancyMessage;
    return type === "occupancy" ? obj : null;
  } catch {
    return null;
  }
}

function addressFor(id: string, token: string): URL {
  const address = socketAddress(`/live/occupancy/${encodeURIComponent(id)}`);
  address.searchParams.set("token", token);
  return address;
}

/** Knows whether what the display shows may still be true. */
function watchFreshness(onLost: (isLost: boolean) => void) {
  let isLost = false;
  let seenAt = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const lose = () => {
    stop();
    if (isLost) return;
    isLost = true;
    onLost(true);
  };
  const noteSeen = () => {
    seenAt = Date.now();
  };
  return {
    lose,
    stop,
    noteSeen,
    /** Lost, unless it is confirmed within the grace. */
    doubt() {
      if (!isLost) timer ??= setTimeout(lose, graceMs);
    },
    confirm() {
      noteSeen();
      stop();
      if (isLost) onLost(false);
      isLost = false;
    },
    /** After a sleep nothing on the screen is true any more, and no timer has said so. */
    isOverdue: () => Date.now() - seenAt > checkMs + patienceMs,
  };
}

/** Calls `attempt` later, each time after twice as long. */
function scheduleRetries(attempt: () => void) {
  let retryMs = firstRetryMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const retryIn = (inMs: number) => {
    clearTimeout(timer);
    // A little jitter, so that all displays of a chain do not come back in the same instant.
    timer = setTimeout(attempt, inMs + Math.random() * 250);
  };
  return {
    retryIn,
    retry() {
      retryIn(retryMs);
      retryMs = Math.min(lastRetryMs, retryMs * 2);
    },
    reset: () => void (retryMs = firstRetryMs),
    stop: () => clearTimeout(timer),
  };
}

type SocketHandlers = {
  onLight(light: Light): void;
  /** Asks the server how the display looks, to know that it is still there; null when the channel is stopped. */
  look(): Promise<Display | null>;
  onChecked(): void;
  onCheckFailed(error: unknown): void;
  /** The socket was closed, or its handshake took too long. */
  onGone(): void;
};

/** One socket, and the checks that the server behind it is still there. Reports nothing more once it is closed here. */
function openSocket(address: URL, handlers: SocketHandlers) {
  const socket = new WebSocket(address);
  let isClosed = false;
  let checkTimer: ReturnType<typeof setTimeout> | undefined;
  const handshakeTimer = setTimeout(() => handlers.onGone(), patienceMs);

  function checkSoon() {
    clearTimeout(checkTimer);
    checkTimer = setTimeout(() => void check(), checkMs);
  }

  /** A line that was cut says nothing: the state on the screen is only as good as the last answer. */
  async function check(): Promise<void> {
    if (isClosed) return;
    try {
      const display = await handlers.look();
      if (isClosed || display === null) return;
      handlers.onChecked();
      checkSoon();
    } catch (error) {
      if (!isClosed) handlers.onCheckFailed(error);
    }
  }

  socket.addEventListener("message", ({ data }) => {
    const light = isClosed ? null : lightIn(data);
    if (light === null) return;
    clearTimeout(handshakeTimer);
    handlers.onLight(light);
    checkSoon();
  });
  socket.addEventListener("close", () => {
    if (!isClosed) handlers.onGone();
  });
  const close = () => {
    isClosed = true;
    clearTimeout(handshakeTimer);
    clearTimeout(checkTimer);
    socket.close();
  };
  return { check, close };
}

type DeviceHandlers = { onOffline(): void; onOnline(): void; onVisible(): void };

/** Reports when the network is gone or back, and when the page is looked at again. */
function watchDevice({ onOffline, onOnline, onVisible }: DeviceHandlers): () => void {
  const onVisibility = () => {
    if (document.visibilityState === "visible") onVisible();
  };
  window.addEventListener("offline", onOffline);
  window.addEventListener("online", onOnline);
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    window.removeEventListener("offline", onOffline);
    window.removeEventListener("online", onOnline);
    document.removeEventListener("visibilitychange", onVisibility);
  };
}

export function openLightChannel(id: string, source: LightSource, handlers: LightHandlers) {
  let isStopped = false;
  let socket: ReturnType<typeof openSocket> | null = null;
  let connecting = false;
  const freshness = watchFreshness((isLost) => handlers.onLost(isLost));
  const retries = scheduleRetries(() => void connect());

  const hangUp = () => {
    const left = socket;
    socket = null;
    left?.close();
  };
  const stop = () => {
    isStopped = true;
    hangUp();
    retries.stop();
    freshness.stop();
    unwatchDevice();
  };
  const comeBack = () => {
    if (isStopped) return;
    hangUp();
    freshness.doubt();
    retries.retry();
  };
  const confirm = () => {
    freshness.confirm();
    retries.reset();
  };
  const refuse = (error: CallError) => {
    if (error.status === 401 && source.renew()) return comeBack();
    stop();
    handlers.onRefused(error);
  };

  /** Asks how the display looks; null when nothing more is to be done now. */
  async function look(): Promise<Display | null> {
    const display = await source.look(AbortSignal.timeout(patienceMs));
    if (isStopped) return null;
    handlers.onLook(display);
    return display;
  }

  async function connect(): Promise<void> {
    if (isStopped || connecting || socket !== null) return;
    connecting = true;
    freshness.doubt();
    try {
      const display = await look();
      if (display === null) return;
      if (!display.enabled) {
        confirm();
        if (!isStopped) retries.retryIn(offMs);
        return;
      }
      const token = await source.token();
      if (!isStopped) listen(token);
    } catch (error) {
      if (isStopped) return;
      if (isRefusal(error)) refuse(error);
      else comeBack();
    } finally {
      connecting = false;
    }
  }

  function listen(token: string) {
    socket = openSocket(addressFor(id, token), {
      look,
      onLight(light) {
        confirm();
        handlers.onLight(light);
      },
      onChecked: freshness.noteSeen,
      onCheckFailed(error) {
        hangUp();
        if (isRefusal(error)) return refuse(error);
        // It took its time already.
        freshness.lose();
        comeBack();
      },
      onGone: comeBack,
    });
  }

  const unwatchDevice = watchDevice({
    onOffline: comeBack,
    onOnline() {
      retries.reset();
      if (socket === null) void connect();
    },
    onVisible() {
      if (freshness.isOverdue()) freshness.lose();
      if (socket === null) void connect();
      else void socket.check();
    },
  });
  void connect();
  return { stop };
}
