// Validation messages shared by all sections.
import { serverErrors } from "../../errors.ts";
import type { Field, ItemList, NumberField, PointsField, SecretField } from "../field.ts";

type Labeled = Pick<Field, "label">;
export type NumberBounds = Pick<NumberField, "label" | "min" | "max" | "decimals">;

export const sectionMessages = {
  required: ({ label }: Labeled) => `${label} is required.`,
  number: ({ label, min, max, decimals }: NumberBounds) =>
    decimals === 0
      ? `${label} must be a whole number between ${min} and ${max}.`
      : `${label} must be a number between ${min} and ${max} with at most one decimal.`,
  tooLong: ({ label }: Labeled, max: number) => `${label} may have at most ${max} characters.`,
  secretLength: ({ label, min, max }: SecretField & { min: number }) =>
    `${label} must have between ${min} and ${max} characters.`,
  used: ({ label }: Labeled) => `${label} is already used.`,
  special: serverErrors.invalidInput.message,
  switch: ({ label }: Labeled) => `${label} must be on or off.`,
  text: ({ label }: Labeled) => `${label} must be a text.`,
  choice: ({ label }: Labeled) => `${label} must be one of the choices.`,
  tooManyHosts: ({ label }: Labeled, max: number) => `${label} may have at most ${max} entries.`,
  points: ({ min, max }: PointsField) => `Between ${min} and ${max} points are needed.`,
  noList: ({ label }: Labeled) => `${label} must be a list.`,
  /** Also shown as the reason why the button 'Add …' is disabled. */
  tooMany: ({ max, words }: ItemList) => `There may be at most ${max} ${max === 1 ? words.one : words.many}.`,
  tooFew: ({ min, words }: ItemList) => `There must be at least ${min} ${min === 1 ? words.one : words.many}.`,
  noItem: ({ words }: ItemList) => `This is no ${words.one}.`,
  badId: "Every item needs an id of 1 to 64 characters.",
  sameId: "Two items have the same id.",
  foreign: ({ words }: ItemList) => `This ${words.one} does not exist.`,
  lost: ({ words }: ItemList) => `A ${words.one} is missing.`,
  noValues: "The values of the section are missing.",
} as const;

export const pointLabel = (n: number, axis: "x" | "y") => `Point ${n + 1} ${axis} (%)`;
