// What every field of the occupancy form gets: its value, how it is changed, and what is wrong with it once it was left.
import { useState } from "react";
import type { FormErrors, OccupancyFields } from "./occupancy.form.ts";

export type FormProps = {
  values: OccupancyFields;
  set: <K extends keyof OccupancyFields>(name: K, value: OccupancyFields[K]) => void;
  readOnly: boolean;
  /** What is wrong with a field and due to be said. */
  errorOf: (fieldId: string) => string | undefined;
  leave: (fieldId: string) => void;
};

/** The element of a field, for the summary of errors. */
export const elementId = (fieldId: string) => `occupancy-${fieldId}`;

/** From the first attempt to save on all errors are said, before only those of fields that were left. */
export function useLeft(errors: FormErrors, attempt: number): Pick<FormProps, "errorOf" | "leave"> {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  return {
    errorOf: (fieldId) => (attempt > 0 || left.has(fieldId) ? errors[fieldId] : undefined),
    leave: (fieldId) => setLeft((before) => new Set([...before, fieldId])),
  };
}
