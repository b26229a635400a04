// What hangs on an object, as counts that lead to the lists of it: "5 locations", "96 sensors".
import { Box, Skeleton } from "@mui/material";
import type { ReactNode } from "react";
import { useQueries } from "@tanstack/react-query";
import { type Search, searchText } from "../address/address.ts";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { type Listed, pageOf } from "../api/listed.ts";
import { useCan } from "../session/useCan.ts";
import { lists, type NamedType } from "./reference/useNames.ts";

const nouns = {
  sensor: { path: paths.sensors, one: "sensor", many: "sensors" },
  measurement: { path: paths.locations, one: "location", many: "locations" },
  artifact: { path: paths.firmware, one: "firmware", many: "firmware" },
  role: { path: paths.roles, one: "role", many: "roles" },
  account: { path: paths.accounts, one: "account", many: "accounts" },
} as const;

export type Hanging = {
  type: NamedType;
  /** Of the list's call and of its address. */
  filter: Search;
  /** More of the address: how the list is shown. */
  view?: Search;
  /** Instead of the noun: "2 installing". */
  words?: { one: string; many: string };
};

type CountLinksProps = {
  label: string;
  hanging: readonly Hanging[];
  /** Counts that are known already, in front. */
  children?: ReactNode;
};

/** Those that may be viewed, each with its total once that is known: one call each. */
export function useHanging(hanging: readonly Hanging[]) {
  const can = useCan();
  const shown = hanging.filter(({ type }) => (type === "account" ? can.viewAnyAccount() : can.viewType(type)));
  const answers = useQueries({
    queries: shown.map(({ type, filter }) => ({
      queryKey: [type, "total", "hanging", filter],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        // Lists of accounts leave one's own ancestors out.
        const without = type === "account" ? { exclude: [...can.actor.parentAccounts] } : {};
        const query: Search = { ...filter, ...without, limit: "1", includeTotals: "true" };
        return pageOf((await call(lists[type], { query, signal })) as Listed<unknown>).total;
      },
    })),
  });
  return shown.map((one, index) => ({
    ...one,
    count: answers[index]?.data,
    isError: answers[index]?.isError === true,
  }));
}

export function CountLinks({ label, hanging, children }: CountLinksProps) {
  const shown = useHanging(hanging);
  return (
    <Box
      component="ul"
      aria-label={label}
      sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexWrap: "wrap", columnGap: 4, rowGap: 1, minHeight: 24 }}
    >
      {children}
      {shown.map(({ count, isError, ...one }) => {
        const { path, ...noun } = nouns[one.type];
        // One that can't be counted is no reason to hide the others.
        if (isError) return null;
        const words = one.words ?? noun;
        return (
          <li key={`${one.type} ${JSON.stringify(one.filter)}`}>
            {count === undefined ? (
              <Skeleton width={72} height={24} />
            ) : (
              <CountLink to={path + searchText({ ...one.filter, ...one.view })}>
                {`${count.toLocaleString("en")} ${count === 1 ? words.one : words.many}`}
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
