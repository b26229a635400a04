// Describes a type of objects declaratively by its API calls, texts, rights and URLs.
// Queries, mutations, lists and dialogs are derived from this description.
import type { Endpoint } from "@psp/contract/kit/endpoint.ts";
import type { IdResponse } from "@psp/contract/kit/id-reply.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { CreatableType } from "@psp/contract/permission/standing.ts";
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import type { z } from "zod";
import type { SearchParams } from "../address/address.ts";
import { call } from "../api/call.ts";
import { type ListResponse, useListQuery } from "../api/listed.ts";
import type { EntityType } from "../api/query-client.ts";
import type { Can } from "../api/session/useCan.ts";
import { cacheResponse, type SeenVersion } from "./saving.ts";

type Row = { _id: string; version: number };

type None = z.ZodUndefined;
type ById = z.ZodType<{ id: string }, { id: string }>;

type Calls<R extends Row, New, Change> = {
  list: Endpoint<None, z.ZodType, None, z.ZodType>;
  get: Endpoint<ById, None, None, z.ZodType<R>>;
  create: Endpoint<None, None, z.ZodType<unknown, New>, z.ZodType<R | IdResponse>>;
  update: Endpoint<ById, None, z.ZodType<unknown, Change>, z.ZodType<R | IdResponse>>;
  remove: Endpoint<ById, None, None, z.ZodType<IdResponse>>;
};

type EntityApi<R extends Row, New, Change> = {
  /** Type of live messages and query keys, as on the wire. */
  type: EntityType;
  calls: Calls<R, New, Change>;
  listQuery?: SearchParams;
  /** Types whose objects display data of this type. */
  shownBy?: readonly EntityType[];
};

/**
 * Second elements of the keys of queries that any change may affect. The changed object isn't refetched, because the response
 * contains it.
 */
const derivedKeys = ["select", "named", "total"];

export function createQueries<R extends Row, New, Change>(wire: EntityApi<R, New, Change>) {
  const { type, calls, listQuery = {}, shownBy = [] } = wire;
  const list = (query: SearchParams, signal: AbortSignal) =>
    call(calls.list, { query, signal }) as Promise<ListResponse<R>>;
  const page = (query: SearchParams, signal: AbortSignal) => list({ ...query, ...listQuery }, signal);

  const useList = (query: SearchParams) => useListQuery<R>([type, "list", query], (signal) => page(query, signal));

  function useCachedRow(): (id: string) => R | undefined {
    const client = useQueryClient();
    return (id) =>
      client
        .getQueriesData<{ objects?: R[] }>({ queryKey: [type, "list"] })
        .flatMap(([, shown]) => shown?.objects ?? [])
        .find((row) => row._id === id);
  }

  /** One object, with a cached list row as placeholder. `wanted` false stops fetching, e.g. while it is being deleted. */
  function useOne(id: string, wanted = true): UseQueryResult<R> {
    const shown = useCachedRow();
    // With a generic row type, the library can't rule out that placeholder data is a function, so the query uses `Row`.
    return useQuery<Row>({
      queryKey: [type, "one", id],
      enabled: wanted,
      queryFn: ({ signal }) => call(calls.get, { params: { id }, signal }),
      placeholderData: () => shown(id),
    }) as UseQueryResult<R>;
  }

  /** Invalidates what a change may affect; resolves when the list is up to date. */
  function useRefresh(): () => Promise<void> {
    const client = useQueryClient();
    return () => {
      for (const part of derivedKeys) void client.invalidateQueries({ queryKey: [type, part] });
      for (const other of shownBy) void client.invalidateQueries({ queryKey: [other] });
      return client.invalidateQueries({ queryKey: [type, "list"] });
    };
  }

  function useCreate() {
    const onSuccess = useRefresh();
    return useMutation({ mutationFn: (body: New) => call(calls.create, { body }), onSuccess });
  }

  const update = (id: string, change: Change, seen: SeenVersion = {}) =>
    call(calls.update, { params: { id }, body: change, ...seen });

  /** With a version, a concurrent change is refused with 412. */
  function useUpdate(id: string, onError?: () => void) {
    const client = useQueryClient();
    const refresh = useRefresh();
    return useMutation({
      mutationFn: ({ change, ...seen }: { change: Change } & SeenVersion) => update(id, change, seen),
      onSuccess: (answer) => {
        cacheResponse(client, type, answer);
        return refresh();
      },
      ...(onError && { onError }),
    });
  }

  const remove = (id: string) => call(calls.remove, { params: { id } });

  function useRemove(id: string) {
    const onSuccess = useRefresh();
    return useMutation({ mutationFn: () => remove(id), onSuccess });
  }

  return {
    type,
    list,
    page,
    update,
    remove,
    useList,
    useShown: useCachedRow,
    useOne,
    useRefresh,
    useCreate,
    useUpdate,
    useRemove,
  };
}

export type OwnedRow = Row & { owner: { _id: string; name: string } };

type Rights<R> = {
  type: CreatableType;
  /** Accounts that may own a new object: those that the user may edit, instead of those that the user may create the type for. */
  owners?: "editable";
  edit: (can: Can, row: R, owner: Owner) => boolean;
  remove: (can: Can, row: R, owner: Owner) => boolean;
};

/** Rights on owned objects without special rules. */
export function defaultRights(type: Exclude<CreatableType, "role">): Rights<OwnedRow> {
  return {
    type,
    edit: (can, _row, owner) => can.edit(type, owner),
    remove: (can, _row, owner) => can.delete(type, owner),
  };
}

type EntityView<R> = {
  nameOf: (row: R) => string;
  paths: { list: string; remove: (id: string) => string };
  rights: Rights<R>;
  text: {
    deleteTitle: string;
    deleteQuestion: (name: string, owner: string) => string;
    deleteFailed: string;
    deleted: (name: string) => string;
    noDelete: string;
  };
};

export function defineEntity<R extends OwnedRow, New, Change, F extends EntityView<R>>(
  description: EntityApi<R, New, Change> & F,
) {
  return { ...createQueries(description), ...description };
}

type Queries<R extends Row, New, Change> = ReturnType<typeof createQueries<R, New, Change>>;
export type Entity<R extends OwnedRow, New = never, Change = never> = Queries<R, New, Change> & EntityView<R>;
