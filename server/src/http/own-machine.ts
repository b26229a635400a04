// Whether a request comes from a program on this machine that calls us by one of its own names (ADR 0054).
import type { FastifyRequest } from "fastify";
import { isLoopback, loopbackNames } from "../config.ts";

/** Headers by which a proxy says whom it speaks for. Behind one, the other end of the socket says nothing about the client. */
const proxyHeaders = /^(forwarded|via|x-forwarded-.+|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/**
 * The socket decides, not what TRUST_PROXY makes of the headers. The name keeps out pages of other sites whose own name
 * leads to this machine (DNS rebinding), and proxies that add no header but pass the public name on.
 */
export function isFromOwnMachine({ socket, headers }: Pick<FastifyRequest, "socket" | "headers">): boolean {
  if (!isLoopback(socket.remoteAddress ?? "")) return false;
  if (Object.keys(headers).some((name) => proxyHeaders.test(name))) return false;
  // The port does not matter: it may be mapped, and a foreign page can't choose the name.
  const name = headers.host?.toLowerCase().replace(/:\d*$/, "") ?? "";
  return loopbackNames.includes(name);
}
