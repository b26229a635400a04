// Creating, editing and deleting an init token: name, owner, firmware (IT-01, spec 2 §2, §5).
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { EditOwned } from "../entity/EditOwned.tsx";
import {
  type NameAndOwner,
  nameAndOwnerChange,
  NameAndOwnerFields,
  nameProblem,
  type OwnedFieldsProps,
  ownerRef,
} from "../entity/name-and-owner.tsx";
import { NewOwned } from "../entity/NewOwned.tsx";
import { FirmwareSelect } from "../entity/reference/FirmwareSelect.tsx";
import { useCan } from "../session/useCan.ts";
import { CopyField } from "../ui/form/CopyField.tsx";
import { initToken } from "./init-token.entity.ts";
import { initTokenText as text } from "./init-token.text.ts";

type Fields = NameAndOwner & { firmware: { id: string; name: string } | null };

const empty: Fields = { name: "", owner: null, firmware: null };

const form = {
  toFields: (token: InitToken): Fields => ({
    name: token.name,
    owner: ownerRef(token),
    firmware: token.artifact && { id: token.artifact._id, name: `${token.artifact.type} ${token.artifact.name}` },
  }),
  toChange: (values: Fields, changed: readonly string[]) => ({
    ...nameAndOwnerChange(values, changed),
    ...(changed.includes("firmware") ? { artifact: values.firmware?.id ?? null } : {}),
  }),
  errorsOf: ({ name, owner }: Fields) => ({
    name: nameProblem(name, text.nameRequired),
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
          value={values.firmware?.id ?? null}
          valueName={values.firmware?.name}
          onChange={(id, name) => set("firmware", id === null ? null : { id, name })}
          readOnly={readOnly}
          placeholder={text.noFirmware}
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

export function EditInitTokenDialog() {
  return <EditOwned entity={initToken} form={form} text={text} noun="sensor token" />;
}

export function DeleteInitTokenDialog() {
  return <DeleteOwned entity={initToken} />;
}
