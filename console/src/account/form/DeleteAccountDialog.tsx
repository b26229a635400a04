// Asks before an account is deleted; one's own ends with being signed out (spec 1 §2, §4).
import { DeleteDialog } from "../../entity/DeleteOwned.tsx";
import { useGo, useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useActor } from "../../session/session.tsx";
import { account as entity, useDeleteAccount } from "../account.queries.ts";
import { accountText } from "../account.text.ts";
import { useDeletable } from "./useDeletable.ts";

export function DeleteAccountDialog() {
  const id = useParam("id");
  const go = useGo();
  const remove = useDeleteAccount(id);
  const { data: account, error } = entity.useOne(id, remove.isIdle);
  const { mayDelete, why } = useDeletable(account);
  const name = account?.name ?? id;
  const own = id === useActor().id;
  // Whoever signs in next does not come back to this question.
  const leave = () => go(paths.login, { query: "none", replace: true });
  return (
    <DeleteDialog
      found={account !== undefined}
      error={error}
      mayDelete={remove.isIdle ? mayDelete : true}
      remove={remove}
      title={own ? accountText.deleteMyTitle : accountText.deleteTitle}
      question={own ? accountText.deleteMyQuestion : accountText.deleteQuestion(name)}
      failed={accountText.deleteFailed}
      refused={why ?? accountText.noDelete}
      deleted={accountText.deleted(name)}
      back={paths.accounts}
      {...(own ? { onDeleted: leave } : {})}
    />
  );
}
