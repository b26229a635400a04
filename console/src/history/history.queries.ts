// What a history asks of the server: a page of the audit trail of one object, and the names of what its entries refer to.
import type { AuditKind, AuditRow } from "@psp/contract/audit/audit.ts";
import { exportAudit, listAudit } from "@psp/contract/audit/audit.api.ts";
import type { LiveType } from "@psp/contract/live/live-message.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { callAddress } from "../api/server-address.ts";
import { searchText } from "../address/address.ts";
import { csvForPeople } from "../address/spreadsheet.ts";
import { call } from "../api/call.ts";
import { loadPiece } from "../address/loadPiece.ts";
import { namesOf, type NamedType } from "../entity/reference/useNames.ts";
import { useCan } from "../session/useCan.ts";

import type { SectionChanges } from "./changes.ts";

export const pageSize = 25;

export type HistoryFilter = { kind: AuditKind | null; who: string | null; from: string; to: string };
export const noFilter: HistoryFilter = { kind: null, who: null, from: "", to: "" };

const dayMs = 86_400_000;
/** A day of a date field as an instant of the browser's zone. */
const instantOf = (day: string, plusMs = 0) => new Date(new Date(`${day}T00:00`).getTime() + plusMs).toISOString();

/** What of an object's history is asked for, however it is asked. */
function narrowed(type: LiveType, id: string, filter: HistoryFilter, refusals: boolean) {
  return {
    objectType: type,
    objectID: id,
    ...(refusals ? {} : { withoutRefused: "true" as const }),
    ...(filter.kind === null ? {} : { kind: filter.kind }),
    ...(filter.who === null ? {} : { who: filter.who }),
    ...(filter.from === "" ? {} : { from: instantOf(filter.from) }),
    ...(filter.to === "" ? {} : { to: instantOf(filter.to, dayMs) }),
  };
}

/** All pages of what is shown, as a file. */
export const exportAddress = (type: LiveType, id: string, filter: HistoryFilter, refusals: boolean): string =>
  callAddress(exportAudit) + searchText({ ...narrowed(type, id, filter, refusals), ...csvForPeople() });

type HistoryPage = { objects: AuditRow[]; total: number; page: number; sectionChanges: SectionChanges | null };
const loadSectionChanges = () => loadPiece("section-changes", () => import("./section-changes.ts"));

/** Live: a message about the object asks again (api/query-client.ts finds the id in the key). */
export function useHistory(type: LiveType, id: string, filter: HistoryFilter, page: number, refusals: boolean) {
  const query = {
    ...narrowed(type, id, filter, refusals),
    limit: String(pageSize),
    skip: String((page - 1) * pageSize),
    includeTotals: "true" as const,
  };
  return useQuery({
    queryKey: ["audit", id, query],
    queryFn: async ({ signal }): Promise<HistoryPage> => {
      const { objects, total = 0 } = await call(listAudit, { query, signal });
      // The descriptions of all sections, for the few pages with an entry about one.
      const isOfSections = objects.some(({ action }) => action === "config.set");
      const sectionChanges = isOfSections ? (await loadSectionChanges()).sectionChanges : null;
      return { objects, total, page, sectionChanges };
    },
    placeholderData: keepPreviousData,
    // It was opened to see what is there now.
    staleTime: 0,
  });
}

export type Names = (type: NamedType, id: string) => string | null | undefined;

/** One question for each type: undefined while it is open, null for what may not be viewed. */
export function useNames(ids: ReadonlyMap<string, string[]>): Names {
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
    queryFn: ({ signal }) => namesOf(type, wanted, signal),
    enabled: mayView && wanted.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
}
