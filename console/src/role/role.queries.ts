// What is asked about roles beside what is asked about every noun: which of them keep what one has no more.
import { listStrongerRoles } from "@psp/contract/role/role.api.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";

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
