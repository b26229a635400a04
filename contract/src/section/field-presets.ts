// Field presets used by several sections.
import { isHostAndPort } from "./check/addresses.ts";
import type { ChoiceField, NumberField, ChoiceOption, SwitchField, TextField } from "./field.ts";

export const integerField = (path: string, label: string, min: number, max: number, start: number) =>
  ({ kind: "number", path, label, min, max, decimals: 0, default: start }) as const satisfies NumberField;

export const nameField = (path: string, label: string) =>
  ({ kind: "text", path, label, max: 40, required: true, default: "" }) as const satisfies TextField;

export const uniqueNameField = { ...nameField("name", "Name"), unique: true } as const satisfies TextField;

const turns: readonly ChoiceOption[] = [0, 90, 180, 270].map((value) => ({ value, label: `${value}°` }));
export const rotationField: ChoiceField = {
  kind: "choice",
  path: "rotation",
  label: "Rotation",
  options: turns,
  default: 0,
};

export const mainsHzField: ChoiceField = {
  kind: "choice",
  path: "mainsHz",
  label: "Mains frequency",
  mark: "restart",
  options: [
    { value: "auto", label: "Automatic" },
    { value: 50, label: "50 Hz" },
    { value: 60, label: "60 Hz" },
  ],
  default: "auto",
};

export const blurPreviewsField: SwitchField = {
  kind: "switch",
  path: "blurPreviews",
  label: "Blur people in previews",
  default: true,
};

export const intervalField = (path: string): ChoiceField => ({
  kind: "choice",
  path,
  label: "Interval",
  options: [
    { value: 60, label: "1 min" },
    { value: 300, label: "5 min" },
    { value: 600, label: "10 min" },
    { value: 900, label: "15 min" },
    { value: 1800, label: "30 min" },
    { value: 3600, label: "1 h" },
  ],
  default: 300,
});

/** Once PS.Connect is off, only the device itself can switch it on again. */
export const psconnectField: SwitchField = {
  kind: "switch",
  path: "psconnect",
  label: "Remote access (PS.Connect)",
  default: true,
  offQuestion: { question: "You will not be able to switch it on again from here.", button: "Switch off" },
};

export const brokerField: TextField = {
  kind: "text",
  path: "broker",
  label: "Server address",
  mark: "confirm",
  max: 255,
  required: true,
  default: "",
  must: { be: isHostAndPort, sentence: "Server address must be host:port." },
};
