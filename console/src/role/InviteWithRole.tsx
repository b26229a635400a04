// Link on a role's page that invites an account with this role.
import type { Role } from "@psp/contract/role/role.ts";
import { Button } from "@mui/material";
import PersonAddAltRounded from "~icons/ic/round-person-add-alt";
import { useGo } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan, useSelf } from "../api/session/useCan.ts";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { roleText as text } from "./role.text.ts";

export function InviteWithRole({ role, unsaved }: { role: Role; unsaved: boolean }) {
  const can = useCan();
  const go = useGo();
  const { self } = useSelf();
  if (!can.createAccount() || !can.giveRoleToNew(role, self)) return null;
  return (
    <Disabled reason={unsaved ? text.inviteAfterSave : undefined}>
      <Button
        variant="outlined"
        startIcon={<PersonAddAltRounded />}
        onClick={() => go(`${paths.newAccount}?role=${role._id}`, { query: "none" })}
        sx={{ alignSelf: "flex-start" }}
      >
        {text.invite}
      </Button>
    </Disabled>
  );
}
