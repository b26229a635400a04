// Shared props of the occupancy form's fields, and a hook that decides which errors are visible.
import { useState } from "react";
import type { FormErrors, OccupancyFields } from "./occupancy.form.ts";

export type FormProps = {
  values: OccupancyFields;
  set: <K extends keyof OccupancyFields>(name: K, value: OccupancyFields[K]) => void;
  readOnly: boolean;
  errorOf: (fieldId: string) => string | undefined;
  leave: (fieldId: string) => void;
};

export const elementId = (fieldId: string) => `occupancy-${fieldId}`;

/** Until the first attempt to save, shows only the errors of blurred fields. */
export function useVisibleErrors(errors: FormErrors, attempt: number): Pick<FormProps, "errorOf" | "leave"> {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  return {
    errorOf: (fieldId) => (attempt > 0 || left.has(fieldId) ? errors[fieldId] : undefined),
    leave: (fieldId) => setLeft((before) => new Set([...before, fieldId])),
  };
}
