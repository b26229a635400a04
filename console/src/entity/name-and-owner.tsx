// Name and owner, the two fields of whatever belongs to an account, with what is wrong with them (spec 1 §5, 2 §5, 3 §5).
import { serverErrors } from "@psp/contract/errors.ts";
import { breaksInputRule, safeName } from "@psp/contract/kit/safe-text.ts";
import TextField from "@mui/material/TextField";
import { useState } from "react";
import type { OwnerChoice } from "./owner-choice.ts";
import { type OwnerRef, OwnerSelect } from "./reference/OwnerSelect.tsx";

export type NameAndOwner = { name: string; owner: OwnerRef | null };
/** Sentences about each of the two; undefined where nothing is wrong. */
export type NameAndOwnerErrors = { name: string | undefined; owner: string | undefined };

/** Is there anything to be put right? */
export const isAnyWrong = (errors: NameAndOwnerErrors) => errors.name !== undefined || errors.owner !== undefined;

const nameRule = safeName();

/** What is wrong with a name, or undefined; `whenEmpty` is the sentence for none at all. */
export function nameProblem(name: string, whenEmpty: string): string | undefined {
  if (name.trim() === "") return whenEmpty;
  if (breaksInputRule(name)) return serverErrors[400].message;
  const parsed = nameRule.safeParse(name);
  return parsed.success ? undefined : parsed.error.issues[0]?.message;
}

type NameAndOwnerFieldsProps = {
  text: { name: string; owner: string; nameHint?: string };
  values: NameAndOwner;
  onName: (name: string) => void;
  onOwner: (owner: OwnerRef | null) => void;
  errors: NameAndOwnerErrors;
  /** Everything that is wrong is shown; until then only where a field was left. */
  submitted: boolean;
  readOnly: boolean;
  owners: OwnerChoice;
  /** The name is a sign, not words: no spell checking, no capital at its beginning. */
  isSign?: boolean;
};

export function NameAndOwnerFields(props: NameAndOwnerFieldsProps) {
  const { text, values, errors, submitted, readOnly, isSign = false } = props;
  const [left, setLeft] = useState({ name: false, owner: false });
  const nameError = submitted || left.name ? errors.name : undefined;
  return (
    <>
      <TextField
        label={text.name}
        value={values.name}
        onChange={(event) => props.onName(event.target.value)}
        onBlur={() => setLeft((before) => ({ ...before, name: true }))}
        error={nameError !== undefined}
        helperText={nameError ?? (readOnly ? undefined : text.nameHint)}
        autoComplete="off"
        required
        slotProps={{ input: { readOnly }, ...(isSign && { htmlInput: { spellCheck: false, autoCapitalize: "none" } }) }}
      />
      <div onBlur={() => setLeft((before) => ({ ...before, owner: true }))}>
        <OwnerSelect
          label={text.owner}
          value={values.owner}
          onChange={props.onOwner}
          owners={props.owners}
          error={submitted || left.owner ? errors.owner : undefined}
          readOnly={readOnly}
        />
      </div>
    </>
  );
}
