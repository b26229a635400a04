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

export function openLightChannel(id: string, source: LightSource, handlers: LightHandlers) {
  let isStopped = false;
  let socket: WebSocket | null = null;
  let retryMs = firstRetryMs;
  let isLost = false;
  let seenAt = Date.now();
  let connecting = false;
  let connectTimer: ReturnType<typeof setTimeout> | undefined;
  let handshakeTimer: ReturnType<typeof setTimeout> | undefined;
  let lostTimer: ReturnType<typeof setTimeout> | undefined;
  let checkTimer: ReturnType<typeof setTimeout> | undefined;

  const lose = () => {
    clearTimeout(lostTimer);
    lostTimer = undefined;
    if (isStopped || isLost) return;
    isLost = true;
    handlers.onLost(true);
  };
  const mayBeLost = () => {
    if (!isLost) lostTimer ??= setTimeout(lose, graceMs);
  };
  const found = () => {
    seenAt = Date.now();
    retryMs = firstRetryMs;
    clearTimeout(lostTimer);
    lostTimer = undefined;
    if (isLost) handlers.onLost(false);
    isLost = false;
  };
  const hangUp = () => {
    const left = socket;
    socket = null;
    clearTimeout(handshakeTimer);
    clearTimeout(checkTimer);
    left?.close();
  };
  const stop = () => {
    isStopped = true;
    hangUp();
    clearTimeout(connectTimer);
    clearTimeout(lostTimer);
    window.removeEventListener("offline", onOffline);
    window.removeEventListener("online", onOnline);
    document.removeEventListener("visibilitychange", onVisible);
  };

  const retry = (inMs: number) => {
    if (isStopped) return;
    clearTimeout(connectTimer);
    // A little jitter, so that all displays of a chain do not come back in the same instant.
    connectTimer = setTimeout(() => void connect(), inMs + Math.random() * 250);
  };
  const comeBack = () => {
    hangUp();
    mayBeLost();
    retry(retryMs);
    retryMs = Math.min(lastRetryMs, retryMs * 2);
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
    mayBeLost();
    try {
      const display = await look();
      if (display === null) return;
      if (!display.enabled) {
        found();
        return retry(offMs);
      }
      const token = await source.token();
      if (!isStopped) listen(new WebSocket(addressFor(id, token)));
    } catch (error) {
      if (isStopped) return;
      if (isRefusal(error)) refuse(error);
      else comeBack();
    } finally {
      connecting = false;
    }
  }

  function listen(next: WebSocket) {
    socket = next;
    handshakeTimer = setTimeout(comeBack, patienceMs);
    next.addEventListener("message", ({ data }) => {
      if (socket !== next) return;
      const light = lightIn(data);
      if (light === null) return;
      clearTimeout(handshakeTimer);
      handshakeTimer = undefined;
      found();
      handlers.onLight(light);
      checkSoon();
    });
    next.addEventListener("close", () => {
      if (socket === next) comeBack();
    });
  }

  function checkSoon() {
    clearTimeout(checkTimer);
    checkTimer = setTimeout(() => void check(), checkMs);
  }

  /** A line that was cut says nothing: the state on the screen is only as good as the last answer. */
  async function check(): Promise<void> {
    const asked = socket;
    if (asked === null) return;
    try {
      const display = await look();
      if (socket !== asked || display === null) return;
      seenAt = Date.now();
      checkSoon();
    } catch (error) {
      if (isStopped || socket !== asked) return;
      hangUp();
      if (isRefusal(error)) return refuse(error);
      // It took its time already.
      lose();
      comeBack();
    }
  }

  const onOffline = () => comeBack();
  const onOnline = () => {
    retryMs = firstRetryMs;
    if (socket === null) void connect();
  };
  /** After a sleep nothing on the screen is true any more, and no timer has said so. */
  const onVisible = () => {
    if (document.visibilityState !== "visible") return;
    if (Date.now() - seenAt > checkMs + patienceMs) lose();
    if (socket === null) void connect();
    else void check();
  };
  window.addEventListener("offline", onOffline);
  window.addEventListener("online", onOnline);
  document.addEventListener("visibilitychange", onVisible);
  void connect();
  return { stop };
}
