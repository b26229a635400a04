// Asks before an account is deleted; one's own ends with being signed out (spec 1 §2, §4).
import { DeleteDialog } from "../delete-dialog.tsx";
import { useGo, useParam } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { toOwner, useCan } from "../session/useCan.ts";
import { useAccount, useDeleteAccount } from "./account.queries.ts";
import { accountText } from "./account.text.ts";

export function DeleteAccountDialog() {
  const id = useParam("id");
  const can = useCan();
  const go = useGo();
  const remove = useDeleteAccount(id);
  const { data: account, error } = useAccount(id, remove.isIdle);
  const name = account?.name ?? id;
  const own = id === can.actor.id;
  // Whoever signs in next does not come back to this question.
  const leave = () => go(paths.login, { query: "none", replace: true });
  return (
    <DeleteDialog
      found={account !== undefined}
      error={error}
      mayDelete={account === undefined ? undefined : can.delete("owner", toOwner(account))}
      remove={remove}
      title={own ? accountText.deleteMyTitle : accountText.deleteTitle}
      question={own ? accountText.deleteMyQuestion : accountText.deleteQuestion(name)}
      failed={accountText.deleteFailed}
      refused={accountText.noDelete}
      deleted={accountText.deleted(name)}
      back={paths.accounts}
      {...(own ? { onDeleted: leave } : {})}
    />
  );
}
