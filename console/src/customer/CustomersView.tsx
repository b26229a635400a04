// Health of customers: a row per direct sub-account, the worst trouble first (docs/rules/customers.md#page).
import type { Customer } from "@psp/contract/customer/customer.api.ts";
import { customerListQuery } from "@psp/contract/customer/customer.query.ts";
import { type Trouble, troubles } from "@psp/contract/customer/trouble.ts";
import ManageAccountsOutlined from "~icons/ic/outline-manage-accounts";
import { Box } from "@mui/material";
import { type ReactNode, useMemo } from "react";
import { z } from "zod";
import { formatSearch } from "../address/address.ts";
import { type ListState, useListState } from "../address/list-state.ts";
import { AppLink, useGo, useHref } from "../address/navigation.tsx";
import { useOpenedRow } from "../address/opened-rows.ts";
import { paths } from "../address/paths.ts";
import { useCan } from "../api/session/useCan.ts";
import { choiceFilter, nameFilter } from "../entity/list/list-filters.tsx";
import { EmptyList } from "../entity/list/list-empty.tsx";
import { ListFrame } from "../entity/list/list-frame.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { DataTable } from "../ui/table/DataTable.tsx";
import type { Sort } from "../ui/table/columns.ts";
import { customerColumns } from "./customer-columns.tsx";
import { useCustomers, useTrail } from "./customer.queries.ts";
import { customerText as text } from "./customer.text.ts";

/** The server orders customers with equally many errors by their other trouble. */
const worstFirst: Sort = [{ id: "errors", desc: true }];
const addressShape = { ...customerListQuery.shape, viewType: z.literal("health").optional() };
const noRows: Customer[] = [];
const kinds = troubles.map((kind): [Trouble, string] => [kind, text.troubles[kind]]);

const healthUrl = (parentID?: string) => paths.accounts + formatSearch({ viewType: "health", parentID });

export function CustomersView({
  viewSwitch,
  action,
}: {
  viewSwitch: (list: ListState) => ReactNode;
  action: ReactNode;
}) {
  const can = useCan();
  const go = useGo();
  const address = useHref();
  const { opened, note } = useOpenedRow();
  const list = useListState(addressShape, worstFirst, { isPersisted: true });
  const { viewType: _view, ...query } = list.query;
  const answer = useCustomers(query);
  const { data } = answer;
  const parent = list.text("parentID");
  const sees = [can.viewType("sensor"), can.viewType("artifact"), can.viewType("measurement")] as const;
  const [sensors, firmware, locations] = sees;
  const columns = useMemo(() => customerColumns({ sensors, firmware, locations }), [sensors, firmware, locations]);
  const clear = () => list.set({ name: undefined, trouble: undefined });
  const filtered = list.text("name") !== "" || list.text("trouble") !== "";
  /** A row without sub-accounts opens the account itself. */
  const pathOf = ({ _id, children }: Customer) => (children > 0 ? healthUrl(_id) : address(paths.account(_id)));
  return (
    <ListFrame
      text={text}
      list={list}
      answer={answer}
      filters={[
        nameFilter(list, text),
        ...(sensors ? [choiceFilter(list, "trouble", { label: text.troubleFilter, any: text.any }, kinds)] : []),
      ]}
      onClear={clear}
      // The view switch must stay even without customers.
      total={data?.total === 0 ? undefined : data?.total}
      action={action}
      toolbar={viewSwitch(list)}
    >
      {parent === "" ? null : <Trail id={parent} />}
      <DataTable
        label={text.tableTitle}
        columns={columns}
        rows={data?.objects ?? noRows}
        rowId={({ _id }) => _id}
        rowLabel={({ name }) => name}
        loading={answer.isPending}
        sort={list.sort}
        onSortChange={list.setSort}
        total={data?.total ?? 0}
        viewKey={list.viewKey}
        isPlaceholder={answer.isPlaceholderData}
        rowHref={pathOf}
        onRowClick={(row) => {
          note(row._id);
          go(pathOf(row), { query: "none" });
        }}
        returnTo={opened}
        searchText={list.text("name")}
        rowActions={({ _id, name }) => [
          {
            label: text.open(name),
            icon: <ManageAccountsOutlined />,
            onClick: () => {
              note(_id);
              go(paths.account(_id));
            },
          },
        ]}
        empty={
          parent !== "" && !filtered ? (
            <EmptyState kind="none" title={text.noneTitle} text={text.noneBelow} />
          ) : (
            <EmptyList text={text} filtered={filtered} onShowAll={clear} />
          )
        }
      />
    </ListFrame>
  );
}

function Trail({ id }: { id: string }) {
  const trail = useTrail(id);
  return (
    <Box component="nav" aria-label={text.trail}>
      <Box
        component="ol"
        sx={{
          listStyle: "none",
          m: 0,
          p: 0,
          display: "flex",
          flexWrap: "wrap",
          minHeight: 24,
          "& > li + li::before": { content: '"/"', mx: 2, color: "text.secondary" },
        }}
      >
        <li>
          <AppLink to={healthUrl()} query="none">
            {text.all}
          </AppLink>
        </li>
        {trail.map(({ _id, name }) => (
          <li key={_id}>
            {_id === id ? (
              <Box component="span" aria-current="page" sx={{ fontWeight: 600 }}>
                {name}
              </Box>
            ) : (
              <AppLink to={healthUrl(_id)} query="none">
                {name}
              </AppLink>
            )}
          </li>
        ))}
      </Box>
    </Box>
  );
}
