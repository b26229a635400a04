// The batch of the role list: change the owner of many roles, or delete many (spec 1 §2, §5, §7).
import { deleteRole, listRoles, updateRole } from "@psp/contract/role/role.api.ts";
import type { Search } from "../address/address.ts";
import { call } from "../api/call.ts";
import type { ListBatch } from "../entity/list-page.tsx";
import { useOwnedBatch } from "../entity/owned-batch.tsx";
import { useAfterwards, useRoleLabels } from "./role.queries.ts";
import { roleText } from "./role.text.ts";

/** `filters` and `total` of the list that is shown. */
export function useRoleBatch(filters: Search, total: number): ListBatch {
  const noun = {
    type: "role",
    text: roleText,
    // "All" leaves one's own role out, as the list does; chosen by id, it is refused with its reason.
    list: (query: Search, signal: AbortSignal) =>
      call(listRoles, { query: query["ids"] === undefined ? { ...query, withoutOwn: "true" } : query, signal }),
    handOver: (id: string, owner: string) => call(updateRole, { params: { id }, body: { owner } }),
    remove: (id: string) => call(deleteRole, { params: { id } }),
    isKept: (role: { _id: string }, actor: { roleId: string | null }) => role._id === actor.roleId,
    labelOf: useRoleLabels(),
    refresh: useAfterwards(),
  } as const;
  return useOwnedBatch(noun, filters, total);
}
