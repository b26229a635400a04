// What the role pages ask the server.
import { createRole, deleteRole, getRole, listRoles, updateRole } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Search } from "../address.ts";
import { call } from "../api/call.ts";
import { useListed } from "../api/listed.ts";

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
    Promise.all(["list", "select", "named"].map((part) => client.invalidateQueries({ queryKey: ["role", part] })));
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
      client.setQueryData(["role", "one", id], role);
      return refresh();
    },
  });
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
