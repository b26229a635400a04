// List state (filters, page, order) in the URL. Invalid values are ignored (docs/rules/console.md#addresses).
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { type SearchParams, withoutListParameters } from "./address.ts";
import { config } from "../api/config.ts";
import type { ParameterValidators } from "./parameters.ts";
import { storeListState } from "./kept-lists.ts";
import { useMatchedPath, useSearchParams } from "./navigation.tsx";
import type { ActiveFilter } from "../ui/table/FilterChips.tsx";
import type { Sort } from "../ui/table/columns.ts";

type Change = Record<string, string | readonly string[] | undefined>;

const paging = new Set("skip limit sortBy sortDesc includeTotals includeDeleted onlyIDs onlyLocation after".split(" "));

/** Keeps the parameters whose values the API call accepts. One invalid value drops the whole parameter. */
export function pickValidSearch(search: SearchParams, shape: ParameterValidators): SearchParams {
  const valid: SearchParams = {};
  for (const [name, schema] of Object.entries(shape)) {
    const value = search[name];
    if (value !== undefined && value !== "" && schema.safeParse(value).success) valid[name] = value;
  }
  return valid;
}

const values = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** Parses `sortBy=_id&sortDesc=true` (repeatable, by position). */
export function readSort(search: SearchParams, fallback: Sort): Sort {
  const descending = values(search["sortDesc"]);
  const rules = values(search["sortBy"]).map((id, index) =>
    id.startsWith("-") ? { id: id.slice(1), desc: true } : { id, desc: descending[index] === "true" },
  );
  return rules.length === 0 ? fallback : rules;
}

function readList(search: SearchParams, shape: ParameterValidators, fallback: Sort) {
  const valid = pickValidSearch(search, shape);
  const filters = Object.fromEntries(Object.entries(valid).filter(([name]) => !paging.has(name)));
  return { filters, sort: readSort(valid, fallback), skip: Number(valid["skip"] ?? 0) };
}

function orderOf(sort: Sort, fallback: Sort): SearchParams {
  if (sort.length === 0 || sameSort(sort, fallback)) return {};
  return {
    sortBy: sort.map((rule) => rule.id),
    ...(sort.some((rule) => rule.desc) ? { sortDesc: sort.map((rule) => String(rule.desc)) } : {}),
  };
}

function fieldsOf(filters: SearchParams, change: (made: (now: SearchParams) => Change, how?: "typed") => void) {
  const text = (name: string) => values(filters[name])[0] ?? "";
  const many = (name: string) => values(filters[name]);
  /** Changes filters and returns to page 1. `typed` replaces the history entry instead of adding one. */
  const set = (made: Change, how?: "typed") => change(() => made, how);
  return {
    text,
    many,
    set,
    typed: (name: string) => ({
      value: text(name),
      onChange: (typed: string) => set({ [name]: typed }, "typed"),
    }),
    chosen: (name: string) => ({
      value: text(name) || null,
      onChange: (value: string | null) => set({ [name]: value ?? undefined }),
    }),
    several: (name: string) => {
      const shown = many(name);
      return {
        value: shown,
        onChange: (wanted: readonly string[]) =>
          change((now) => {
            const kept = values(now[name]).filter((one) => wanted.includes(one) || !shown.includes(one));
            return { [name]: [...new Set([...kept, ...wanted.filter((one) => !shown.includes(one))])] };
          }),
      };
    },
    /** The filter as a removable chip, if set; `value` is undefined while its name is loading. */
    chip: (name: string, label: string, value: string | undefined): ActiveFilter[] =>
      text(name) === ""
        ? []
        : [{ id: name, name: label, value: value ?? "…", onRemove: () => set({ [name]: undefined }) }],
  };
}

/**
 * State of a list in the URL. `shape` is the query shape of the list's call, `fallback` the default order. `isPersisted` also
 * stores order and view in the browser, which only lists of `listRoute` and `areaListRoute` restore.
 */
export function useListState(shape: ParameterValidators, fallback: Sort, { isPersisted = false } = {}) {
  const search = useSearchParams();
  const path = useMatchedPath();
  const navigate = useNavigate();
  return useMemo(() => {
    const { filters, sort, skip } = readList(search, shape, fallback);
    // Reads the URL when navigating: it may be newer than the displayed page.
    const go = (next: (now: ReturnType<typeof readList>) => SearchParams, replace = false) =>
      void navigate({
        to: ".",
        // Lists share parameter names (`name`, `ownerID`), so parameters of other lists are dropped.
        search: (now: SearchParams) => ({ ...withoutListParameters(now), ...next(readList(now, shape, fallback)) }),
        replace,
      });
    const keep = (chosen: SearchParams) => {
      if (isPersisted) storeListState(path, { ...filters, ...orderOf(sort, fallback), ...chosen });
    };
    const change = (made: (now: SearchParams) => Change, how?: "typed") =>
      go((now) => {
        const next: SearchParams = { ...now.filters };
        for (const [name, value] of Object.entries(made(now.filters))) {
          if (value === undefined || value.length === 0) delete next[name];
          else next[name] = typeof value === "string" ? value : [...value];
        }
        return { ...next, ...orderOf(now.sort, fallback) };
      }, how === "typed");
    const query: SearchParams = {
      ...filters,
      ...(skip > 0 ? { skip: String(skip) } : {}),
      limit: String(config.pageSize),
      includeTotals: "true",
      ...(sort.length === 0 ? {} : { sortBy: sort.map((rule) => (rule.desc ? `-${rule.id}` : rule.id)) }),
    };
    return {
      ...fieldsOf(filters, change),
      filters,
      page: Math.floor(skip / config.pageSize) + 1,
      pageSize: config.pageSize,
      sort,
      active: Object.keys(filters).length,
      /** Identifies filters and page. While it stays the same, the list keeps the order of its rows. */
      viewKey: JSON.stringify([filters, skip]),
      query,
      /** `corrected` replaces the history entry instead of adding one. */
      setPage: (page: number, how?: "corrected") =>
        go(
          (now) => ({
            ...now.filters,
            ...orderOf(now.sort, fallback),
            // If the filters have changed meanwhile, the new list starts at page 1.
            ...(page > 1 && sameFilters(now.filters, filters) ? { skip: String((page - 1) * config.pageSize) } : {}),
          }),
          how === "corrected",
        ),
      /**
       * An empty `next` means the default order, or its reverse if the list already has the default order, so that every
       * click on a header has an effect.
       */
      setSort: (next: Sort) =>
        go((now) => {
          const isNoChange = next.length === 0 && sameSort(now.sort, fallback);
          const wanted = isNoChange ? fallback.map(({ id, desc }) => ({ id, desc: !desc })) : next;
          const order = orderOf(wanted, fallback);
          keep({ sortBy: "", sortDesc: "", ...order });
          return { ...now.filters, ...order };
        }),
      /** Undefined selects the default view, which the URL omits. */
      setView: (viewType: string | undefined) => {
        keep({ viewType: viewType ?? "" });
        change(() => ({ viewType }));
      },
      clear: () => go((now) => orderOf(now.sort, fallback)),
    };
  }, [search, path, shape, fallback, isPersisted, navigate]);
}

export type ListState = ReturnType<typeof useListState>;

const sameFilters = (a: SearchParams, b: SearchParams) => JSON.stringify(a) === JSON.stringify(b);

function sameSort(a: Sort, b: Sort): boolean {
  return a.length === b.length && a.every((rule, index) => rule.id === b[index]?.id && rule.desc === b[index].desc);
}
