// Where calls, files and sockets of the server are: below roots of their own where the configuration names them (SH-09).
import { type AnyEndpoint, pathOf } from "@psp/contract/kit/endpoint.ts";
import { config } from "../config.ts";

type Roots = Pick<typeof config, "apiRoot" | "dataRoot">;

/** The address of a path of the server: the data service and live sockets have a root, everything else another. */
export const serverAddress = (path: string, { apiRoot, dataRoot }: Roots = config): string =>
  (/^\/(?:data|live)(?:\/|$)/.test(path) ? dataRoot : apiRoot) + path;

export const callAddress = (endpoint: AnyEndpoint, params: Record<string, string> = {}): string =>
  serverAddress(pathOf(endpoint, params));

export function socketAddress(path: string): URL {
  const address = new URL(serverAddress(path), location.href);
  address.protocol = address.protocol.replace("http", "ws");
  return address;
}
