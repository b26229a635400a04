// Init token list with copy and delete, and its dialogs (IT-01).
import { initTokenListQuery } from "@psp/contract/init-token/init-token.api.ts";
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import ContentCopyRounded from "~icons/ic/round-content-copy";
import { useListState } from "../address/list-state.ts";
import { paths } from "../address/paths.ts";
import { useFailureToast } from "../api/useFailure.ts";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { EditOwned } from "../entity/EditOwned.tsx";
import { NewOwned } from "../entity/NewOwned.tsx";
import { nameFilter, useOwnerFilter } from "../entity/list/list-filters.tsx";
import { DeniedList } from "../entity/list/list-empty.tsx";
import { ListPage } from "../entity/list/list-page.tsx";
import {
  type NameAndOwner,
  NameAndOwnerFields,
  validateName,
  toNameAndOwnerChange,
  type OwnedFieldsProps,
  toOwnerRef,
} from "../entity/name-and-owner.tsx";
import { FirmwareSelect } from "../entity/reference/FirmwareSelect.tsx";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { type NamedRef, toReferenceFieldProps } from "../entity/reference/ReferenceSelect.tsx";
import { useCan, useMayCreate } from "../api/session/useCan.ts";
import { createHistoryTab } from "../audit/History.tsx";
import { copyText } from "../ui/CopyButton.tsx";
import { Mono } from "../ui/Mono.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { CopyField } from "../ui/form/CopyField.tsx";
import type { Column, RowAction, Sort } from "../ui/table/columns.ts";
import { initToken } from "./init-token.entity.ts";
import { initTokenText as text } from "./init-token.text.ts";

const byName: Sort = [{ id: "name", desc: false }];

const columns: readonly Column<InitToken>[] = [
  { id: "name", header: text.name, cell: (token) => token.name, sortable: true },
  { id: "type", header: text.type, cell: (token) => token.artifact?.type ?? "-", sortable: true, width: 132 },
  {
    id: "firmware",
    header: text.firmware,
    cell: ({ artifact }) => (artifact ? <Mono>{artifact.name}</Mono> : "-"),
    sortable: true,
    width: 140,
  },
  { id: "owner", header: text.owner, cell: (token) => <OwnerLink owner={token.owner} />, sortable: true },
];

export function InitTokensPage() {
  const can = useCan();
  const mayCreate = useMayCreate("sensor") === true;
  // Tokens share the rights of sensors. Users who may only create tokens see the page too.
  return can.viewType("sensor") || mayCreate ? <InitTokenList /> : <DeniedList text={text} />;
}

function InitTokenList() {
  const list = useListState(initTokenListQuery.shape, byName, { isPersisted: true });
  const copyAction = useCopyAction();
  return (
    <ListPage
      entity={initToken}
      text={text}
      list={list}
      answer={initToken.useList(list.query)}
      columns={columns}
      rowPath={({ _id }) => paths.initToken(_id)}
      rowActions={(token) => [copyAction(token)]}
      create={{ label: text.create, path: paths.newInitToken }}
      filters={[nameFilter(list, text), useOwnerFilter(list, text)]}
    />
  );
}

function useCopyAction(): (token: InitToken) => RowAction {
  const toasts = useToasts();
  const fail = useFailureToast();
  const copy = async ({ token }: InitToken) => {
    if (token !== undefined && (await copyText(token))) toasts.success(text.copied);
    else fail(text.copyFailed)(new Error(text.noCopy));
  };
  return (token) => ({
    label: text.copy(token.name),
    icon: <ContentCopyRounded />,
    onClick: () => void copy(token),
    disabledReason: token.token === undefined ? text.noCopy : undefined,
  });
}

type Fields = NameAndOwner & { firmware: NamedRef | null };

const empty: Fields = { name: "", owner: null, firmware: null };

const form = {
  toFields: (token: InitToken): Fields => ({
    name: token.name,
    owner: toOwnerRef(token),
    firmware: token.artifact && { id: token.artifact._id, name: `${token.artifact.type} ${token.artifact.name}` },
  }),
  toChange: (values: Fields, changed: readonly string[]) => ({
    ...toNameAndOwnerChange(values, changed),
    ...(changed.includes("firmware") ? { artifact: values.firmware?.id ?? null } : {}),
  }),
  errorsOf: ({ name, owner }: Fields) => ({
    name: validateName(name, text.nameRequired),
    owner: owner === null ? text.ownerRequired : undefined,
  }),
  Fields: TokenFields,
};

function TokenFields({ row, values, set, readOnly, ...rest }: OwnedFieldsProps<InitToken | undefined, Fields>) {
  const can = useCan();
  return (
    <>
      <NameAndOwnerFields
        {...rest}
        text={{ name: text.name, owner: text.owner }}
        values={values}
        onName={(name) => set("name", name)}
        onOwner={(owner) => set("owner", owner)}
        readOnly={readOnly}
      />
      {can.viewType("artifact") || values.firmware !== null ? (
        <FirmwareSelect
          label={text.firmware}
          {...toReferenceFieldProps(values.firmware, (firmware) => set("firmware", firmware))}
          readOnly={readOnly}
          placeholder={text.noFirmware}
          opens={!(row?.artifact?.isDeleted === true && values.firmware?.id === row.artifact._id)}
          helperText={row?.artifact?.isDeleted === true ? text.deletedFirmware : text.noFirmwareHint}
        />
      ) : null}
      {row?.token === undefined ? null : (
        <CopyField label={text.token} value={row.token} copyLabel={text.copy(row.name)} />
      )}
    </>
  );
}

const refusals = {
  none: { title: text.createFailed, text: text.noAccount },
  notAllowed: { title: text.createFailed, text: text.createForEmpty },
};

export function NewInitTokenDialog() {
  return (
    <NewOwned
      entity={initToken}
      form={form}
      text={text}
      refusals={refusals}
      empty={empty}
      toNew={({ name, firmware }, owner) => ({
        name,
        owner: owner.id,
        ...(firmware === null ? {} : { artifact: firmware.id }),
      })}
    />
  );
}

export const EditInitTokenDialog = () => (
  <EditOwned
    entity={initToken}
    form={form}
    text={text}
    noun="sensor token"
    tabs={({ _id }, mayEdit) => [createHistoryTab("init-token", _id, mayEdit)]}
  />
);

export const DeleteInitTokenDialog = () => <DeleteOwned entity={initToken} />;
