// Responsive grid of fields.
import type { Field } from "@psp/contract/section/field.ts";
import { Box } from "@mui/material";
import type { ListItemRef } from "./fieldContext.ts";
import { SectionField } from "./SectionField.tsx";

export function FieldGrid({ fields, within }: { fields: readonly Field[]; within?: ListItemRef }) {
  return (
    <Box
      sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "repeat(2, minmax(0, 1fr))" } }}
    >
      {fields.map((field) => (
        <SectionField key={field.path} field={field} {...(within && { within })} />
      ))}
    </Box>
  );
}
