// Lists all roles except for the user's own, with filters, batches and dialogs (RO-01).
import { roleListQuery } from "@psp/contract/role/role.query.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { useOwnedBatch } from "../entity/batch/owned-batch.tsx";
import { nameFilter, useOwnerFilter } from "../entity/list/list-filters.tsx";
import { DeniedList } from "../entity/list/list-empty.tsx";
import { ListPage } from "../entity/list/list-page.tsx";
import { useListState } from "../address/list-state.ts";
import { paths } from "../address/paths.ts";
import { useCan } from "../api/session/useCan.ts";
import type { Column, Sort } from "../ui/table/columns.ts";
import { role } from "./role.entity.ts";
import { roleText } from "./role.text.ts";

const byName: Sort = [
  { id: "name", desc: false },
  { id: "owner", desc: false },
];
// Users can't change the filter `withoutOwn`.
const listShape = roleListQuery.omit({ withoutOwn: true }).shape;

const columns: readonly Column<Role>[] = [
  { id: "name", header: roleText.name, cell: ({ name }) => name, sortable: true },
  { id: "owner", header: roleText.owner, cell: ({ owner }) => <OwnerLink owner={owner} />, sortable: true },
];

export function RolesPage() {
  return useCan().viewType("role") ? <RoleList /> : <DeniedList text={roleText} />;
}

function RoleList() {
  const list = useListState(listShape, byName, { isPersisted: true });
  const answer = role.useList(list.query);
  return (
    <ListPage
      entity={role}
      text={{ ...roleText, noMatchText: roleText.noMatchText(list.text("name")) }}
      list={list}
      answer={answer}
      columns={columns}
      rowPath={({ _id }) => paths.role(_id)}
      create={{ label: roleText.create, path: paths.newRole }}
      filters={[nameFilter(list, roleText), useOwnerFilter(list, roleText)]}
      batch={useOwnedBatch(role, list.filters, answer.data?.total ?? 0)}
    />
  );
}
