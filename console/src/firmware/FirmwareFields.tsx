// Form fields of a firmware: version, owner, visibility.
import { firmwareVersionSchema, hasOversizedNumber, maxVersionNumber } from "@psp/contract/firmware/firmware.ts";
import { Box, FormControlLabel, FormHelperText, Switch } from "@mui/material";
import { useId } from "react";
import {
  type NameAndOwner,
  type NameAndOwnerErrors,
  NameAndOwnerFields,
  type OwnedFieldsProps,
} from "../entity/name-and-owner.tsx";
import { firmwareText } from "./firmware.text.ts";

export type FirmwareBasics = NameAndOwner & { visible: boolean };

export function firmwareErrors({ name, owner }: FirmwareBasics): NameAndOwnerErrors {
  return { name: versionError(name), owner: owner === null ? firmwareText.ownerRequired : undefined };
}

function versionError(name: string): string | undefined {
  if (name.trim() === "") return firmwareText.nameRequired;
  if (firmwareVersionSchema.safeParse(name).success) return undefined;
  return hasOversizedNumber(name.trim()) ? firmwareText.numberTooLarge(maxVersionNumber) : firmwareText.nameWrong;
}

type FirmwareFieldsProps = Omit<OwnedFieldsProps<unknown, FirmwareBasics>, "row" | "saved" | "changed">;

export function FirmwareFields({ values, set, errors, submitted, readOnly, owners }: FirmwareFieldsProps) {
  const hintId = useId();
  const { name, owner, nameHint } = firmwareText;
  return (
    <>
      <NameAndOwnerFields
        text={{ name, owner, nameHint }}
        values={values}
        onName={(version) => set("name", version)}
        onOwner={(chosen) => set("owner", chosen)}
        errors={errors}
        submitted={submitted}
        readOnly={readOnly}
        owners={owners}
        isSign
      />
      <Box>
        <FormControlLabel
          label={firmwareText.visible}
          control={
            <Switch
              checked={values.visible}
              onChange={(event) => set("visible", event.target.checked)}
              disabled={readOnly}
              slotProps={{ input: { role: "switch", "aria-describedby": hintId } }}
            />
          }
        />
        <FormHelperText id={hintId} sx={{ mt: 0 }}>
          {firmwareText.visibleHint}
        </FormHelperText>
      </Box>
    </>
  );
}
