// Write-only password field. An empty field keeps the stored password; a button removes it.
import type { SecretField } from "@psp/contract/section/field.ts";
import { secretFlagPath, valueAt } from "@psp/contract/section/values.ts";
import { Box, Button } from "@mui/material";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { PasswordField } from "../../ui/form/PasswordField.tsx";
import { sectionText as text } from "../section.text.ts";
import { elementId } from "../section.values.ts";
import { type ListItemRef, useFieldValue, useSectionForm } from "./fieldContext.ts";

export function SecretBox({
  field,
  within,
  disabled,
}: {
  field: SecretField;
  within?: ListItemRef;
  disabled: boolean;
}) {
  const { readOnly } = useSectionForm();
  const { value, storedItem, fieldPath, error, set, leave } = useFieldValue(field.path, within);
  const isSet = valueAt(storedItem, secretFlagPath(field.path)) === true;
  const isCleared = value === null;
  const state = isCleared ? text.isCleared : !isSet ? text.notSet : readOnly ? text.isKept : text.isSet;
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "flex-start", gap: 2 }}>
      <Box sx={{ flex: "1 1 14rem", minWidth: 0 }}>
        <PasswordField
          id={elementId(fieldPath)}
          label={field.label}
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => set(target.value === "" ? undefined : target.value)}
          onBlur={leave}
          autoComplete="new-password"
          {...(readOnly && { readOnly })}
          disabled={disabled}
          error={error !== undefined}
          helperText={error ?? state}
        />
      </Box>
      {readOnly || !isSet ? null : (
        <Disabled reason={isCleared ? text.isCleared : undefined}>
          <Button color="inherit" variant="outlined" sx={{ mt: "2px" }} onClick={() => set(null)}>
            {text.clear(field.label)}
          </Button>
        </Disabled>
      )}
    </Box>
  );
}
