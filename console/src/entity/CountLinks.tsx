// Counts of related objects as links to their lists: "5 locations", "96 sensors".
import { Box, Skeleton } from "@mui/material";
import type { ReactNode } from "react";
import { useQueries } from "@tanstack/react-query";
import { type SearchParams, formatSearch } from "../address/address.ts";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { type ListResponse, toListResult } from "../api/listed.ts";
import { useCan } from "../api/session/useCan.ts";
import { listCalls, type NamedType } from "./reference/useNames.ts";
import { formatCount } from "../ui/text/numbers.ts";

const nouns = {
  sensor: { path: paths.sensors, one: "sensor", many: "sensors" },
  measurement: { path: paths.locations, one: "location", many: "locations" },
  artifact: { path: paths.firmware, one: "firmware", many: "firmware" },
  role: { path: paths.roles, one: "role", many: "roles" },
  account: { path: paths.accounts, one: "account", many: "accounts" },
} as const;

export type RelatedCount = {
  type: NamedType;
  filter: SearchParams;
  view?: SearchParams;
  /** Replaces the noun, as in "2 installing". */
  words?: { one: string; many: string };
};

type CountLinksProps = {
  label: string;
  related: readonly RelatedCount[];
  children?: ReactNode;
};

/** Totals of the related objects, with one call per entry of `related`. Omits types that the user may not view. */
export function useRelatedCounts(related: readonly RelatedCount[]) {
  const can = useCan();
  const shown = related.filter(({ type }) => (type === "account" ? can.viewAnyAccount() : can.viewType(type)));
  const answers = useQueries({
    queries: shown.map(({ type, filter }) => ({
      queryKey: [type, "total", "related", filter],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        // Lists of accounts exclude the user's own ancestors, so the count must too.
        const without = type === "account" ? { exclude: [...can.actor.parentAccounts] } : {};
        const query: SearchParams = { ...filter, ...without, limit: "1", includeTotals: "true" };
        return toListResult((await call(listCalls[type], { query, signal })) as ListResponse<unknown>).total;
      },
    })),
  });
  return shown.map((one, index) => ({
    ...one,
    count: answers[index]?.data,
    isError: answers[index]?.isError === true,
  }));
}

export function CountLinks({ label, related, children }: CountLinksProps) {
  const shown = useRelatedCounts(related);
  return (
    <Box
      component="ul"
      aria-label={label}
      sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexWrap: "wrap", columnGap: 4, rowGap: 1, minHeight: 24 }}
    >
      {children}
      {shown.map(({ count, isError, ...one }) => {
        const { path, ...noun } = nouns[one.type];
        // A failed count doesn't hide the others.
        if (isError) return null;
        const words = one.words ?? noun;
        return (
          <li key={`${one.type} ${JSON.stringify(one.filter)}`}>
            {count === undefined ? (
              <Skeleton width={72} height={24} />
            ) : (
              <CountLink to={path + formatSearch({ ...one.filter, ...one.view })}>
                {formatCount(count, words.one, words.many)}
              </CountLink>
            )}
          </li>
        );
      })}
    </Box>
  );
}

const CountLink = ({ to, children }: { to: string; children: string }) => (
  <AppLink to={to} query="none" sx={{ display: "inline-flex", alignItems: "center", minHeight: 24 }}>
    {children}
  </AppLink>
);
