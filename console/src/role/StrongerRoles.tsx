// Which roles keep what this one has no more, or would have no more once it is saved: they were made with its strength.
import type { StrongerRole } from "@psp/contract/role/role.ts";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { useId } from "react";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { nameOfRight } from "@psp/contract/permission/right-names.ts";
import { roleText } from "./role.text.ts";

/** `unsaved`: with the permissions that are on the screen only. */
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
              // What is being edited stays.
              <Link href={paths.role(role._id)} target="_blank" rel="noopener">
                {role.name}
              </Link>
            ) : (
              <AppLink to={paths.role(role._id)}>{role.name}</AppLink>
            )}{" "}
            {roleText.keeps(role.owner.name, role.rights.map(nameOfRight))}
          </li>
        ))}
      </Box>
      {total > objects.length ? <Box sx={{ mt: 2 }}>{roleText.andMore(total - objects.length)}</Box> : null}
    </Alert>
  );
}
