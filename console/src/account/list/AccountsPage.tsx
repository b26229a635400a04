// The accounts page: filters, list or tree, who awaits review, batches, and the dialogs over it (spec 1 §2).
import { accountListQuery } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import AccountTreeOutlined from "@mui/icons-material/AccountTreeOutlined";
import PersonAddAltOutlined from "@mui/icons-material/PersonAddAltOutlined";
import UploadFileOutlined from "@mui/icons-material/UploadFileOutlined";
import ViewListOutlined from "@mui/icons-material/ViewListOutlined";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { type ReactNode, useMemo } from "react";
import { z } from "zod";
import { type ListAction, useListBatch } from "../../entity/batch/list-batch.tsx";
import { DeniedList, ListFrame, NoRows } from "../../entity/list-page.tsx";
import { useListState } from "../../address/list-state.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan } from "../../session/useCan.ts";
import { DataTable } from "../../ui/table/DataTable.tsx";
import { FormSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { SpeedDial } from "../../ui/SpeedDial.tsx";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { DeleteAccountsDialog, SetRoleDialog } from "./AccountBatchDialogs.tsx";
import { accountFilters, useAccountFilters } from "./useAccountFilters.tsx";
import { AccountTree, FoundTree } from "./AccountTree.tsx";
import { AwaitingReview } from "./AwaitingReview.tsx";
import { OwnerLink } from "../../entity/reference/OwnerLink.tsx";
import { RoleName } from "./RoleName.tsx";
import { useAccounts, useAccountsById } from "../account.queries.ts";
import { treeOf } from "../account.rules.ts";
import { accountText } from "../account.text.ts";
import { useAccountActions } from "./useAccountActions.tsx";

const byName: Sort = [
  { id: "name", desc: false },
  { id: "role", desc: false },
];
const noRows: Account[] = [];

/** What the address may say; the tree is the default and not written. */
const { ids: _ids, parentID: _parent, exclude: _exclude, topLevel: _top, ...addressed } = accountListQuery.shape;
const addressShape = { ...addressed, viewType: z.enum(["list", "tree"]).optional() };

const columns: readonly Column<Account>[] = [
  { id: "name", header: accountText.name, cell: (account) => <OwnerLink owner={account} />, sortable: true },
  { id: "role", header: accountText.role, cell: (account) => <RoleName account={account} />, sortable: true },
];

const batchActions: readonly ListAction[] = [
  { label: accountText.setRole, dialog: (props) => <SetRoleDialog {...props} /> },
  { label: accountText.deleteMany, danger: true, dialog: (props) => <DeleteAccountsDialog {...props} /> },
];

export function AccountsPage() {
  return useCan().viewAnyAccount() ? <Accounts /> : <DeniedList text={accountText} />;
}

function Accounts() {
  const can = useCan();
  const go = useGo();
  const list = useListState(addressShape, byName);
  const inTree = list.text("viewType") !== "list";
  const filtered = accountFilters.some((name) => list.text(name) !== "");
  const { viewType: _view, ...query } = list.query;
  // The whole tree asks for itself, level by level.
  const wholeTree = inTree && !filtered;
  const answer = useAccounts(query, !wholeTree);
  const { data, isPending } = answer;
  const { viewType: _shown, ...filtersSet } = list.filters;
  const filters = useAccountFilters(list);
  const clear = () => list.set(Object.fromEntries(accountFilters.map((name) => [name, undefined])));
  const total = data?.total ?? 0;
  const rows = data?.objects ?? noRows;
  const actionsOf = useAccountActions(inTree ? noRows : rows);
  const empty = <NoRows text={accountText} filtered={filtered} onShowAll={clear} />;
  const batch = useListBatch(filtersSet, batchActions, { total, none: inTree });
  return (
    <ListFrame
      text={accountText}
      list={list}
      answer={answer}
      batch={batch}
      filters={filters}
      onClear={clear}
      total={wholeTree ? undefined : data?.total}
      action={
        can.createAccount() ? (
          <SpeedDial
            label={accountText.add}
            items={[
              {
                label: accountText.importFromCsv,
                icon: <UploadFileOutlined />,
                onClick: () => go(paths.importAccounts),
              },
              { label: accountText.addByHand, icon: <PersonAddAltOutlined />, onClick: () => go(paths.newAccount) },
            ]}
          />
        ) : undefined
      }
      toolbar={
        <ToggleButtonGroup
          exclusive
          size="small"
          aria-label={accountText.view}
          value={inTree ? "tree" : "list"}
          onChange={(_, view: string | null) =>
            view === null ? undefined : list.set({ viewType: view === "tree" ? undefined : view })
          }
        >
          <ToggleButton value="list" aria-label={accountText.listView}>
            <ViewListOutlined fontSize="small" />
          </ToggleButton>
          <ToggleButton value="tree" aria-label={accountText.treeView}>
            <AccountTreeOutlined fontSize="small" />
          </ToggleButton>
        </ToggleButtonGroup>
      }
    >
      <AwaitingReview />
      {wholeTree ? <AccountTree empty={empty} /> : null}
      {inTree && filtered ? <Found rows={rows} loading={isPending} empty={empty} /> : null}
      {inTree ? null : (
        <DataTable
          label={accountText.title}
          columns={columns}
          rows={rows}
          rowId={(account) => account._id}
          rowLabel={(account) => account.name}
          loading={isPending}
          sort={list.sort}
          onSortChange={list.setSort}
          selection={batch.selection}
          onSelectionChange={batch.setSelection}
          total={total}
          viewKey={list.viewKey}
          awaited={answer.isPlaceholderData}
          onRowClick={(account) => go(paths.account(account._id))}
          rowActions={actionsOf}
          empty={empty}
        />
      )}
    </ListFrame>
  );
}

/** Hits in the tree, with the ancestors that may be seen. */
function Found({ rows, loading, empty }: { rows: readonly Account[]; loading: boolean; empty: ReactNode }) {
  const { actor } = useCan();
  const ids = useMemo(() => {
    const known = new Set([...actor.parentAccounts, ...rows.map(({ _id }) => _id)]);
    return [...new Set(rows.flatMap(({ parentAccounts }) => parentAccounts))].filter((id) => !known.has(id)).toSorted();
  }, [rows, actor.parentAccounts]);
  const { data: ancestors = noRows } = useAccountsById(ids);
  const nodes = useMemo(() => {
    const wanted = new Set(ids);
    return treeOf(
      rows,
      ancestors.filter(({ _id }) => wanted.has(_id)),
    );
  }, [rows, ancestors, ids]);
  if (loading) return <FormSkeleton />;
  return rows.length === 0 ? empty : <FoundTree nodes={nodes} />;
}
