// Asks before an init token is deleted; opens over the list at its delete address.
import { DeleteDialog } from "../entity/delete-dialog.tsx";
import { useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { useDeleteInitToken, useInitToken } from "./init-token.queries.ts";
import { initTokenText } from "./init-token.text.ts";

export function DeleteInitTokenDialog() {
  const id = useParam("id");
  const can = useCan();
  const remove = useDeleteInitToken(id);
  const { data: token, error } = useInitToken(id, remove.isIdle);
  const { ownerOf, ready } = useOwners(token === undefined ? [] : [token.owner._id]);
  const name = token?.name ?? id;
  return (
    <DeleteDialog
      found={token !== undefined}
      error={error}
      mayDelete={token !== undefined && ready ? can.delete("sensor", ownerOf(token.owner._id)) : undefined}
      remove={remove}
      title={initTokenText.deleteTitle}
      question={initTokenText.deleteQuestion(name, token?.owner.name ?? "")}
      failed={initTokenText.deleteFailed}
      refused={initTokenText.noDelete}
      deleted={initTokenText.deleted(name)}
      back={paths.initTokens}
    />
  );
}
