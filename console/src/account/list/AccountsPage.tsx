// The accounts page with a list, a tree or the health of customers, and its dialogs (docs/rules/accounts.md#accounts-page).
import { accountListQuery } from "@psp/contract/account/account.query.ts";
import type { Account } from "@psp/contract/account/account.ts";
import MailOutlineRounded from "~icons/ic/round-mail-outline";
import PersonAddAltOutlined from "~icons/ic/outline-person-add-alt";
import UploadFileOutlined from "~icons/ic/outline-upload-file";
import { Box, Button, Card, Chip, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { z } from "zod";
import { type ListAction, useListBatch } from "../../entity/batch/list-batch.tsx";
import {
  choiceFilter,
  type ListFilter,
  nameFilter,
  textFilter,
  useReferenceFilter,
} from "../../entity/list/list-filters.tsx";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import { RoleSelect } from "../../entity/reference/RoleSelect.tsx";
import { DeniedList, EmptyList } from "../../entity/list/list-empty.tsx";
import { ListFrame } from "../../entity/list/list-frame.tsx";
import { type ListState, useListState } from "../../address/list-state.ts";
import { AppLink, useHref, useGo, useLink, useSearchParams } from "../../address/navigation.tsx";
import { useOpenedRow } from "../../address/opened-rows.ts";
import { paths } from "../../address/paths.ts";
import { useCan } from "../../api/session/useCan.ts";
import { CustomersView } from "../../customer/CustomersView.tsx";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { DataTable } from "../../ui/table/DataTable.tsx";
import { RowActions } from "../../ui/table/row/RowActions.tsx";
import { FormSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { SpeedDial } from "../../ui/SpeedDial.tsx";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { DeleteAccountsDialog, SetRoleDialog } from "./AccountBatchDialogs.tsx";
import { AccountTree, LoadedTree } from "./AccountTree.tsx";
import { OwnerLink } from "../../entity/reference/OwnerLink.tsx";
import { RoleName } from "./AccountTreeRow.tsx";
import { useAccounts, useAccountsById, useWholeTree } from "../account.queries.ts";
import { treeOf } from "../account.rules.ts";
import { accountText as text } from "../account.text.ts";
import { useAccountActions } from "./useAccountActions.tsx";
import { ViewSwitch } from "./ViewSwitch.tsx";

const byName: Sort = [
  { id: "name", desc: false },
  { id: "role", desc: false },
];
const noRows: Account[] = [];

/** URL parameters of the page. The tree is the default view, so the URL omits it. */
const { ids: _ids, exclude: _exclude, topLevel: _top, ...addressed } = accountListQuery.shape;
const addressShape = { ...addressed, viewType: z.enum(["list", "tree"]).optional() };

const columns: readonly Column<Account>[] = [
  { id: "name", header: text.name, cell: (account) => <OwnerLink owner={account} />, sortable: true },
  { id: "role", header: text.role, cell: (account) => <RoleName account={account} />, sortable: true },
];

const batchActions: readonly ListAction[] = [
  { label: text.setRole, dialog: (props) => <SetRoleDialog {...props} /> },
  { label: text.deleteMany, danger: true, dialog: (props) => <DeleteAccountsDialog {...props} /> },
];

const filterNames = ["name", "email", "roleID", "accountState", "parentID"] as const;

function useAccountFilters(list: ListState): ListFilter[] {
  const { any } = text;
  return [
    nameFilter(list, text),
    textFilter(list, "email", { search: text.searchEmail, name: text.email }),
    useReferenceFilter({
      list,
      name: "roleID",
      type: "role",
      text: { label: text.role, any },
      select: useCan().viewType("role") ? (field) => <RoleSelect {...field} /> : null,
    }),
    choiceFilter(list, "accountState", { label: text.state, any }, text.states),
    useReferenceFilter({
      list,
      name: "parentID",
      type: "account",
      text: { label: text.parentFilter, any },
      select: (field) => <AccountSelect {...field} />,
    }),
  ];
}

export function AccountsPage() {
  const can = useCan();
  const { viewType } = useSearchParams();
  if (!can.viewAnyAccount()) return <DeniedList text={text} />;
  if (viewType !== "health") return <Accounts />;
  return (
    <CustomersView
      viewSwitch={(list) => <ViewSwitch list={list} view="health" />}
      action={can.createAccount() ? <AddAccount /> : undefined}
    />
  );
}

function Accounts() {
  const can = useCan();
  const go = useGo();
  const address = useHref();
  const { opened, note } = useOpenedRow();
  const list = useListState(addressShape, byName, { isPersisted: true });
  const inTree = list.text("viewType") !== "list";
  const filtered = filterNames.some((name) => list.text(name) !== "");
  const { viewType: _view, ...query } = list.query;
  // The tree fetches its own data.
  const wholeTree = inTree && !filtered;
  const answer = useAccounts(query, !wholeTree);
  const { data, isPending } = answer;
  const { viewType: _shown, ...filtersSet } = list.filters;
  const filters = useAccountFilters(list);
  const clear = () => list.set(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  const total = data?.total ?? 0;
  const rows = data?.objects ?? noRows;
  const actionsOf = useAccountActions(inTree ? noRows : rows);
  const tree = useWholeTree(wholeTree || filtered);
  const create = { label: text.addByHand, onClick: () => go(paths.newAccount) };
  const empty = (
    <EmptyList text={text} filtered={filtered} onShowAll={clear} create={can.createAccount() ? create : undefined} />
  );
  const batch = useListBatch(filtersSet, batchActions, { total, none: inTree });
  return (
    <ListFrame
      text={text}
      list={list}
      answer={answer}
      batch={batch}
      filters={filters}
      onClear={clear}
      total={wholeTree ? undefined : data?.total}
      all={tree.data?.total}
      action={can.createAccount() ? <AddAccount /> : undefined}
      toolbar={<ViewSwitch list={list} view={inTree ? "tree" : "list"} />}
    >
      <AwaitingReview />
      {wholeTree ? <AccountTree empty={empty} /> : null}
      {inTree && filtered ? <Found rows={rows} loading={isPending} empty={empty} /> : null}
      {inTree ? null : (
        <DataTable
          label={text.title}
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
          isPlaceholder={answer.isPlaceholderData}
          rowHref={({ _id }) => address(paths.account(_id))}
          onRowClick={({ _id }) => {
            note(_id);
            go(paths.account(_id));
          }}
          returnTo={opened}
          searchText={list.text("name")}
          rowActions={actionsOf}
          empty={empty}
        />
      )}
    </ListFrame>
  );
}

function AddAccount() {
  const go = useGo();
  return (
    <SpeedDial
      label={text.add}
      items={[
        ...(useCan().invite()
          ? [{ label: text.invite, icon: <MailOutlineRounded />, onClick: () => go(paths.inviteColleague) }]
          : []),
        { label: text.importFromCsv, icon: <UploadFileOutlined />, onClick: () => go(paths.importAccounts) },
        { label: text.addByHand, icon: <PersonAddAltOutlined />, onClick: () => go(paths.newAccount) },
      ]}
    />
  );
}

function Found({ rows, loading, empty }: { rows: readonly Account[]; loading: boolean; empty: ReactNode }) {
  const { actor } = useCan();
  const known = new Set([...actor.parentAccounts, ...rows.map(({ _id }) => _id)]);
  const above = new Set(rows.flatMap(({ parentAccounts }) => parentAccounts).filter((id) => !known.has(id)));
  const { data: ancestors = noRows } = useAccountsById([...above].toSorted());
  if (loading) return <FormSkeleton />;
  if (rows.length === 0) return empty;
  const shown = ancestors.filter(({ _id }) => above.has(_id));
  return <LoadedTree nodes={treeOf(rows, shown)} />;
}

const shownReviews = 5;
const reviewQuery = { accountState: "-1", limit: String(shownReviews), sortBy: ["createdAt"] };

function AwaitingReview() {
  const { data } = useAccounts(reviewQuery);
  const actionsOf = useAccountActions(data?.objects ?? []);
  const all = useLink(`${paths.accounts}?accountState=-1&viewType=list`, "none");
  if (data === undefined || data.objects.length === 0) return null;
  return (
    <Card component="section" aria-label={text.awaiting} sx={{ flex: "none", px: 4, py: 3, mb: 2 }}>
      <Box sx={{ display: "flex", alignItems: "center", gap: 4, minHeight: 32 }}>
        <Typography variant="h2" sx={{ mr: "auto" }}>
          {text.awaiting}
        </Typography>
        {data.total > shownReviews ? (
          <Button component="a" size="small" {...all}>
            {text.showAllAwaiting(data.total)}
          </Button>
        ) : null}
      </Box>
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0 }}>
        {data.objects.map((account) => (
          <Box
            component="li"
            key={account._id}
            sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 3, minHeight: 40 }}
          >
            <Box sx={{ minWidth: 0, fontWeight: 600 }}>
              <Ellipsis>
                <AppLink to={paths.account(account._id)} color="inherit" sx={{ lineHeight: "24px" }}>
                  {account.name}
                </AppLink>
              </Ellipsis>
            </Box>
            <Box sx={{ minWidth: 0, color: "text.secondary" }}>
              <Ellipsis>{account.credentials.map(({ email }) => email).join(", ")}</Ellipsis>
            </Box>
            <Chip size="small" color="warning" variant="outlined" label={text.toReview} />
            <Box sx={{ ml: "auto" }}>
              <RowActions actions={actionsOf(account, "edit")} />
            </Box>
          </Box>
        ))}
      </Box>
    </Card>
  );
}
