// Service health and version from /health, which needs neither login nor database.
import { useQuery } from "@tanstack/react-query";
import { serverUrl } from "./server-address.ts";

export type ServiceStatus = "works" | "notReady" | "unreachable";
type Health = { service: ServiceStatus; version: string | null; at: number };

const timeoutMs = 5000;

async function fetchHealth(signal: AbortSignal): Promise<Health> {
  const within = AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]);
  const response = await fetch(serverUrl("/health"), { cache: "no-store", signal: within }).catch(() => null);
  // A proxy that can't reach the server sends no version header.
  const version = response?.headers.get("x-version") ?? null;
  const service = response === null || version === null ? "unreachable" : response.ok ? "works" : "notReady";
  return { service, version, at: Date.now() };
}

/** Fetched on demand, never in the background. */
export const useHealth = () =>
  useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => fetchHealth(signal),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
