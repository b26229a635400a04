// The roles that may be viewed, but for one's own: filters, selection, and dialogs over the list (RO-01, spec 1 §2).
import { changeOwnerSets, createSet, deleteSet } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { roleListQuery } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import AddRounded from "@mui/icons-material/AddRounded";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import { Outlet } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { OwnerLink } from "../account/OwnerLink.tsx";
import { failureText } from "../api/useFailure.ts";
import { useAccountName } from "../api/useNames.ts";
import type { Search } from "../address.ts";
import { useListState } from "../list-state.ts";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useHoldsAnybody, useOwners } from "../session/useCan.ts";
import { BatchBar } from "../ui/BatchBar.tsx";
import { DataTable } from "../ui/DataTable.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ListLayout } from "../ui/ListLayout.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { allSelected, canSelectAll, emptySelection, type Selection, selectionCount } from "../ui/Selection.ts";
import type { Column, RowAction, Sort } from "../ui/columns.ts";
import { DeleteRolesDialog, SetOwnerDialog } from "./RoleBatchDialogs.tsx";
import { useRoles } from "./role.queries.ts";
import { roleText } from "./role.text.ts";

const byName: Sort = [
  { id: "name", desc: false },
  { id: "owner", desc: false },
];
const noRows: Role[] = [];
const roleId = (role: Role) => role._id;
// That the own role is left out is no filter of the person's.
const listShape = roleListQuery.omit({ withoutOwn: true }).shape;

const columns: readonly Column<Role>[] = [
  { id: "name", header: roleText.name, cell: (role) => role.name, sortable: true },
  { id: "owner", header: roleText.owner, cell: (role) => <OwnerLink owner={role.owner} />, sortable: true },
];

export function RolesPage() {
  const can = useCan();
  const mayCreate = useHoldsAnybody(useMemo(() => createSet(can.actor, "role"), [can.actor])) === true;
  if (can.viewType("role")) return <RoleList mayCreate={mayCreate} />;
  return (
    <>
      <PageHeader title={roleText.title} />
      <EmptyState kind="denied" title={roleText.deniedTitle} text={roleText.denied} />
      <Outlet />
    </>
  );
}

/** What is chosen, as long as the filters stay the same. */
function useSelection(filterKey: string) {
  const [kept, setKept] = useState<{ key: string; selection: Selection }>({ key: "", selection: emptySelection });
  return {
    selection: kept.key === filterKey ? kept.selection : emptySelection,
    setSelection: (selection: Selection) => setKept({ key: filterKey, selection }),
  };
}

function RoleList({ mayCreate }: { mayCreate: boolean }) {
  const can = useCan();
  const go = useGo();
  const list = useListState(listShape, byName);
  const { data, isPending, isError, error, refetch } = useRoles(list.query);
  const rows = data?.objects ?? noRows;
  const total = data?.total ?? rows.length;
  const { ownerOf } = useOwners(useMemo(() => rows.map((role) => role.owner._id), [rows]));
  const owner = list.text("ownerID");
  const ownerName = useAccountName(owner || null);
  const filters: Search = Object.fromEntries(
    Object.entries(list.query).filter(([name]) => ["name", "ownerID", "ids"].includes(name)),
  );
  const { selection, setSelection } = useSelection(JSON.stringify(filters));
  const [dialog, setDialog] = useState<{ kind: "owner" | "delete"; total: number } | null>(null);
  const count = selectionCount(selection, total);
  const create = { label: roleText.create, onClick: () => go(paths.newRole) };
  const { from, to } = changeOwnerSets(can.actor, "role");
  const actionsOf = (role: Role): RowAction[] =>
    can.delete("role", ownerOf(role.owner._id))
      ? [
          {
            label: roleText.remove(role.name),
            icon: <DeleteOutlineRounded />,
            danger: true,
            onClick: () => go(paths.deleteRole(role._id)),
          },
        ]
      : [];
  const chip = (id: string, name: string, value: string | undefined) =>
    list.text(id) === "" ? [] : [{ id, name, value: value ?? "…", onRemove: () => list.set({ [id]: undefined }) }];
  // What was chosen when the dialog opened counts, whatever the list becomes meanwhile.
  const batch = { selection, total: dialog?.total ?? 0, filters };
  return (
    <>
      <ListLayout
        title={roleText.title}
        primary={mayCreate ? { ...create, icon: <AddRounded /> } : undefined}
        selectionBar={
          <BatchBar
            count={count}
            total={total}
            offerAll={canSelectAll(selection)}
            onSelectAll={() => setSelection(allSelected)}
            onCancel={() => setSelection(emptySelection)}
            actions={[
              {
                label: roleText.setOwner,
                onClick: () => setDialog({ kind: "owner", total: count }),
                disabledReason: isEmptySet(from) || isEmptySet(to) ? roleText.noChangeOwner : undefined,
              },
              {
                label: roleText.deleteMany,
                danger: true,
                onClick: () => setDialog({ kind: "delete", total: count }),
                disabledReason: isEmptySet(deleteSet(can.actor, "role")) ? roleText.noDeleteAny : undefined,
              },
            ]}
          />
        }
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
          rows={rows}
          rowId={roleId}
          rowLabel={(role) => role.name}
          loading={isPending}
          sort={list.sort}
          onSortChange={list.setSort}
          selection={selection}
          onSelectionChange={setSelection}
          total={total}
          viewKey={list.viewKey}
          onRowClick={(role) => go(paths.role(role._id))}
          rowActions={actionsOf}
          empty={
            list.active > 0 ? (
              <EmptyState
                kind="noMatch"
                title={roleText.noMatchTitle}
                text={roleText.noMatchText(list.text("name"))}
                action={{ label: roleText.showAll, onClick: list.clear }}
              />
            ) : (
              <EmptyState
                kind="none"
                title={roleText.noneTitle}
                text={roleText.noneText}
                {...(mayCreate ? { action: create } : {})}
              />
            )
          }
        />
      </ListLayout>
      <SetOwnerDialog {...batch} open={dialog?.kind === "owner"} onClose={() => setDialog(null)} />
      <DeleteRolesDialog
        {...batch}
        open={dialog?.kind === "delete"}
        onClose={() => {
          setDialog(null);
          setSelection(emptySelection);
        }}
      />
      <Outlet />
    </>
  );
}
