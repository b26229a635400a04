// Queries of opening hours and public holidays.
import {
  getAccountOpeningHours,
  getLocationOpeningDays,
  listHolidayCalendars,
  listHolidays,
  setAccountOpeningHours,
} from "@psp/contract/opening/opening.api.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";

/** Calendars change only with a new release. */
const lasting = { staleTime: Infinity, gcTime: Infinity } as const;

export function useCalendars() {
  return useQuery({
    queryKey: ["holidays", "calendars"],
    queryFn: ({ signal }) => call(listHolidayCalendars, { signal }),
    ...lasting,
  });
}

/** Undefined while loading, if unknown, or without a region. */
export function useRegionName(holidays: OpeningHours["holidays"] | undefined): string | undefined {
  const { data } = useQuery({
    queryKey: ["holidays", "calendars"],
    queryFn: ({ signal }) => call(listHolidayCalendars, { signal }),
    ...lasting,
    enabled: Boolean(holidays?.region),
  });
  const country = data?.find((one) => one.country === holidays?.country);
  return country?.regions.find(({ region }) => region === holidays?.region)?.name;
}

/** Names of holidays by date, in several years. */
export function useHolidays(holidays: OpeningHours["holidays"], years: readonly number[]) {
  const { country = "", region = null } = holidays ?? {};
  return useQueries({
    queries: years.map((year) => ({
      queryKey: ["holidays", "days", country, region, year],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call(listHolidays, {
          query: { country, year: String(year), ...(region === null ? {} : { region }) },
          signal,
        }),
      enabled: country !== "",
      ...lasting,
    })),
    combine: (results) => ({
      names: new Map(results.flatMap(({ data = [] }) => data.map(({ date, name }) => [date, name] as const))),
      isLoading: results.some((one) => one.isLoading),
      isError: results.some((one) => one.isError),
    }),
  });
}

/** What applies at a stored location. `version` refetches after changes of the location. */
export function useOpeningDays(id: string, version: number, enabled = true) {
  return useQuery({
    queryKey: ["measurement", "opening", id, version],
    queryFn: ({ signal }) => call(getLocationOpeningDays, { params: { id }, query: { days: "1" }, signal }),
    enabled,
  });
}

/** `version` of the account, if known, refetches after its changes. */
export function useDefaultHours(id: string | null, version: number | null = null, enabled = true) {
  return useQuery({
    queryKey: ["account", "opening", id, version],
    queryFn: ({ signal }) => call(getAccountOpeningHours, { params: { id: id ?? "" }, signal }),
    enabled: enabled && id !== null,
    staleTime: 0,
    retry: false,
  });
}

export function useSetDefaultHours(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ openingHours, version }: { openingHours: OpeningHours | null; version: number }) =>
      call(setAccountOpeningHours, { params: { id }, body: { openingHours }, version }),
    onSettled: () => {
      for (const key of ["account", "measurement"]) void client.invalidateQueries({ queryKey: [key, "opening"] });
      void client.invalidateQueries({ queryKey: ["account", "one", id] });
    },
  });
}
