// The roles that may be viewed, but for one's own: filters, selection, and dialogs over the list (RO-01, spec 1 §2).
import { roleListQuery } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { AccountSelect } from "../entity/reference/AccountSelect.tsx";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { useAccountName } from "../entity/reference/useNames.ts";
import { DeniedList, ListPage, useDeletion } from "../entity/list-page.tsx";
import { useListState } from "../address/list-state.ts";
import { paths } from "../address/paths.ts";
import { useCan, useMayCreate } from "../session/useCan.ts";
import { SearchField } from "../ui/table/SearchField.tsx";
import type { Column, Sort } from "../ui/table/columns.ts";
import { useRoles } from "./role.queries.ts";
import { roleText } from "./role.text.ts";
import { useRoleBatch } from "./useRoleBatch.ts";

const byName: Sort = [
  { id: "name", desc: false },
  { id: "owner", desc: false },
];
// That the own role is left out is no filter of the person's.
const listShape = roleListQuery.omit({ withoutOwn: true }).shape;

const columns: readonly Column<Role>[] = [
  { id: "name", header: roleText.name, cell: (role) => role.name, sortable: true },
  { id: "owner", header: roleText.owner, cell: (role) => <OwnerLink owner={role.owner} />, sortable: true },
];

export function RolesPage() {
  return useCan().viewType("role") ? <RoleList /> : <DeniedList text={roleText} />;
}

function RoleList() {
  const list = useListState(listShape, byName);
  const answer = useRoles(list.query);
  const mayCreate = useMayCreate("role") === true;
  const deletion = useDeletion("role", answer.data?.objects, ({ name }) => roleText.remove(name), paths.deleteRole);
  const owner = useAccountName(list.text("ownerID") || null);
  return (
    <ListPage
      text={{ ...roleText, noMatchText: roleText.noMatchText(list.text("name")) }}
      list={list}
      answer={answer}
      columns={columns}
      rowLabel={(role) => role.name}
      rowPath={(role) => paths.role(role._id)}
      rowActions={deletion}
      create={mayCreate ? { label: roleText.create, path: paths.newRole } : undefined}
      filters={
        <>
          <SearchField label={roleText.search} {...list.typed("name")} />
          <AccountSelect label={roleText.owner} {...list.chosen("ownerID")} placeholder={roleText.any} />
        </>
      }
      chips={[...list.chip("name", roleText.name, list.text("name")), ...list.chip("ownerID", roleText.owner, owner)]}
      batch={useRoleBatch(list.filters, answer.data?.total ?? 0)}
    />
  );
}
