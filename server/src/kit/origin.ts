// Which pages may call with the cookie and open sockets (ADR 0004).
import { type Config, loopbackNames, reachableName } from "../config.ts";

type Addresses = Pick<Config, "host" | "publicUrl" | "isPublicUrlSet" | "corsOrigins">;

/**
 * Whether pages of this origin may make changing calls with the cookie and open the live socket. `port` is the one that
 * the request came in by: while PUBLIC_URL is not set, a browser on this machine may reach us under any loopback name.
 */
export function isTrustedOrigin(config: Addresses, origin: string | undefined, port: number | undefined): boolean {
  if (origin === undefined) return false;
  if (config.corsOrigins.has(origin)) return true;
  if (config.isPublicUrlSet) return origin === new URL(config.publicUrl).origin;
  return [...loopbackNames, reachableName(config.host)].some((name) => origin === originOf(name, port));
}

/** As browsers write it: without the port when it is the usual one. */
function originOf(host: string, port: number | undefined): string {
  return new URL(`http://${host}:${port ?? ""}`).origin;
}
