// Lists come as an array or as a page with its total; here they are a page always.
import { keepPreviousData, useQuery } from "@tanstack/react-query";

type Page<T> = { objects: T[]; total?: number | undefined };
/** Bare ids come only to those who ask for them (`onlyIDs`), which nothing here does. */
export type Listed<T> = T[] | string[] | Page<T>;

export type ListedPage<T> = { objects: T[]; total: number };

export function pageOf<T>(listed: Listed<T>): ListedPage<T> {
  if (Array.isArray(listed)) return { objects: listed as T[], total: listed.length };
  return { objects: listed.objects, total: listed.total ?? listed.objects.length };
}

/** One page of a list; the one before stays until it is here. */
export function useListed<T>(
  queryKey: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Listed<T>>,
  enabled = true,
) {
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => pageOf(await ask(signal)),
    enabled,
    placeholderData: keepPreviousData,
  });
}
