// Name and owner of a role, with their sentences (spec 1 §5).
import { breaksInputRule, safeName } from "@psp/contract/kit/safe-text.ts";
import { serverErrors } from "@psp/contract/errors.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import TextField from "@mui/material/TextField";
import { useCallback, useState } from "react";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { roleText } from "./role.text.ts";

export type RoleBasics = { name: string; owner: { id: string; name: string } | null };

const nameSchema = safeName();

/** What is wrong with name and owner, by field. */
export function checkBasics({ name, owner }: RoleBasics): { name?: string; owner?: string } {
  const parsed = nameSchema.safeParse(name);
  const problem =
    name.trim() === ""
      ? roleText.nameRequired
      : breaksInputRule(name)
        ? serverErrors[400].message
        : parsed.success
          ? undefined
          : (parsed.error.issues[0]?.message ?? "");
  return {
    ...(problem === undefined ? {} : { name: problem }),
    ...(owner === null ? { owner: roleText.ownerRequired } : {}),
  };
}

type RoleFieldsProps = {
  values: RoleBasics;
  set: <K extends keyof RoleBasics>(name: K, value: RoleBasics[K]) => void;
  submitted: boolean;
  readOnly: boolean;
  /** Only possible owners are offered; keep it stable. */
  allowOwner: (owner: Owner) => boolean;
  preselectOwner?: boolean;
};

/** Props: see the type. */
export function RoleFields({ values, set, submitted, readOnly, allowOwner, preselectOwner = false }: RoleFieldsProps) {
  const [left, setLeft] = useState({ name: false, owner: false });
  const errors = checkBasics(values);
  const nameError = submitted || left.name ? errors.name : undefined;
  return (
    <>
      <TextField
        label={roleText.name}
        value={values.name}
        onChange={(event) => set("name", event.target.value)}
        onBlur={() => setLeft((before) => ({ ...before, name: true }))}
        error={nameError !== undefined}
        helperText={nameError}
        autoComplete="off"
        required
        slotProps={{ input: { readOnly } }}
      />
      <div onBlur={() => setLeft((before) => ({ ...before, owner: true }))}>
        <AccountSelect
          label={roleText.owner}
          value={values.owner?.id ?? null}
          valueName={values.owner?.name}
          onChange={useCallback(
            (id: string | null, name: string) => set("owner", id === null ? null : { id, name }),
            [set],
          )}
          allow={allowOwner}
          preselect={preselectOwner}
          error={submitted || left.owner ? errors.owner : undefined}
          readOnly={readOnly}
          clearable={false}
          required
        />
      </div>
    </>
  );
}
