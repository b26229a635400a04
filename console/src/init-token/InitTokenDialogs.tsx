// Creating and editing an init token: name, owner, firmware (IT-01, spec 2 §5).
import { createSet } from "@psp/contract/permission/can.ts";
import { initTokenName } from "@psp/contract/init-token/init-token.ts";
import { serverErrors } from "@psp/contract/errors.ts";
import { breaksInputRule } from "@psp/contract/kit/safe-text.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import { useCallback, useEffect, useMemo, useState } from "react";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { CallError } from "../api/call.ts";
import { failureText, useFailure } from "../api/useFailure.ts";
import { useDraft } from "../draft.ts";
import { FirmwareSelect } from "../firmware/FirmwareSelect.tsx";
import { useGo, useParam } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useHoldsAnybody, useOwners } from "../session/useCan.ts";
import { ConflictDialog } from "../ui/ConflictDialog.tsx";
import { CopyButton } from "../ui/CopyButton.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { Mono } from "../ui/Mono.tsx";
import { useCreateInitToken, useInitToken, useUpdateInitToken } from "./init-token.queries.ts";
import { initTokenText } from "./init-token.text.ts";

type Ref = { id: string; name: string };
type Fields = { name: string; owner: Ref | null; firmware: Ref | null };

function check(values: Fields): { name?: string; owner?: string } {
  const name = initTokenName.safeParse(values.name);
  return {
    ...(name.success
      ? {}
      : { name: breaksInputRule(values.name) ? serverErrors[400].message : (name.error.issues[0]?.message ?? "") }),
    ...(values.owner === null ? { owner: initTokenText.ownerRequired } : {}),
  };
}

type FieldsProps = {
  values: Fields;
  set: <K extends keyof Fields>(name: K, value: Fields[K]) => void;
  submitted: boolean;
  readOnly: boolean;
  allowOwner: (owner: Owner) => boolean;
  preselectOwner?: boolean;
  firmwareHint?: string;
};

function TokenFields({
  values,
  set,
  submitted,
  readOnly,
  allowOwner,
  preselectOwner = false,
  firmwareHint,
}: FieldsProps) {
  const can = useCan();
  const [left, setLeft] = useState(false);
  const errors = check(values);
  const nameError = submitted || left ? errors.name : undefined;
  return (
    <>
      <TextField
        label={initTokenText.name}
        value={values.name}
        onChange={(event) => set("name", event.target.value)}
        onBlur={() => setLeft(true)}
        error={nameError !== undefined}
        helperText={nameError}
        autoComplete="off"
        required
        slotProps={{ input: { readOnly } }}
      />
      <AccountSelect
        label={initTokenText.owner}
        value={values.owner?.id ?? null}
        valueName={values.owner?.name}
        onChange={useCallback(
          (id: string | null, name: string) => set("owner", id === null ? null : { id, name }),
          [set],
        )}
        allow={allowOwner}
        preselect={preselectOwner}
        error={submitted ? errors.owner : undefined}
        readOnly={readOnly}
        clearable={false}
        required
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

export function NewInitTokenDialog() {
  const can = useCan();
  const go = useGo();
  const fail = useFailure();
  const create = useCreateInitToken();
  const mayCreate = useHoldsAnybody(useMemo(() => createSet(can.actor, "sensor"), [can.actor]));
  const allowOwner = useCallback((owner: Owner) => can.createFor("sensor", owner), [can]);
  const [values, setValues] = useState<Fields>({ name: "", owner: null, firmware: null });
  const [submitted, setSubmitted] = useState(false);
  const set = useCallback(
    <K extends keyof Fields>(name: K, value: Fields[K]) => setValues((before) => ({ ...before, [name]: value })),
    [],
  );
  useEffect(() => {
    if (mayCreate !== false) return;
    fail(initTokenText.createFailed)(new Error(initTokenText.createForEmpty));
    go(paths.initTokens, { replace: true });
  }, [mayCreate, fail, go]);
  const submit = async () => {
    setSubmitted(true);
    if (Object.keys(check(values)).length > 0 || values.owner === null) return;
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
      open={mayCreate === true}
      title={initTokenText.newTitle}
      submitLabel="Create"
      dirty={values.name !== "" || values.firmware !== null}
      onSubmit={submit}
      onClose={() => go(paths.initTokens, { replace: true })}
    >
      <TokenFields
        values={values}
        set={set}
        submitted={submitted}
        readOnly={false}
        allowOwner={allowOwner}
        preselectOwner
      />
    </FormDialog>
  );
}

const nothing: Fields = { name: "", owner: null, firmware: null };

export function EditInitTokenDialog() {
  const id = useParam("id");
  const can = useCan();
  const go = useGo();
  const fail = useFailure();
  const { data: token, isPlaceholderData, isError, error } = useInitToken(id);
  const { ownerOf, ready } = useOwners(token === undefined ? [] : [token.owner._id]);
  const update = useUpdateInitToken(id);
  const [submitted, setSubmitted] = useState(false);
  const [conflict, setConflict] = useState(false);
  const current = useMemo<Fields>(
    () =>
      token === undefined
        ? nothing
        : {
            name: token.name,
            owner: { id: token.owner._id, name: token.owner.name },
            firmware:
              token.artifact === null
                ? null
                : { id: token.artifact._id, name: `${token.artifact.type} ${token.artifact.name}` },
          },
    [token],
  );
  const { values, changed, baseVersion, set, discard } = useDraft(current, token?.version ?? 0);
  const owner = token === undefined ? null : ownerOf(token.owner._id);
  const allowOwner = useCallback(
    (candidate: Owner) => owner !== null && (candidate.id === owner.id || can.changeOwner("sensor", owner, candidate)),
    [can, owner],
  );
  const close = () => go(paths.initTokens, { replace: true });
  useEffect(() => {
    if (!isError) return;
    fail(initTokenText.loadFailed)(new Error(failureText(error)));
    go(paths.initTokens, { replace: true });
  }, [isError, error, fail, go]);
  if (token === undefined || owner === null || isError) return null;

  const save = async (overwrite: boolean) => {
    setConflict(false);
    setSubmitted(true);
    if (Object.keys(check(values)).length > 0) return;
    if (changed.length === 0) return close();
    const change = {
      ...(changed.includes("name") ? { name: values.name } : {}),
      ...(changed.includes("owner") && values.owner !== null ? { owner: values.owner.id } : {}),
      ...(changed.includes("firmware") ? { artifact: values.firmware?.id ?? null } : {}),
    };
    try {
      await update.mutateAsync({ change, ...(overwrite ? {} : { version: baseVersion }) });
      close();
    } catch (failure) {
      if (failure instanceof CallError && failure.status === 412) setConflict(true);
      else fail(initTokenText.updateFailed)(failure);
    }
  };
  return (
    <>
      <FormDialog
        open={ready && !isPlaceholderData}
        title={token.name}
        subtitle={initTokenText.subtitle}
        readOnly={!can.edit("sensor", owner)}
        dirty={changed.length > 0}
        onSubmit={() => save(false)}
        onClose={close}
      >
        <TokenFields
          values={values}
          set={set}
          submitted={submitted}
          readOnly={!can.edit("sensor", owner)}
          allowOwner={allowOwner}
          {...(token.artifact?.isDeleted === true ? { firmwareHint: initTokenText.deletedFirmware } : {})}
        />
        {token.token === undefined ? null : (
          <Box sx={{ display: "flex", alignItems: "center", gap: 2, minWidth: 0 }}>
            <Box component="span" sx={{ fontWeight: 600 }}>
              {initTokenText.token}
            </Box>
            <Mono sx={{ minWidth: 0 }}>{token.token}</Mono>
            <CopyButton value={token.token} label={initTokenText.copy(token.name)} />
          </Box>
        )}
      </FormDialog>
      <ConflictDialog
        open={conflict}
        subject={initTokenText.subject}
        onReload={() => {
          setConflict(false);
          discard();
        }}
        onOverwrite={() => void save(true)}
        onClose={() => setConflict(false)}
      />
    </>
  );
}
