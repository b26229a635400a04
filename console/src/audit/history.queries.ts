// Queries of the history: audit entries of an object, and names of referenced objects.
import type { AuditKind, AuditRow } from "@psp/contract/audit/audit.ts";
import { exportAudit, listAudit } from "@psp/contract/audit/audit.api.ts";
import type { LiveType } from "@psp/contract/live/live-message.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { callUrl } from "../api/server-address.ts";
import { formatSearch } from "../address/address.ts";
import { localCsvStyle } from "../address/spreadsheet.ts";
import { call } from "../api/call.ts";
import { loadChunk } from "../address/loadChunk.ts";
import { fetchNames, type NamedType } from "../entity/reference/useNames.ts";
import { useCan } from "../api/session/useCan.ts";

import type { DescribeSectionChanges } from "./changes.ts";

export const historyPageSize = 25;

export type HistoryFilter = { kind: AuditKind | null; who: string | null; from: string; to: string };
export const noFilter: HistoryFilter = { kind: null, who: null, from: "", to: "" };

/** Start of the day `later` days after `day`, in the browser's zone. Days with a clock change are not 24 hours long. */
function instantOf(day: string, later = 0): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}

function narrowed(type: LiveType, id: string, filter: HistoryFilter, refusals: boolean) {
  return {
    objectType: type,
    objectID: id,
    ...(refusals ? {} : { withoutRefused: "true" as const }),
    ...(filter.kind === null ? {} : { kind: filter.kind }),
    ...(filter.who === null ? {} : { who: filter.who }),
    ...(filter.from === "" ? {} : { from: instantOf(filter.from) }),
    ...(filter.to === "" ? {} : { to: instantOf(filter.to, 1) }),
  };
}

export const buildExportUrl = (type: LiveType, id: string, filter: HistoryFilter, refusals: boolean): string =>
  callUrl(exportAudit) + formatSearch({ ...narrowed(type, id, filter, refusals), ...localCsvStyle() });

type HistoryPage = { objects: AuditRow[]; total: number; page: number; sectionChanges: DescribeSectionChanges | null };
const loadSectionChanges = () => loadChunk("section-changes", () => import("./section-changes.ts"));

/** The key must start with "audit" and the id, so that api/query-client.ts can refetch it after live messages. */
export function useHistory(type: LiveType, id: string, filter: HistoryFilter, page: number, refusals: boolean) {
  const query = {
    ...narrowed(type, id, filter, refusals),
    limit: String(historyPageSize),
    skip: String((page - 1) * historyPageSize),
    includeTotals: "true" as const,
  };
  return useQuery({
    queryKey: ["audit", id, query],
    queryFn: async ({ signal }): Promise<HistoryPage> => {
      const { objects, total = 0 } = await call(listAudit, { query, signal });
      // The descriptions of all sections are only loaded if an entry on the page needs them.
      const isOfSections = objects.some(({ action }) => action === "config.set");
      const sectionChanges = isOfSections ? (await loadSectionChanges()).describeSectionChanges : null;
      return { objects, total, page, sectionChanges };
    },
    placeholderData: keepPreviousData,
    // Opening the history should show the latest state.
    staleTime: 0,
  });
}

export type NameLookup = (type: NamedType, id: string) => string | null | undefined;

/** Names of objects, with one request per type. Undefined while loading, null if the user can't view the object. */
export function useNames(ids: ReadonlyMap<string, string[]>): NameLookup {
  const can = useCan();
  const may = {
    account: true,
    role: can.viewType("role"),
    measurement: can.viewType("measurement"),
    artifact: can.viewType("artifact"),
  };
  const found = {
    account: useNamesOf("account", ids, may.account),
    role: useNamesOf("role", ids, may.role),
    measurement: useNamesOf("measurement", ids, may.measurement),
    artifact: useNamesOf("artifact", ids, may.artifact),
  };
  return (type, id) => {
    if (type === "sensor") return id;
    if (!may[type]) return null;
    const { data, isError } = found[type];
    return data === undefined ? (isError ? null : undefined) : (data[id] ?? null);
  };
}

function useNamesOf(type: NamedType, ids: ReadonlyMap<string, string[]>, mayView: boolean) {
  const wanted = ids.get(type) ?? [];
  return useQuery({
    queryKey: [type, "named", wanted],
    queryFn: ({ signal }) => fetchNames(type, wanted, signal),
    enabled: mayView && wanted.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
}
