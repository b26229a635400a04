// The roles that may be viewed: name and owner.
import { roleListQuery } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { OwnerLink } from "../account/OwnerLink.tsx";
import { failureText } from "../api/useFailure.ts";
import { useAccountName } from "../api/useNames.ts";
import { useListState } from "../list-state.ts";
import { useCan } from "../session/useCan.ts";
import { DataTable } from "../ui/DataTable.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ListLayout } from "../ui/ListLayout.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import type { Column, Sort } from "../ui/columns.ts";
import { useRoles } from "./role.queries.ts";
import { roleText } from "./role.text.ts";

const byName: Sort = [
  { id: "name", desc: false },
  { id: "owner", desc: false },
];
const noRows: Role[] = [];

const columns: readonly Column<Role>[] = [
  { id: "name", header: roleText.name, cell: (role) => role.name, sortable: true },
  { id: "owner", header: roleText.owner, cell: (role) => <OwnerLink owner={role.owner} />, sortable: true },
];

export function RolesPage() {
  const can = useCan();
  if (can.viewType("role")) return <RoleList />;
  return (
    <>
      <PageHeader title={roleText.title} />
      <EmptyState kind="denied" title={roleText.deniedTitle} text={roleText.denied} />
    </>
  );
}

function RoleList() {
  const list = useListState(roleListQuery.shape, byName);
  const { data, isPending, isError, error, refetch } = useRoles(list.query);
  const owner = list.text("ownerID");
  const ownerName = useAccountName(owner || null);
  const chip = (id: string, name: string, value: string | undefined) =>
    list.text(id) === "" ? [] : [{ id, name, value: value ?? "…", onRemove: () => list.set({ [id]: undefined }) }];
  return (
    <ListLayout
      title={roleText.title}
      filters={
        <>
          <SearchField
            label={roleText.search}
            value={list.text("name")}
            onChange={(name) => list.set({ name }, "typed")}
          />
          <AccountSelect
            label={roleText.owner}
            value={owner || null}
            onChange={(id) => list.set({ ownerID: id ?? undefined })}
            placeholder={roleText.any}
          />
        </>
      }
      chips={[...chip("name", roleText.name, list.text("name")), ...chip("ownerID", roleText.owner, ownerName)]}
      onClear={list.clear}
      page={list.page}
      pageSize={list.pageSize}
      total={data?.total}
      onPageChange={list.setPage}
      failure={
        isError && data === undefined
          ? { title: roleText.loadFailed, text: failureText(error), onRetry: () => void refetch() }
          : undefined
      }
    >
      <DataTable
        label={roleText.title}
        columns={columns}
        rows={data?.objects ?? noRows}
        rowId={(role) => role._id}
        rowLabel={(role) => role.name}
        loading={isPending}
        sort={list.sort}
        onSortChange={list.setSort}
        viewKey={list.viewKey}
        empty={
          list.active > 0 ? (
            <EmptyState
              kind="noMatch"
              title={roleText.noMatchTitle}
              text={roleText.noMatchText(list.text("name"))}
              action={{ label: roleText.showAll, onClick: list.clear }}
            />
          ) : (
            <EmptyState kind="none" title={roleText.noneTitle} text={roleText.noneText} />
          )
        }
      />
    </ListLayout>
  );
}
