// Queries of counts, which live messages keep up to date without polling.
import type { Comparison, BucketSize } from "@psp/contract/counts/count-range.ts";
import { getCounts, getTypicalWeek, listLocationCounts } from "@psp/contract/counts/counts.api.ts";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SearchParams } from "../address/address.ts";
import { call } from "../api/call.ts";
import type { CountsKey, CountsSubject } from "../api/counts-key.ts";
import { useWatchedCounts } from "../api/watch.ts";

export type SingleCountsSubject = Exclude<CountsSubject, "any">;

export const subjectOf = (kind: "meas" | "sens", id: string): SingleCountsSubject => `${kind}:${id}`;

/** The values in the URL. Undefined ones are not sent, so the server's defaults apply. */
export type CountsQuery = {
  range: string;
  by?: BucketSize | undefined;
  compare?: Comparison | undefined;
  open: boolean;
};

const countsOf = (subject: SingleCountsSubject, { range, by, compare, open }: CountsQuery) =>
  queryOptions({
    queryKey: ["datapoint", "counts", subject, range, { by, compare, open }] satisfies CountsKey,
    queryFn: ({ signal }) =>
      call(getCounts, {
        query: {
          filter: subject,
          range,
          ...(by && { by }),
          ...(compare && { compare }),
          ...(open && { open: "true" as const }),
        },
        signal,
      }),
  });

/** Whether a query is about this subject. Its data is then kept while another range loads, to avoid layout shift. */
const isAbout = (subject: SingleCountsSubject, query: { queryKey: readonly unknown[] } | undefined) =>
  query?.queryKey[2] === subject;

function useWatchedSubject(subject: SingleCountsSubject): void {
  const id = subject.slice(5);
  useWatchedCounts(subject.startsWith("meas:") ? { measIDs: [id] } : { sensorIDs: [id] });
}

export function useCounts(subject: SingleCountsSubject, asked: CountsQuery) {
  useWatchedSubject(subject);
  return useQuery({
    ...countsOf(subject, asked),
    placeholderData: (data, query) => (isAbout(subject, query) ? data : undefined),
  });
}

export function usePrefetchCounts(subject: SingleCountsSubject): (asked: CountsQuery) => void {
  const client = useQueryClient();
  return (asked) => void client.prefetchQuery(countsOf(subject, asked));
}

export const useTypicalWeek = (subject: SingleCountsSubject, range: string, open: boolean) =>
  useQuery({
    queryKey: ["datapoint", "week", subject, range, { open }] satisfies CountsKey,
    queryFn: ({ signal }) =>
      call(getTypicalWeek, { query: { filter: subject, range, ...(open && { open: "true" as const }) }, signal }),
    placeholderData: (data, query) => (isAbout(subject, query) ? data : undefined),
  });

export const useLocationCounts = (range: string, compare: Comparison | undefined, query: SearchParams) =>
  useQuery({
    queryKey: ["datapoint", "locations", "any", range, { compare, query }] satisfies CountsKey,
    queryFn: ({ signal }) =>
      call(listLocationCounts, { query: { ...query, range, ...(compare && { compare }) }, signal }),
    placeholderData: (data) => data,
  });
