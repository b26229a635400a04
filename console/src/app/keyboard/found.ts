// Object search of the command palette, and recently opened objects.
import { useQueries } from "@tanstack/react-query";
import { type SearchParams } from "../../address/address.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { call } from "../../api/call.ts";
import { type ListResponse, toListResult } from "../../api/listed.ts";
import { listCalls, fetchNames, type NamedType } from "../../entity/reference/useNames.ts";
import { useUser } from "../../api/session/session.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { searchText } from "./search.text.ts";
import type { Command } from "./entries.ts";
import { type RecentObject, readRecentObjects } from "./recent.ts";

type Row = { _id: string; name?: string; type?: string; owner?: { name: string }; role?: { name: string } | null };

type SearchTarget = {
  group: string;
  searchBy: string;
  path: (id: string) => string;
  labelOf: (row: Row) => string;
  hintOf: (row: Row) => string | undefined;
};

const { groups, hints } = searchText;
const name = (row: Row) => row.name ?? row._id;
const owned = ({ owner }: Row) => owner && hints.of(owner.name);

const searchTargets: Record<NamedType, SearchTarget> = {
  measurement: {
    group: groups.measurement,
    searchBy: "name",
    path: paths.locationGeneral,
    labelOf: name,
    hintOf: owned,
  },
  sensor: {
    group: groups.sensor,
    searchBy: "sensorID",
    path: paths.sensor,
    labelOf: ({ _id }) => _id,
    hintOf: ({ type }) => type,
  },
  account: {
    group: groups.account,
    searchBy: "name",
    path: paths.account,
    labelOf: name,
    hintOf: ({ role }) => role?.name,
  },
  role: { group: groups.role, searchBy: "name", path: paths.role, labelOf: name, hintOf: owned },
  artifact: {
    group: groups.artifact,
    searchBy: "name",
    path: paths.firmwareItem,
    labelOf: (row) => `${row.type ?? ""} ${name(row)}`.trim(),
    hintOf: owned,
  },
};
const types = ["measurement", "sensor", "account", "role", "artifact"] as const;

/** Minimum length, because shorter texts match nearly everything. */
const minLength = 2;
const limit = "5";

function useMayFind(): (type: NamedType) => boolean {
  const can = useCan();
  return (type) => (type === "account" ? can.viewAnyAccount() : can.viewType(type));
}

/** Ignores case and separators, as the server does for ids. */
const normalizeSearchText = (text: string) => text.toLowerCase().replaceAll(/[\s:-]/g, "");

/** `asked` is the debounced text. Outdated requests are aborted. */
export function useSearchResults(text: string, asked: string) {
  const go = useGo();
  const mayFind = useMayFind();
  const isLong = asked.length >= minLength;
  const searched = isLong ? types.filter(mayFind) : [];
  const answers = useQueries({
    queries: searched.map((type) => {
      const { searchBy } = searchTargets[type];
      const query: SearchParams = { limit, [searchBy]: asked };
      return {
        queryKey: [type, "found", asked],
        queryFn: async ({ signal }: { signal: AbortSignal }) =>
          toListResult((await call(listCalls[type], { query, signal })) as ListResponse<Row>).objects,
      };
    }),
  });
  const isRest = text.trim() === asked;
  const entries = searched.flatMap((type, index): Command[] => {
    const { group, path, labelOf, hintOf } = searchTargets[type];
    return (
      (answers[index]?.data ?? [])
        .map((row) => ({
          id: `${type} ${row._id}`,
          group,
          label: labelOf(row),
          hint: hintOf(row),
          run: () => go(path(row._id), { query: "none" }),
        }))
        // While the user types, hides outdated hits that don't match. Shows all up-to-date hits, because they may match only by a tag
        // or differ in accents.
        .filter(({ label }) => isRest || normalizeSearchText(label).includes(normalizeSearchText(text)))
    );
  });
  return {
    entries,
    isSearching: text.trim().length >= minLength && (!isRest || answers.some(({ isLoading }) => isLoading)),
    failed: answers.some(({ isError }) => isError),
    retry: () => void Promise.all(answers.filter(({ isError }) => isError).map(({ refetch }) => refetch())),
  };
}

/** Recently opened objects that still exist and may be viewed. */
export function useRecentObjects(wanted: boolean): Command[] {
  const go = useGo();
  const mayFind = useMayFind();
  const { _id } = useUser();
  const recent = wanted ? readRecentObjects(_id).filter(({ type }) => mayFind(type)) : [];
  const byType = [...Map.groupBy(recent, ({ type }) => type)].map(
    ([type, list]) => [type, list.map(({ id }) => id).toSorted()] as const,
  );
  const names = new Map<string, string>();
  const answers = useQueries({
    queries: byType.map(([type, ids]) => ({
      queryKey: [type, "named", "recent", ids],
      queryFn: ({ signal }: { signal: AbortSignal }) => fetchNames(type, ids, signal),
      staleTime: 60_000,
    })),
  });
  for (const [index, [type]] of byType.entries())
    for (const [id, found] of Object.entries(answers[index]?.data ?? {})) names.set(`${type} ${id}`, found);
  return recent.flatMap(({ type, id }: RecentObject): Command[] => {
    const label = names.get(`${type} ${id}`);
    if (label === undefined) return [];
    const hint = searchTargets[type].group;
    return [
      {
        id: `recent ${type} ${id}`,
        group: groups.recent,
        label,
        hint,
        run: () => go(searchTargets[type].path(id), { query: "none" }),
      },
    ];
  });
}
