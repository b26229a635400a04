// Fields of the registration form, editable, or read-only for reviews. Countries are suggested by name
// (docs/rules/accounts.md#registration-form).
import { type RegistrationField, registrationFields } from "@psp/contract/registration/registration.ts";
import {
  Box,
  Checkbox,
  type CheckboxProps,
  FormControl,
  FormControlLabel,
  FormHelperText,
  Link,
  TextField,
  type TextFieldProps,
  Typography,
} from "@mui/material";
import { type ReactNode, type Ref, useId, useMemo } from "react";
import { paths } from "../address/paths.ts";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { registrationText } from "./registration.text.ts";
import "../ui/form/steadyPress.ts";

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
  text: (name: TextName) => TextProps;
  tick: (name: "dpa" | "eula") => TickProps;
  /** True for sign-up without an invitation, which also asks for e-mail and supplier. */
  open: boolean;
  addressNote?: string | undefined;
  /** Colleagues belong to a known organization: department and phone are optional and are their own. */
  isColleague?: boolean;
  children?: ReactNode;
};

const texts: Record<TextName, [label: string, autoComplete: string, type?: "tel" | "email"]> = {
  firstName: [registrationText.firstName, "given-name"],
  familyName: [registrationText.familyName, "family-name"],
  department: [registrationText.department, "off"],
  name: [registrationText.organization, "organization"],
  phone: [registrationText.phoneNumber, "tel", "tel"],
  street: [registrationText.street, "address-line1"],
  streetNumber: [registrationText.streetNumber, "address-line2"],
  zip: [registrationText.postalCode, "postal-code"],
  city: [registrationText.city, "address-level2"],
  country: [registrationText.country, "country-name"],
  email: [registrationText.email, "email", "email"],
  supplier: [registrationText.supplier, "off"],
};

const optionalForColleagues: readonly TextName[] = ["department", "phone"];

export function RegistrationFields({
  text,
  tick,
  open,
  addressNote,
  isColleague = false,
  children,
}: RegistrationFieldsProps) {
  const countries = useId();
  const names = useMemo(() => countryNames(), []);
  const field = (name: TextName, wide = false) => {
    const { readOnly = false, helperText, ...props } = text(name);
    const [label, autoComplete, type] = texts[name];
    const isOptional = name === "supplier" || (isColleague && optionalForColleagues.includes(name));
    const required = !isOptional && !readOnly;
    const hint = name === "supplier" ? registrationText.supplierHint : registrationText.optional;
    const suggests = name === "country" && !readOnly;
    return (
      <TextField
        key={name}
        label={label}
        autoComplete={autoComplete}
        {...(type && { type })}
        {...props}
        helperText={helperText ?? (isOptional && !readOnly ? hint : undefined)}
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
      <Part title={isColleague ? registrationText.you : registrationText.person}>
        {field("firstName")}
        {field("familyName")}
        {field("department", !isColleague)}
        {isColleague ? field("phone") : null}
      </Part>
      <Part title={registrationText.organizationPart} note={addressNote}>
        {field("name", true)}
        {isColleague ? null : field("phone", true)}
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
          <NewTab to={paths.dataProcessing}>{registrationText.dpa}</NewTab>
        </Tick>
        <Tick {...tick("eula")}>
          I accept the <NewTab to={paths.endUserLicense}>{registrationText.eula}</NewTab>
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

/** Opens in a new tab, so that the form is kept. */
function NewTab({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link href={to} target="_blank" rel="noopener" underline="always">
      {children}
      <span style={visuallyHidden}> {registrationText.newTab}</span>
    </Link>
  );
}

/** Country codes of ISO 3166-1 alpha-2. */
const codes =
  "AD AE AF AG AI AL AM AO AR AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN CO " +
  "CR CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FO FR GA GB GD GE GF GH GI GL GM GN GP GQ GR GT GU GW GY HK HN " +
  "HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG " +
  "MH MK ML MM MN MO MQ MR MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL PR PS PT PW PY QA RE RO " +
  "RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SY SZ TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC " +
  "VE VN VU WS YE ZA ZM ZW";

function countryNames(): string[] {
  const names = new Intl.DisplayNames("en", { type: "region" });
  return codes
    .split(" ")
    .map((code) => plain(names.of(code) ?? ""))
    .filter((name) => registrationFields.country.safeParse(name).success)
    .toSorted((a, b) => a.localeCompare(b, "en"));
}

/** Simplifies a country name, such as "St. Lucia" → "Saint Lucia", or "Myanmar (Burma)" → "Myanmar". */
function plain(name: string): string {
  return name
    .replace(/\s*\(.*\)$/, "")
    .replace(/^St\. /, "Saint ")
    .replace(/ SAR China$/, "")
    .replaceAll("&", "and");
}
