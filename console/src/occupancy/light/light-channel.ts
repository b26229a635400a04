// Keeps a display up to date over a socket that reconnects automatically. Polls the server to detect dead connections.
import { type Display, type OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import { CallError } from "../../api/call.ts";
import { socketUrl } from "../../api/server-address.ts";

export type Light = OccupancyMessage["obj"];

export type LightSource = {
  /** Returns a token for the socket, and requests one if necessary. Throws if that request is refused. */
  token(): Promise<string>;
  /** Loads the display. Also polled, to check that the server is reachable. */
  loadDisplay(signal: AbortSignal): Promise<Display>;
  /** Called when the token is refused. Returns true if there is another credential to try. */
  renew(): boolean;
};

export type LightHandlers = {
  onDisplay(display: Display): void;
  onLight(light: Light): void;
  /** True if the state may be outdated, false once it is confirmed again. */
  onLost(isLost: boolean): void;
  /** Called on a permanent refusal, after which the channel doesn't retry. */
  onRefused(error: CallError): void;
};

/** How long a state may be shown without confirmation. */
export const graceMs = 3000;
/** Timeout of requests and handshakes. */
export const requestTimeoutMs = 5000;
/** Interval of the reachability check, which is needed because dead sockets report nothing. */
export const checkIntervalMs = 10_000;
const firstRetryMs = 1000;
const lastRetryMs = 30_000;
/** Retry interval while the app is switched off. */
const offMs = 10_000;

/** Client errors that would occur again on a retry. */
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
  const address = socketUrl(`/live/occupancy/${encodeURIComponent(id)}`);
  address.searchParams.set("token", token);
  return address;
}

/** Tracks whether the displayed state may be outdated. */
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
    /** Marks the state as lost unless it is confirmed within the grace period. */
    doubt() {
      if (!isLost) timer ??= setTimeout(lose, graceMs);
    },
    confirm() {
      noteSeen();
      stop();
      if (isLost) onLost(false);
      isLost = false;
    },
    /** True if timers were late because the device was asleep, so that the displayed state is outdated. */
    isOverdue: () => Date.now() - seenAt > checkIntervalMs + requestTimeoutMs,
  };
}

/** Retries with exponential back-off. */
function scheduleRetries(attempt: () => void) {
  let retryMs = firstRetryMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const retryIn = (inMs: number) => {
    clearTimeout(timer);
    // Jitter, so that displays don't all reconnect at once.
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
  loadDisplay(): Promise<Display | null>;
  onChecked(): void;
  onCheckFailed(error: unknown): void;
  /** Called when the socket was closed, or when its handshake timed out. */
  onGone(): void;
};

/** Opens a socket with reachability checks. After `close`, no handlers are called. */
function openSocket(address: URL, handlers: SocketHandlers) {
  const socket = new WebSocket(address);
  let isClosed = false;
  let checkTimer: ReturnType<typeof setTimeout> | undefined;
  const handshakeTimer = setTimeout(() => handlers.onGone(), requestTimeoutMs);

  function checkSoon() {
    clearTimeout(checkTimer);
    checkTimer = setTimeout(() => void check(), checkIntervalMs);
  }

  /** A cut connection reports no error, so only a response proves that the displayed state is current. */
  async function check(): Promise<void> {
    if (isClosed) return;
    try {
      const display = await handlers.loadDisplay();
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

  /** Loads the display; null if the channel was stopped meanwhile. */
  async function loadDisplay(): Promise<Display | null> {
    const display = await source.loadDisplay(AbortSignal.timeout(requestTimeoutMs));
    if (isStopped) return null;
    handlers.onDisplay(display);
    return display;
  }

  async function connect(): Promise<void> {
    if (isStopped || connecting || socket !== null) return;
    connecting = true;
    freshness.doubt();
    try {
      const display = await loadDisplay();
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
      loadDisplay,
      onLight(light) {
        confirm();
        handlers.onLight(light);
      },
      onChecked: freshness.noteSeen,
      onCheckFailed(error) {
        hangUp();
        if (isRefusal(error)) return refuse(error);
        // No grace period, because the failed check has already waited for a response.
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
