// Normalizes list responses (array or page with total) to pages.
import { keepPreviousData, useQuery } from "@tanstack/react-query";

type Page<T> = { objects: T[]; total?: number | undefined };
export type ListResponse<T> = T[] | string[] | Page<T>;

export type ListResult<T> = { objects: T[]; total: number };

export function toListResult<T>(listed: ListResponse<T>): ListResult<T> {
  if (Array.isArray(listed)) return { objects: listed as T[], total: listed.length };
  return { objects: listed.objects, total: listed.total ?? listed.objects.length };
}

/** One page of a list; keeps the previous page while loading. */
export function useListQuery<T>(
  queryKey: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<ListResponse<T>>,
  enabled = true,
) {
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => toListResult(await ask(signal)),
    enabled,
    placeholderData: keepPreviousData,
  });
}
