// Creating and editing an init token: name, owner, firmware (IT-01, spec 2 §5).
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { useMemo, useState } from "react";
import {
  isAnyWrong,
  type NameAndOwner,
  type NameAndOwnerErrors,
  NameAndOwnerFields,
  nameProblem,
} from "../entity/name-and-owner.tsx";
import { useFailure } from "../api/useFailure.ts";
import { useDraft, useFields } from "../entity/draft.ts";
import { EditDialog } from "../entity/edit-dialog.tsx";
import { FirmwareSelect } from "../entity/reference/FirmwareSelect.tsx";
import { useLoadedWithOwner } from "../entity/loaded.ts";
import { useGoFromHere, useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan } from "../session/useCan.ts";
import { type OwnerChoice, useCreation, useNewOwners } from "../entity/owner-choice.ts";
import { CopyField } from "../ui/form/CopyField.tsx";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { Opening } from "../ui/feedback/Opening.tsx";
import { useCreateInitToken, useInitToken, useUpdateInitToken } from "./init-token.queries.ts";
import { initTokenText } from "./init-token.text.ts";

type Fields = NameAndOwner & { firmware: { id: string; name: string } | null };

function tokenErrors({ name, owner }: Fields): NameAndOwnerErrors {
  return {
    name: nameProblem(name, initTokenText.nameRequired),
    owner: owner === null ? initTokenText.ownerRequired : undefined,
  };
}

type FieldsProps = {
  values: Fields;
  set: <K extends keyof Fields>(name: K, value: Fields[K]) => void;
  submitted: boolean;
  readOnly: boolean;
  owners: OwnerChoice;
  firmwareHint?: string | undefined;
};

function TokenFields({ values, set, submitted, readOnly, owners, firmwareHint }: FieldsProps) {
  const can = useCan();
  const { name, owner } = initTokenText;
  return (
    <>
      <NameAndOwnerFields
        text={{ name, owner }}
        values={values}
        onName={(typed) => set("name", typed)}
        onOwner={(chosen) => set("owner", chosen)}
        errors={tokenErrors(values)}
        submitted={submitted}
        readOnly={readOnly}
        owners={owners}
      />
      {can.viewType("artifact") || values.firmware !== null ? (
        <FirmwareSelect
          label={initTokenText.firmware}
          value={values.firmware?.id ?? null}
          valueName={values.firmware?.name}
          onChange={(id, name) => set("firmware", id === null ? null : { id, name })}
          readOnly={readOnly}
          placeholder={initTokenText.noFirmware}
          helperText={firmwareHint ?? initTokenText.noFirmwareHint}
        />
      ) : null}
    </>
  );
}

const refusals = {
  none: { title: initTokenText.createFailed, text: initTokenText.noAccount },
  notAllowed: { title: initTokenText.createFailed, text: initTokenText.createForEmpty },
};
const empty: Fields = { name: "", owner: null, firmware: null };

export function NewInitTokenDialog() {
  const go = useGoFromHere();
  const fail = useFailure();
  const create = useCreateInitToken();
  const { mayCreate, owners } = useCreation("sensor", paths.initTokens, refusals);
  const { values, set } = useFields(empty);
  const [submitted, setSubmitted] = useState(false);
  const submit = async () => {
    setSubmitted(true);
    if (isAnyWrong(tokenErrors(values)) || values.owner === null) return;
    try {
      await create.mutateAsync({
        name: values.name,
        owner: values.owner.id,
        ...(values.firmware === null ? {} : { artifact: values.firmware.id }),
      });
      go(paths.initTokens, { replace: true });
    } catch (error) {
      fail(initTokenText.createFailed)(error);
    }
  };
  return (
    <FormDialog
      open={mayCreate}
      title={initTokenText.newTitle}
      submitLabel="Create"
      dirty={values.name !== "" || values.firmware !== null}
      onSubmit={submit}
      onClose={() => go(paths.initTokens, { replace: true })}
    >
      <TokenFields values={values} set={set} submitted={submitted} readOnly={false} owners={owners} />
    </FormDialog>
  );
}

export function EditInitTokenDialog() {
  const loaded = useLoadedWithOwner(useInitToken(useParam("id")), initTokenText.loadFailed, paths.initTokens);
  return loaded === undefined ? (
    <Opening />
  ) : (
    <EditForm key={loaded.object._id} token={loaded.object} owner={loaded.owner} />
  );
}

function EditForm({ token, owner }: { token: InitToken; owner: Owner }) {
  const can = useCan();
  const fail = useFailure();
  const update = useUpdateInitToken(token._id);
  const readOnly = !can.edit("sensor", owner);
  const current = useMemo<Fields>(
    () => ({
      name: token.name,
      owner: { id: token.owner._id, name: token.owner.name },
      firmware:
        token.artifact === null
          ? null
          : { id: token.artifact._id, name: `${token.artifact.type} ${token.artifact.name}` },
    }),
    [token],
  );
  const draft = useDraft(current, token.version);
  const { values, changed, set } = draft;
  const owners = useNewOwners("sensor", owner, "sensor token");
  return (
    <EditDialog
      title={token.name}
      subtitle={initTokenText.subtitle}
      subject={initTokenText.subject}
      readOnly={readOnly}
      draft={draft}
      isWrong={isAnyWrong(tokenErrors(values))}
      save={(seen) => {
        const change = {
          ...(changed.includes("name") ? { name: values.name } : {}),
          ...(changed.includes("owner") && values.owner !== null ? { owner: values.owner.id } : {}),
          ...(changed.includes("firmware") ? { artifact: values.firmware?.id ?? null } : {}),
        };
        return update.mutateAsync({ change, ...seen });
      }}
      onFailure={fail(initTokenText.updateFailed)}
      back={paths.initTokens}
    >
      {(submitted) => (
        <>
          <TokenFields
            values={values}
            set={set}
            submitted={submitted}
            readOnly={readOnly}
            owners={owners}
            firmwareHint={token.artifact?.isDeleted === true ? initTokenText.deletedFirmware : undefined}
          />
          {token.token === undefined ? null : (
            <CopyField label={initTokenText.token} value={token.token} copyLabel={initTokenText.copy(token.name)} />
          )}
        </>
      )}
    </EditDialog>
  );
}
