// Asks before somebody closes their own account, which signs them out (spec 2 §2).
import { DeleteDialog } from "../../entity/DeleteOwned.tsx";
import { useGo, useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useUser } from "../../session/session.tsx";
import { useDeleteAccount } from "../account.queries.ts";
import { accountText } from "../account.text.ts";
import { useDeletable } from "../form/useDeletable.ts";

export function CloseAccountDialog() {
  const id = useParam("id");
  const go = useGo();
  const user = useUser();
  const remove = useDeleteAccount(id);
  const { mayDelete, why } = useDeletable(user);
  return (
    <DeleteDialog
      found
      error={null}
      mayDelete={id !== user._id ? false : remove.isIdle ? mayDelete : true}
      remove={remove}
      title={accountText.closeTitle}
      question={accountText.closeQuestion(user.name)}
      confirmLabel={accountText.closeButton}
      failed={accountText.deleteFailed}
      refused={why ?? accountText.noDelete}
      deleted={accountText.deleted(user.name)}
      back={paths.myAccount}
      // Whoever signs in next does not come back to this question.
      onDeleted={() => go(paths.login, { query: "none", replace: true })}
    />
  );
}
