// URLs of API calls, files and sockets, below configurable roots (SH-09).
import { type AnyEndpoint, buildPath } from "@psp/contract/kit/endpoint.ts";
import { config } from "./config.ts";

type Roots = Pick<typeof config, "apiRoot" | "dataRoot">;

/** The data service and live sockets use `dataRoot`, everything else `apiRoot`. */
export const serverUrl = (path: string, { apiRoot, dataRoot }: Roots = config): string =>
  (/^\/(?:data|live)(?:\/|$)/.test(path) ? dataRoot : apiRoot) + path;

export const callUrl = (endpoint: AnyEndpoint, params: Record<string, string> = {}): string =>
  serverUrl(buildPath(endpoint, params));

export function socketUrl(path: string): URL {
  const address = new URL(serverUrl(path), location.href);
  address.protocol = address.protocol.replace("http", "ws");
  return address;
}
