// The init token list (IT-01): name, type, firmware, owner; copy and delete per row; dialogs over it.
import { initTokenListQuery } from "@psp/contract/init-token/init-token.api.ts";
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import ContentCopyRounded from "@mui/icons-material/ContentCopyRounded";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { useFailure } from "../api/useFailure.ts";
import { nameFilter, useOwnerFilter } from "../entity/list-filters.tsx";
import { DeniedList, ListPage } from "../entity/list-page.tsx";
import { useListState } from "../address/list-state.ts";
import { paths } from "../address/paths.ts";
import { useCan, useMayCreate } from "../session/useCan.ts";
import { copyText } from "../ui/CopyButton.tsx";
import { Mono } from "../ui/Mono.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import type { Column, RowAction, Sort } from "../ui/table/columns.ts";
import { initToken } from "./init-token.entity.ts";
import { initTokenText } from "./init-token.text.ts";

const byName: Sort = [{ id: "name", desc: false }];

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
  const mayCreate = useMayCreate("sensor") === true;
  // Tokens count as sensors; who may only create them still sees the page, with what is theirs to see.
  return can.viewType("sensor") || mayCreate ? <InitTokenList /> : <DeniedList text={initTokenText} />;
}

function InitTokenList() {
  const list = useListState(initTokenListQuery.shape, byName);
  const copyAction = useCopyAction();
  return (
    <ListPage
      entity={initToken}
      text={initTokenText}
      list={list}
      answer={initToken.useList(list.query)}
      columns={columns}
      rowPath={({ _id }) => paths.initToken(_id)}
      rowActions={(token) => [copyAction(token)]}
      create={{ label: initTokenText.create, path: paths.newInitToken }}
      filters={[nameFilter(list, initTokenText), useOwnerFilter(list, initTokenText)]}
    />
  );
}

/** Copies the secret, for those who may see it. */
function useCopyAction(): (token: InitToken) => RowAction {
  const toasts = useToasts();
  const fail = useFailure();
  const copy = async ({ token }: InitToken) => {
    if (token !== undefined && (await copyText(token))) toasts.success(initTokenText.copied);
    else fail(initTokenText.copyFailed)(new Error(initTokenText.noCopy));
  };
  return (token) => ({
    label: initTokenText.copy(token.name),
    icon: <ContentCopyRounded />,
    onClick: () => void copy(token),
    disabledReason: token.token === undefined ? initTokenText.noCopy : undefined,
  });
}
