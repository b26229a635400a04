// Registration: the rules of the form with their messages, and the data behind its links
// (docs/rules/accounts.md#registration-form).
import { z } from "zod";
import { emailSchema, newPasswordSchema, registrationStepSchema, matchingPasswordsSchema } from "../account/account.ts";
import { maxEmailLength } from "../account/email.ts";
import { errorCode, serverErrors } from "../errors.ts";
import { boundedNormalizedText, boundedText } from "../kit/bounded-text.ts";
import { normalizeText, hasForbiddenCharacters } from "../kit/text-bounds.ts";

export const invitationLifetimeMs = 30 * 86_400_000;
export const verificationLifetimeMs = 7 * 86_400_000;

type Rule = {
  /** Message for an empty field; missing if the field is optional. */
  required?: string;
  /** Error code for an empty field; 104 by default. */
  missing?: number;
  min?: [length: number, sentence: string];
  max: [length: number, sentence: string];
  allowed?: [pattern: RegExp, sentence: string];
};

/** Schema of a trimmed, NFC-normalized text. Reports only the first error. */
function field({ required, missing = errorCode.missingArgument, min, max, allowed }: Rule) {
  const faultOf = (text: string): { message: string; code: number } | null => {
    if (text === "") return required === undefined ? null : { message: required, code: missing };
    const unsafe = hasForbiddenCharacters(text);
    if (allowed && !allowed[0].test(text))
      return { message: allowed[1], code: unsafe ? errorCode.invalidInput : errorCode.invalidArgument };
    if (unsafe) return { message: serverErrors.invalidInput.message, code: errorCode.invalidInput };
    if (min && text.length < min[0]) return { message: min[1], code: errorCode.invalidArgument };
    return text.length > max[0] ? { message: max[1], code: errorCode.invalidArgument } : null;
  };
  return boundedNormalizedText(max[0], max[1])
    .transform(normalizeText)
    .superRefine((text, { addIssue }) => {
      const fault = faultOf(text);
      if (fault) addIssue({ code: "custom", message: fault.message, params: { code: fault.code } });
    });
}

/** Latin letters (at least one), spaces, apostrophes and hyphens, as in O'Brien or Anne-Marie. */
const latin = /^(?=.*\p{Script=Latin})[\p{Script=Latin} '’-]+$/u;

const nameRule = (what: string, max: number) =>
  field({
    required: `${what} is required`,
    allowed: [latin, `${what} may only consist of latin letters and spaces`],
    max: [max, `${what} is too long`],
  });
const textRule = (what: string, max: number) =>
  field({ required: `${what} is required`, max: [max, `${what} is too long`] });

/** All text fields of the form except e-mail and password, by their names on the wire. */
export const registrationFields = {
  firstName: nameRule("First name", 20),
  familyName: nameRule("Family name", 40),
  department: textRule("Department name", 40),
  name: field({
    required: "Organization name is required",
    missing: errorCode.nameMissing,
    min: [3, "Organization name must be at least 3 characters long"],
    max: [100, "Organization name is too long"],
  }),
  phone: textRule("Phone number", 20),
  street: textRule("Street", 100),
  streetNumber: field({
    required: "Street number is required",
    allowed: [/^[\p{L}\p{M}\p{N} ]+$/u, "Street number may only consist of letters, digits and spaces"],
    max: [10, "Street number is too long"],
  }),
  zip: textRule("Postal code", 10),
  city: nameRule("City", 100),
  country: nameRule("Country", 60),
  supplier: field({
    allowed: [/^[\p{L}\p{M}\p{N} .,-]+$/u, "Supplier may only consist of letters, digits, spaces and . , -"],
    max: [100, "Supplier is too long"],
  }),
};

/** Department and phone, which may be omitted if the organization is locked. */
const optionalFields = {
  department: field({ max: [40, "Department name is too long"] }),
  phone: field({ max: [20, "Phone number is too long"] }),
};

/** The postal address, which users can't change if `readonlyAddress` is set. */
export const lockableAddressFields = ["street", "streetNumber", "zip", "city", "country"] as const;

const { firstName, familyName, department, supplier, ...contact } = registrationFields;
const tick = z.literal(true, "Please tick the checkbox");
const emailField = boundedNormalizedText(maxEmailLength, "Invalid email")
  .transform(normalizeText)
  .refine((text) => text.length > 0, { error: "The email is required", abort: true })
  .pipe(z.email("Invalid email").max(maxEmailLength, "Invalid email"))
  .refine((text) => !hasForbiddenCharacters(text), "Invalid email");

const formFields = {
  firstName,
  familyName,
  department,
  ...contact,
  email: emailField,
  password: z.string().min(1, "The password is required"),
  repeatPassword: z.string(),
  supplier,
  dpa: tick,
  eula: tick,
};
export type RegistrationField = keyof typeof formFields;

/**
 * Schema of the form. Invited users enter neither e-mail nor supplier, and can't change a locked address. Colleagues don't enter the
 * organization, and may omit department and phone.
 */
export function registrationFormSchema({
  invited,
  locked,
  colleague = false,
}: {
  invited: boolean;
  locked: boolean;
  colleague?: boolean;
}) {
  const free = z.unknown();
  const left = {
    ...(invited ? { email: free, supplier: free } : {}),
    ...(colleague ? { name: free, ...optionalFields } : {}),
    ...(locked ? Object.fromEntries(lockableAddressFields.map((one) => [one, free])) : {}),
  };
  return z.object({ ...formFields, ...left }).and(matchingPasswordsSchema("Password does not match"));
}

/** Only confirms that the box was ticked. The server records time and version itself. */
const ticked = z.union([boundedText(64).min(1), z.literal(true)]);
const legal = z.strictObject({
  firstName,
  familyName,
  department,
  dpaAcceptedAt: ticked,
  eulaAcceptedAt: ticked,
  dpaVersion: boundedText(64).optional(),
});

/**
 * The form of an invited user. A locked address is neither required nor accepted. An unlocked address must be complete. The server
 * requires name, phone and department, unless the organization is locked.
 */
export const registrationSchema = z.strictObject({
  ...z.object(contact).partial().shape,
  phone: optionalFields.phone.optional(),
  supplier: supplier.optional(),
  legal: legal.extend({ department: optionalFields.department.optional() }),
  credentials: z.strictObject({ password: newPasswordSchema }),
});
export type Registration = z.output<typeof registrationSchema>;

export const signUpSchema = z.strictObject({
  ...contact,
  supplier: supplier.optional(),
  legal,
  credentials: z.strictObject({ email: emailSchema, password: newPasswordSchema }),
});
export type SignUp = z.output<typeof signUpSchema>;

/** Contains personal data only while the form is open (step 0). Later the link must not reveal it (T-08). */
export const registrationStateSchema = z.object({
  registrationInfo: z.array(
    z.object({ stepReached: registrationStepSchema, credentials: z.object({ email: z.string() }).optional() }),
  ),
  readonlyAddress: z.boolean().optional(),
  /** True if the account belongs to the organization of an account above: `name` is that organization. */
  readonlyOrganization: z.literal(true).optional(),
  name: z.string().optional(),
  phone: z.string().nullable().optional(),
  street: z.string().nullable().optional(),
  streetNumber: z.string().nullable().optional(),
  zip: z.string().nullable().optional(),
  city: z.string().nullable().optional(),
  country: z.string().nullable().optional(),
});
export type RegistrationState = z.output<typeof registrationStateSchema>;

/** Shown before the user confirms: who has registered, and with which e-mail address. */
export const verificationSchema = z.object({ organization: z.string(), email: z.string() });
export type Verification = z.output<typeof verificationSchema>;
