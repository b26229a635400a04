// Asks before a role is deleted; opens over the list at its delete address.
import { DeleteDialog } from "../entity/delete-dialog.tsx";
import { useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { useDeleteRole, useRole } from "./role.queries.ts";
import { roleText } from "./role.text.ts";

export function DeleteRoleDialog() {
  const id = useParam("id");
  const can = useCan();
  const remove = useDeleteRole(id);
  const { data: role, error } = useRole(id, remove.isIdle);
  const { ownerOf, ready } = useOwners(role === undefined ? [] : [role.owner._id]);
  const name = role?.name ?? id;
  return (
    <DeleteDialog
      found={role !== undefined}
      error={error}
      mayDelete={
        role !== undefined && ready ? can.deleteRole({ id: role._id, owner: ownerOf(role.owner._id) }) : undefined
      }
      remove={remove}
      title={roleText.deleteTitle}
      question={roleText.deleteQuestion(name, role?.owner.name ?? "")}
      failed={roleText.deleteFailed}
      refused={roleText.noDelete}
      deleted={roleText.deleted(name)}
      back={paths.roles}
    />
  );
}
