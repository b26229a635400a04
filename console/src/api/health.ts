// Whether the service works, and which version of it runs: asked of /health, which answers without a login and without a database.
import { useQuery } from "@tanstack/react-query";
import { serverAddress } from "./server-address.ts";

export type Service = "works" | "notReady" | "unreachable";
type Health = { service: Service; version: string | null; at: number };

const timeoutMs = 5000;

async function askHealth(signal: AbortSignal): Promise<Health> {
  const within = AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]);
  const response = await fetch(serverAddress("/health"), { cache: "no-store", signal: within }).catch(() => null);
  // A proxy without a server behind it answers, too, but not with a version.
  const version = response?.headers.get("x-version") ?? null;
  const service = response === null || version === null ? "unreachable" : response.ok ? "works" : "notReady";
  return { service, version, at: Date.now() };
}

/** Asked when it is looked at, and when that is wanted: never by itself. */
export const useHealth = () =>
  useQuery({ queryKey: ["health"], queryFn: ({ signal }) => askHealth(signal), staleTime: 0, gcTime: 0, retry: false });
