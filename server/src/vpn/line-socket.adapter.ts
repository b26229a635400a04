// A line-based TCP connection that reconnects after every failure; input is bounded.
import { connect, type NetConnectOpts, type Socket } from "node:net";

export type LineTiming = {
  /** Initial delay, doubled up to `maxBackOffMs` while connections are short. */
  backOffMs: number;
  maxBackOffMs: number;
  connectMs: number;
};

type LineEvents = {
  onOpen(): void;
  /** Closes the connection if it throws. */
  onLine(line: string): void;
  onClose(reason: string): void;
};

const maxUnsent = 1024 * 1024;

export function openLineSocket(
  target: { path: string } | { host: string; port: number },
  maxLine: number,
  timing: LineTiming,
  events: LineEvents,
) {
  let socket: Socket | null = null;
  let retry: NodeJS.Timeout | null = null;
  let backOffMs = timing.backOffMs;
  let stopped = false;

  function dial() {
    const one = connect({ ...target, keepAlive: true, noDelay: true } as NetConnectOpts);
    socket = one;
    let rest = "";
    let reason = "closed";
    let openedAt: number | null = null;
    const slow = setTimeout(() => one.destroy(new Error("no connection in time")), timing.connectMs);
    one.setEncoding("utf8");
    one.on("connect", () => {
      clearTimeout(slow);
      openedAt = performance.now();
      events.onOpen();
    });
    one.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      try {
        for (const line of lines) {
          if (one.destroyed) return;
          if (line.length > maxLine) throw new Error("a line is too long");
          events.onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
        }
        if (rest.length > maxLine) throw new Error("a line is too long");
      } catch (error) {
        one.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    one.on("end", () => one.destroy());
    one.on("error", (error) => void (reason = error.message));
    one.on("close", () => {
      clearTimeout(slow);
      if (socket === one) socket = null;
      // Short connections do not reset the back-off, because a server that serves another client may accept and close at once.
      const lasted = openedAt !== null && performance.now() - openedAt > timing.maxBackOffMs;
      backOffMs = lasted ? timing.backOffMs : backOffMs;
      if (!stopped) retry = setTimeout(dial, backOffMs).unref();
      backOffMs = Math.min(timing.maxBackOffMs, backOffMs * 2);
      events.onClose(reason);
    });
  }
  dial();

  return {
    /** Drops the line if there is no connection. */
    say(line: string) {
      if (!socket || socket.connecting || socket.destroyed) return;
      if (socket.writableLength > maxUnsent) socket.destroy(new Error("nothing is read"));
      else socket.write(`${line}\n`);
    },
    drop: (reason: string) => void socket?.destroy(new Error(reason)),
    stop() {
      stopped = true;
      if (retry) clearTimeout(retry);
      socket?.destroy();
    },
  };
}
