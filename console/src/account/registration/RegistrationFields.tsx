// The fields of a registration in their order, to be filled in or, for the review, only to be read (spec 1 §2).
import Box from "@mui/material/Box";
import Checkbox, { type CheckboxProps } from "@mui/material/Checkbox";
import FormControl from "@mui/material/FormControl";
import FormControlLabel from "@mui/material/FormControlLabel";
import FormHelperText from "@mui/material/FormHelperText";
import Link from "@mui/material/Link";
import TextField, { type TextFieldProps } from "@mui/material/TextField";
import Typography from "@mui/material/Typography";
import type { RegistrationField } from "@psp/contract/registration/registration.ts";
import { type ReactNode, type Ref, useId, useMemo } from "react";
import { paths } from "../../address/paths.ts";
import { visuallyHidden } from "../../ui/visuallyHidden.ts";
import { accountText } from "../account.text.ts";
import { countryNames } from "./countries.ts";
import { registrationText } from "./registration.text.ts";

type TextName = Exclude<RegistrationField, "password" | "repeatPassword" | "dpa" | "eula">;
type TextProps = Pick<
  TextFieldProps,
  "value" | "name" | "onChange" | "onBlur" | "inputRef" | "error" | "helperText" | "disabled"
> & { readOnly?: boolean };
type TickProps = Pick<CheckboxProps, "name" | "checked" | "onChange" | "onBlur" | "disabled"> & {
  inputRef?: Ref<HTMLInputElement>;
  error?: string | undefined;
  hint?: string | undefined;
  readOnly?: boolean;
};

type RegistrationFieldsProps = {
  /** What a field shows and does. */
  text: (name: TextName) => TextProps;
  tick: (name: "dpa" | "eula") => TickProps;
  /** Without an invitation: e-mail and supplier. */
  open: boolean;
  /** Above the address. */
  addressNote?: string | undefined;
  /** Between e-mail and agreements. */
  children?: ReactNode;
};

/** Label and what a browser may fill in by itself. */
const texts: Record<TextName, [label: string, autoComplete: string]> = {
  firstName: [accountText.firstName, "given-name"],
  familyName: [accountText.familyName, "family-name"],
  department: [accountText.department, "off"],
  name: [accountText.organization, "organization"],
  phone: [accountText.phoneNumber, "tel"],
  street: [accountText.street, "address-line1"],
  streetNumber: [accountText.streetNumber, "address-line2"],
  zip: [accountText.postalCode, "postal-code"],
  city: [accountText.city, "address-level2"],
  country: [accountText.country, "country-name"],
  email: [accountText.emailField, "email"],
  supplier: [accountText.supplier, "off"],
};
const inputs: Partial<Record<TextName, { type?: string; inputMode?: "tel" | "email" }>> = {
  phone: { type: "tel" },
  email: { type: "email" },
};

export function RegistrationFields({ text, tick, open, addressNote, children }: RegistrationFieldsProps) {
  const countries = useId();
  const names = useMemo(() => countryNames(), []);
  const field = (name: TextName, wide = false) => {
    const { readOnly = false, helperText, ...props } = text(name);
    const [label, autoComplete] = texts[name];
    const required = name !== "supplier" && !readOnly;
    const suggests = name === "country" && !readOnly;
    return (
      <TextField
        key={name}
        label={label}
        autoComplete={autoComplete}
        {...inputs[name]}
        {...props}
        helperText={helperText ?? (name === "supplier" && !readOnly ? registrationText.supplierHint : undefined)}
        sx={wide ? { gridColumn: "1 / -1" } : {}}
        slotProps={{
          input: { readOnly },
          htmlInput: {
            ...(required ? { "aria-required": true } : {}),
            ...(suggests ? { list: countries } : {}),
          },
          formHelperText: { "aria-live": "polite" },
        }}
      />
    );
  };
  return (
    <>
      <Part title={registrationText.person}>
        {field("firstName")}
        {field("familyName")}
        {field("department", true)}
      </Part>
      <Part title={registrationText.organizationPart} note={addressNote}>
        {field("name", true)}
        {field("phone", true)}
        {field("street")}
        {field("streetNumber")}
        {field("zip")}
        {field("city")}
        {field("country", true)}
        {open ? field("supplier", true) : null}
        <datalist id={countries}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </Part>
      {open || children ? (
        <Part title={registrationText.login}>
          {open ? field("email", true) : null}
          {children}
        </Part>
      ) : null}
      <Part title={registrationText.agreements}>
        <Tick {...tick("dpa")}>
          I have read the <NewTab to={paths.privacy}>data protection policy</NewTab> and accept the{" "}
          <NewTab to={paths.dataProcessing}>{accountText.dpa}</NewTab>
        </Tick>
        <Tick {...tick("eula")}>
          I accept the <NewTab to={paths.endUserLicense}>{accountText.eula}</NewTab>
        </Tick>
      </Part>
    </>
  );
}

function Part({ title, note, children }: { title: string; note?: string | undefined; children: ReactNode }) {
  const id = useId();
  return (
    <Box component="section" aria-labelledby={id} sx={{ display: "flex", flexDirection: "column", gap: 4 }}>
      <Typography variant="h2" id={id}>
        {title}
      </Typography>
      {note === undefined ? null : <Typography sx={{ color: "text.secondary" }}>{note}</Typography>}
      <Box
        sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "repeat(2, minmax(0, 1fr))" } }}
      >
        {children}
      </Box>
    </Box>
  );
}

function Tick({ children, error, hint, inputRef, readOnly = false, ...props }: TickProps & { children: ReactNode }) {
  const id = useId();
  const message = error ?? hint;
  return (
    <FormControl error={error !== undefined} sx={{ gridColumn: "1 / -1" }}>
      <FormControlLabel
        label={<span>{children}</span>}
        sx={{ alignItems: "flex-start", mr: 0, "& .MuiFormControlLabel-label": { pt: "2px" } }}
        control={
          <Checkbox
            {...props}
            slotProps={{
              input: {
                ref: inputRef ?? null,
                readOnly,
                ...(readOnly ? { "aria-readonly": true } : { "aria-required": true }),
                "aria-invalid": error !== undefined,
                ...(message === undefined ? {} : { "aria-describedby": id }),
              },
            }}
          />
        }
      />
      {message === undefined ? null : (
        <FormHelperText id={id} aria-live="polite" sx={{ mt: 0, ml: 7 }}>
          {message}
        </FormHelperText>
      )}
    </FormControl>
  );
}

/** A document to read beside the form, which stays as it is. */
function NewTab({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link href={to} target="_blank" rel="noopener" underline="always">
      {children}
      <span style={visuallyHidden}> {registrationText.newTab}</span>
    </Link>
  );
}
