// What the role pages ask the server.
import {
  createRole,
  deleteRole,
  getRole,
  listRoles,
  listStrongerRoles,
  updateRole,
} from "@psp/contract/role/role.api.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Role } from "@psp/contract/role/role.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Search } from "../address/address.ts";
import { call } from "../api/call.ts";
import { useListed } from "../api/listed.ts";
import { keepAnswer } from "../entity/left-view.ts";

/** One page of the list with its exact total; the caller's own role is left out (spec 1 §2). */
export function useRoles(query: Search) {
  return useListed(["role", "list", query], (signal) =>
    call(listRoles, { query: { ...query, withoutOwn: "true" }, signal }),
  );
}

/** `wanted` false asks no more, e.g. once it is being deleted: the answer would only be that it is gone. */
export function useRole(id: string, wanted = true) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["role", "one", id],
    enabled: wanted,
    queryFn: ({ signal }) => call(getRole, { params: { id }, signal }),
    placeholderData: () =>
      client
        .getQueriesData<{ objects?: Role[] }>({ queryKey: ["role", "list"] })
        .flatMap(([, page]) => page?.objects ?? [])
        .find((role) => role._id === id),
  });
}

/** After a write: what lists and names show is asked again. */
export function useAfterwards() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      ["list", "select", "named", "total"].map((part) => client.invalidateQueries({ queryKey: ["role", part] })),
    );
}

export function useCreateRole() {
  const refresh = useAfterwards();
  return useMutation({
    mutationFn: (body: Sent<typeof createRole>["body"]) => call(createRole, { body }),
    onSuccess: refresh,
  });
}

export function useUpdateRole(id: string) {
  const refresh = useAfterwards();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change, version }: { change: Sent<typeof updateRole>["body"]; version?: number }) =>
      call(updateRole, { params: { id }, body: change, ...(version === undefined ? {} : { version }) }),
    onSuccess: (role) => {
      keepAnswer(client, "role", role);
      return refresh();
    },
  });
}

const strongerQuery = (id: string, permissions: Permissions) =>
  queryOptions({
    queryKey: ["role", "total", "stronger", id, permissions],
    queryFn: ({ signal }) => call(listStrongerRoles, { params: { id }, body: { permissions }, signal }),
  });

/** Roles that keep what this one has no more with these permissions; those before stay until the new ones are here. */
export const useStronger = (id: string, permissions: Permissions) =>
  useQuery({ ...strongerQuery(id, permissions), placeholderData: keepPreviousData });

/** How many they are, for after a save; 0 where that can't be known. */
export function useCountStronger(id: string) {
  const client = useQueryClient();
  return (permissions: Permissions) =>
    client.fetchQuery(strongerQuery(id, permissions)).then(
      ({ total }) => total,
      () => 0,
    );
}

export function useDeleteRole(id: string) {
  const refresh = useAfterwards();
  return useMutation({ mutationFn: () => call(deleteRole, { params: { id } }), onSuccess: refresh });
}

/** Names a role that some list has shown; else its id. */
export function useRoleLabels(): (id: string) => string {
  const client = useQueryClient();
  return (id) =>
    client
      .getQueriesData<{ objects?: Role[] }>({ queryKey: ["role", "list"] })
      .flatMap(([, page]) => page?.objects ?? [])
      .find((role) => role._id === id)?.name ?? id;
}
