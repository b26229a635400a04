// Lists the roles that were created from a role and still have rights that the original role has lost, or would lose on save.
import { getRightName } from "@psp/contract/permission/right-names.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { listStrongerRoles } from "@psp/contract/role/role.api.ts";
import type { StrongerRole } from "@psp/contract/role/role.ts";
import { Alert, Box, Link } from "@mui/material";
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { roleText } from "./role.text.ts";

const strongerRolesQuery = (id: string, permissions: Permissions) =>
  queryOptions({
    queryKey: ["role", "total", "stronger", id, permissions],
    queryFn: ({ signal }) => call(listStrongerRoles, { params: { id }, body: { permissions }, signal }),
  });

export const useStrongerRoles = (id: string, permissions: Permissions) =>
  useQuery({ ...strongerRolesQuery(id, permissions), placeholderData: keepPreviousData });

/** Number of stronger roles after a save; 0 if unknown. */
export function useCountStrongerRoles(id: string) {
  const client = useQueryClient();
  return (permissions: Permissions) =>
    client.fetchQuery(strongerRolesQuery(id, permissions)).then(
      ({ total }) => total,
      () => 0,
    );
}

export function StrongerRoles(props: { stronger: { objects: StrongerRole[]; total: number }; unsaved: boolean }) {
  const { stronger, unsaved } = props;
  const { objects, total } = stronger;
  const listId = useId();
  if (total === 0) return null;
  return (
    <Alert severity={unsaved ? "warning" : "info"} role="status">
      <span id={listId}>{unsaved ? roleText.wouldKeep(total) : roleText.keep(total)}</span>
      <Box component="ul" aria-labelledby={listId} sx={{ m: 0, mt: 2, pl: 5, maxHeight: 180, overflowY: "auto" }}>
        {objects.map((role) => (
          <li key={role._id}>
            {unsaved ? (
              // Opens a new tab, so that edits of the role aren't lost.
              <Link href={paths.role(role._id)} target="_blank" rel="noopener">
                {role.name}
              </Link>
            ) : (
              <AppLink to={paths.role(role._id)}>{role.name}</AppLink>
            )}{" "}
            {roleText.keeps(role.owner.name, role.rights.map(getRightName))}
          </li>
        ))}
      </Box>
      {total > objects.length ? <Box sx={{ mt: 2 }}>{roleText.andMore(total - objects.length)}</Box> : null}
    </Alert>
  );
}
