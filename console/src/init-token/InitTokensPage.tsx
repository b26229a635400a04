// The init token list (IT-01): name, type, firmware, owner; copy and delete per row; dialogs over it.
import { createSet } from "@psp/contract/permission/can.ts";
import { initTokenListQuery } from "@psp/contract/init-token/init-token.api.ts";
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import AddRounded from "@mui/icons-material/AddRounded";
import ContentCopyRounded from "@mui/icons-material/ContentCopyRounded";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import { Outlet } from "@tanstack/react-router";
import { useMemo } from "react";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { OwnerLink } from "../account/OwnerLink.tsx";
import { failureText, useFailure } from "../api/useFailure.ts";
import { useAccountName } from "../api/useNames.ts";
import { useListState } from "../list-state.ts";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useHoldsAnybody, useOwners } from "../session/useCan.ts";
import { copyText } from "../ui/CopyButton.tsx";
import { DataTable } from "../ui/DataTable.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { ListLayout } from "../ui/ListLayout.tsx";
import { Mono } from "../ui/Mono.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import type { Column, RowAction, Sort } from "../ui/columns.ts";
import { useInitTokens } from "./init-token.queries.ts";
import { initTokenText } from "./init-token.text.ts";

const byName: Sort = [{ id: "name", desc: false }];
const noRows: InitToken[] = [];
const tokenId = (token: InitToken) => token._id;

const columns: readonly Column<InitToken>[] = [
  { id: "name", header: initTokenText.name, cell: (token) => token.name, sortable: true },
  { id: "type", header: initTokenText.type, cell: (token) => token.artifact?.type ?? "-", sortable: true, width: 132 },
  {
    id: "firmware",
    header: initTokenText.firmware,
    cell: (token) => <Mono>{token.artifact?.name ?? "-"}</Mono>,
    sortable: true,
    width: 140,
  },
  { id: "owner", header: initTokenText.owner, cell: (token) => <OwnerLink owner={token.owner} />, sortable: true },
];

export function InitTokensPage() {
  const can = useCan();
  const mayCreate = useHoldsAnybody(useMemo(() => createSet(can.actor, "sensor"), [can.actor])) === true;
  // Tokens count as sensors; who may only create them still sees the page, with what is theirs to see.
  if (can.viewType("sensor") || mayCreate) return <InitTokenList mayCreate={mayCreate} />;
  return (
    <>
      <PageHeader title={initTokenText.title} />
      <EmptyState kind="denied" title={initTokenText.deniedTitle} text={initTokenText.denied} />
      <Outlet />
    </>
  );
}

function InitTokenList({ mayCreate }: { mayCreate: boolean }) {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const fail = useFailure();
  const list = useListState(initTokenListQuery.shape, byName);
  const { data, isPending, isError, error, refetch } = useInitTokens(list.query);
  const rows = data?.objects ?? noRows;
  const { ownerOf } = useOwners(rows.map((token) => token.owner._id));
  const owner = list.text("ownerID");
  const ownerName = useAccountName(owner || null);
  const create = { label: initTokenText.create, onClick: () => go(paths.newInitToken) };
  const copy = async ({ token }: InitToken) => {
    if (token !== undefined && (await copyText(token))) toasts.success(initTokenText.copied);
    else fail(initTokenText.copyFailed)(new Error(initTokenText.noCopy));
  };
  const actionsOf = (token: InitToken): RowAction[] => [
    {
      label: initTokenText.copy(token.name),
      icon: <ContentCopyRounded />,
      onClick: () => void copy(token),
      disabledReason: token.token === undefined ? initTokenText.noCopy : undefined,
    },
    ...(can.delete("sensor", ownerOf(token.owner._id))
      ? [
          {
            label: initTokenText.remove(token.name),
            icon: <DeleteOutlineRounded />,
            danger: true,
            onClick: () => go(paths.deleteInitToken(token._id)),
          },
        ]
      : []),
  ];
  const chip = (id: string, name: string, value: string | undefined) =>
    list.text(id) === "" ? [] : [{ id, name, value: value ?? "…", onRemove: () => list.set({ [id]: undefined }) }];
  return (
    <>
      <ListLayout
        title={initTokenText.title}
        primary={mayCreate ? { ...create, icon: <AddRounded /> } : undefined}
        filters={
          <>
            <SearchField
              label={initTokenText.search}
              value={list.text("name")}
              onChange={(name) => list.set({ name }, "typed")}
            />
            <AccountSelect
              label={initTokenText.owner}
              value={owner || null}
              onChange={(id) => list.set({ ownerID: id ?? undefined })}
              placeholder={initTokenText.any}
            />
          </>
        }
        chips={[
          ...chip("name", initTokenText.name, list.text("name")),
          ...chip("ownerID", initTokenText.owner, ownerName),
        ]}
        onClear={list.clear}
        page={list.page}
        pageSize={list.pageSize}
        total={data?.total}
        onPageChange={list.setPage}
        failure={
          isError && data === undefined
            ? { title: initTokenText.loadFailed, text: failureText(error), onRetry: () => void refetch() }
            : undefined
        }
      >
        <DataTable
          label={initTokenText.title}
          columns={columns}
          rows={rows}
          rowId={tokenId}
          rowLabel={(token) => token.name}
          loading={isPending}
          sort={list.sort}
          onSortChange={list.setSort}
          viewKey={list.viewKey}
          onRowClick={(token) => go(paths.initToken(token._id))}
          rowActions={actionsOf}
          empty={
            list.active > 0 ? (
              <EmptyState
                kind="noMatch"
                title={initTokenText.noMatchTitle}
                text={initTokenText.noMatchText}
                action={{ label: initTokenText.showAll, onClick: list.clear }}
              />
            ) : (
              <EmptyState
                kind="none"
                title={initTokenText.noneTitle}
                text={initTokenText.noneText}
                {...(mayCreate ? { action: create } : {})}
              />
            )
          }
        />
      </ListLayout>
      <Outlet />
    </>
  );
}
