// The accounts that may be viewed: name, role, e-mail.
import { accountListQuery } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import Box from "@mui/material/Box";
import { failureText } from "../api/useFailure.ts";
import { useListState } from "../list-state.ts";
import { useCan } from "../session/useCan.ts";
import { DataTable } from "../ui/DataTable.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ListLayout } from "../ui/ListLayout.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { useTip } from "../ui/Tip.tsx";
import type { Column, Sort } from "../ui/columns.ts";
import { OwnerLink } from "./OwnerLink.tsx";
import { useAccounts } from "./account.queries.ts";
import { accountText } from "./account.text.ts";

const byName: Sort = [
  { id: "name", desc: false },
  { id: "role", desc: false },
];
const noRows: Account[] = [];

const columns: readonly Column<Account>[] = [
  { id: "name", header: accountText.name, cell: (account) => <OwnerLink owner={account} />, sortable: true },
  { id: "role", header: accountText.role, cell: (account) => <RoleName account={account} />, sortable: true },
  {
    id: "email",
    header: accountText.email,
    cell: (account) => account.credentials.map(({ email }) => email).join(", ") || "-",
  },
];

function RoleName({ account }: { account: Account }) {
  const { handlers, tip } = useTip(() => (account.role === null ? accountText.roleGone : undefined));
  return (
    <>
      <Box component="span" {...handlers}>
        {account.role?.name ?? "-"}
      </Box>
      {tip}
    </>
  );
}

export function AccountsPage() {
  const can = useCan();
  if (can.viewAnyAccount()) return <AccountList />;
  return (
    <>
      <PageHeader title={accountText.title} />
      <EmptyState kind="denied" title={accountText.deniedTitle} text={accountText.denied} />
    </>
  );
}

function AccountList() {
  const list = useListState(accountListQuery.shape, byName);
  const { data, isPending, isError, error, refetch } = useAccounts(list.query);
  const chip = (id: string, name: string) =>
    list.text(id) === "" ? [] : [{ id, name, value: list.text(id), onRemove: () => list.set({ [id]: undefined }) }];
  return (
    <ListLayout
      title={accountText.title}
      filters={
        <>
          <SearchField
            label={accountText.search}
            value={list.text("name")}
            onChange={(name) => list.set({ name }, "typed")}
          />
          <SearchField
            label={accountText.searchEmail}
            value={list.text("email")}
            onChange={(email) => list.set({ email }, "typed")}
          />
        </>
      }
      chips={[...chip("name", accountText.name), ...chip("email", accountText.email)]}
      onClear={list.clear}
      page={list.page}
      pageSize={list.pageSize}
      total={data?.total}
      onPageChange={list.setPage}
      failure={
        isError && data === undefined
          ? { title: accountText.loadFailed, text: failureText(error), onRetry: () => void refetch() }
          : undefined
      }
    >
      <DataTable
        label={accountText.title}
        columns={columns}
        rows={data?.objects ?? noRows}
        rowId={(account) => account._id}
        rowLabel={(account) => account.name}
        loading={isPending}
        sort={list.sort}
        onSortChange={list.setSort}
        viewKey={list.viewKey}
        empty={
          list.active > 0 ? (
            <EmptyState
              kind="noMatch"
              title={accountText.noMatchTitle}
              text={accountText.noMatchText}
              action={{ label: accountText.showAll, onClick: list.clear }}
            />
          ) : (
            <EmptyState kind="none" title={accountText.noneTitle} text={accountText.noneText} />
          )
        }
      />
    </ListLayout>
  );
}
