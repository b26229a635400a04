// A noun of the console as one description: its calls, its words, its rights and its addresses. What all nouns do alike is
// made of it; where a noun differs, that is plain React beside the description.
import type { Endpoint } from "@psp/contract/kit/endpoint.ts";
import type { IdReply } from "@psp/contract/kit/id-reply.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { CreatedType } from "@psp/contract/permission/standing.ts";
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import type { z } from "zod";
import type { Search } from "../address/address.ts";
import { call } from "../api/call.ts";
import { type Listed, useListed } from "../api/listed.ts";
import type { EntityType } from "../api/query-client.ts";
import type { Can } from "../session/useCan.ts";
import { keepAnswer, type Seen } from "./saving.ts";

type Row = { _id: string; version: number };

type None = z.ZodUndefined;
type ById = z.ZodType<{ id: string }, { id: string }>;

/** The calls of the contract about one noun, with what they have in common. */
type Calls<R extends Row, New, Change> = {
  list: Endpoint<None, z.ZodType, None, z.ZodType>;
  get: Endpoint<ById, None, None, z.ZodType<R>>;
  create: Endpoint<None, None, z.ZodType<unknown, New>, z.ZodType<R | IdReply>>;
  update: Endpoint<ById, None, z.ZodType<unknown, Change>, z.ZodType<R | IdReply>>;
  remove: Endpoint<ById, None, None, z.ZodType<IdReply>>;
};

type Wire<R extends Row, New, Change> = {
  /** The type of its messages and keys, as it is called on the wire. */
  type: EntityType;
  calls: Calls<R, New, Change>;
  /** What the list asks for beside what the address says. */
  listQuery?: Search;
  /** Objects of these types show something of this one. */
  shownBy?: readonly EntityType[];
};

/** Parts of the cache that a change of one object may concern; of the object itself the server has answered what is known. */
const partsShown = ["select", "named", "total"];

/** What is asked of the server about one noun, and what is asked again after a change of it. */
export function queriesOf<R extends Row, New, Change>(wire: Wire<R, New, Change>) {
  const { type, calls, listQuery = {}, shownBy = [] } = wire;
  const list = (query: Search, signal: AbortSignal) => call(calls.list, { query, signal }) as Promise<Listed<R>>;
  /** What matches a list's query, as the list shows it. */
  const page = (query: Search, signal: AbortSignal) => list({ ...query, ...listQuery }, signal);

  /** One page of the list with its exact total. */
  const useList = (query: Search) => useListed<R>([type, "list", query], (signal) => page(query, signal));

  /** Finds a row that some list has shown. */
  function useShown(): (id: string) => R | undefined {
    const client = useQueryClient();
    return (id) =>
      client
        .getQueriesData<{ objects?: R[] }>({ queryKey: [type, "list"] })
        .flatMap(([, shown]) => shown?.objects ?? [])
        .find((row) => row._id === id);
  }

  /**
   * One object; the row of a list that is here already is shown until it arrives. `wanted` false asks no more, e.g. once it
   * is being deleted: the answer would only be that it is gone.
   */
  function useOne(id: string, wanted = true): UseQueryResult<R> {
    const shown = useShown();
    // The library asks for proof that what is shown first is no function; the row type says so.
    return useQuery<Row>({
      queryKey: [type, "one", id],
      enabled: wanted,
      queryFn: ({ signal }) => call(calls.get, { params: { id }, signal }),
      placeholderData: () => shown(id),
    }) as UseQueryResult<R>;
  }

  /** Asks again what a change may concern; done when the list is up to date. */
  function useRefresh(): () => Promise<void> {
    const client = useQueryClient();
    return () => {
      for (const part of partsShown) void client.invalidateQueries({ queryKey: [type, part] });
      for (const other of shownBy) void client.invalidateQueries({ queryKey: [other] });
      return client.invalidateQueries({ queryKey: [type, "list"] });
    };
  }

  function useCreate() {
    const onSuccess = useRefresh();
    return useMutation({ mutationFn: (body: New) => call(calls.create, { body }), onSuccess });
  }

  const update = (id: string, change: Change, seen: Seen = {}) =>
    call(calls.update, { params: { id }, body: change, ...seen });

  /** Saves a change; with a version, somebody else's change in between is a 412. */
  function useUpdate(id: string, onError?: () => void) {
    const client = useQueryClient();
    const refresh = useRefresh();
    return useMutation({
      mutationFn: ({ change, ...seen }: { change: Change } & Seen) => update(id, change, seen),
      onSuccess: (answer) => {
        keepAnswer(client, type, answer);
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

  return { type, list, page, update, remove, useList, useShown, useOne, useRefresh, useCreate, useUpdate, useRemove };
}

export type OwnedRow = Row & { owner: { _id: string; name: string } };

/** Whose type the rights of a noun name, and who may change one of it. */
type Rights<R> = {
  type: CreatedType;
  edit: (can: Can, row: R, owner: Owner) => boolean;
  remove: (can: Can, row: R, owner: Owner) => boolean;
};

/** The rights over what belongs to an account and is treated like all of its type. */
export function plainRights(type: Exclude<CreatedType, "role">): Rights<OwnedRow> {
  return {
    type,
    edit: (can, _row, owner) => can.edit(type, owner),
    remove: (can, _row, owner) => can.delete(type, owner),
  };
}

type Face<R> = {
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

/** A noun whose objects belong to accounts. */
export function defineEntity<R extends OwnedRow, New, Change, F extends Face<R>>(
  description: Wire<R, New, Change> & F,
) {
  return { ...queriesOf(description), ...description };
}

type Queries<R extends Row, New, Change> = ReturnType<typeof queriesOf<R, New, Change>>;
/** What the dialogs and lists of all nouns know of one. */
export type Entity<R extends OwnedRow, New = never, Change = never> = Queries<R, New, Change> & Face<R>;
