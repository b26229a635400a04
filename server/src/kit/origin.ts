// Decides which origins may make calls with the cookie and open sockets (ADR 0004).
import { type Config, loopbackNames, toBrowserHost } from "../config.ts";

type Addresses = Pick<Config, "host" | "publicUrl" | "isPublicUrlSet" | "corsOrigins">;

/**
 * Whether pages of this origin may make changing calls with the cookie and open the live socket. `port` is the port of the request.
 * Without PUBLIC_URL, a browser on this machine may use any loopback name.
 */
export function isTrustedOrigin(config: Addresses, origin: string | undefined, port: number | undefined): boolean {
  if (origin === undefined) return false;
  if (config.corsOrigins.has(origin)) return true;
  if (config.isPublicUrlSet) return origin === new URL(config.publicUrl).origin;
  return [...loopbackNames, toBrowserHost(config.host)].some((name) => origin === originOf(name, port));
}

/** As browsers write it, without a default port. */
function originOf(host: string, port: number | undefined): string {
  return new URL(`http://${host}:${port ?? ""}`).origin;
}
