// A form validated by a schema: shows a field's error on blur and updates it while typing; after the first submit, shows the
// errors of all fields.
import { type ChangeEvent, type SubmitEvent, useEffect, useRef, useState } from "react";

/** A zod schema, or an object with the same `safeParse` method. */
type Check = {
  safeParse(
    values: unknown,
  ):
    | { success: true; data: unknown; error?: never }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
};
type Fault = ReturnType<Check["safeParse"]>["error"];
type Values = Record<string, string | boolean>;
type Messages<V> = Partial<Record<keyof V, string | undefined>>;

/** The first message of each wrong field. */
function messagesOf<V extends Values>(error: Fault): Messages<V> {
  const found = (error?.issues ?? []).map(({ path, message }) => [path[0], message] as const);
  return Object.fromEntries(found.toReversed()) as Messages<V>;
}

/** The keys of `start` must be in the order of the fields, because the first wrong field gets the focus. */
export function useCheckedForm<V extends Values>(schema: Check, start: V) {
  const [first] = useState(start);
  const [values, setValues] = useState(first);
  const [left, setLeft] = useState<ReadonlySet<keyof V>>(new Set());
  const [refused, setRefused] = useState<Messages<V>>({});
  const [isSubmitted, setSubmitted] = useState(false);
  const [busy, setBusy] = useState(false);
  const inputs = useRef<Partial<Record<keyof V, HTMLInputElement | null>>>({});
  const focusNext = useRef<keyof V | null>(null);
  useEffect(() => {
    // Fields disabled while sending can't take the focus yet.
    if (busy || focusNext.current === null) return;
    inputs.current[focusNext.current]?.focus();
    focusNext.current = null;
  }, [busy]);
  const wrong = messagesOf<V>(schema.safeParse(values).error);

  const send = async (work: (values: V) => Promise<void>) => {
    const parsed = schema.safeParse(values);
    setSubmitted(true);
    setRefused({});
    if (!parsed.success) {
      const messages = messagesOf<V>(parsed.error);
      const place = Object.keys(first).find((name) => messages[name] !== undefined);
      if (place !== undefined) inputs.current[place]?.focus();
      return;
    }
    setBusy(true);
    try {
      await work({ ...values, ...(parsed.data as Partial<V>) });
    } finally {
      setBusy(false);
    }
  };

  const errorOf = (name: keyof V) => refused[name] ?? (isSubmitted || left.has(name) ? wrong[name] : undefined);
  /** Props of a text field or checkbox. */
  const inputOf = (name: keyof V & string) => ({
    name,
    ...(typeof values[name] === "boolean" ? { checked: values[name] } : { value: values[name] }),
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const value = typeof first[name] === "boolean" ? (target as HTMLInputElement).checked : target.value;
      setValues((before) => ({ ...before, [name]: value }));
      setRefused(({ [name]: _changed, ...others }) => others as Messages<V>);
    },
    onBlur: () => setLeft((before) => new Set(before).add(name)),
    inputRef: (input: HTMLInputElement | null) => {
      inputs.current[name] = input;
    },
    disabled: busy,
  });

  return {
    values,
    isDirty: Object.keys(first).some((name) => values[name] !== first[name]),
    /** The form is being sent; its fields are disabled. */
    busy,
    wasLeft: (name: keyof V) => left.has(name),
    errorOf,
    /** Shows an error at a field until it changes, and focuses it. */
    refuse(name: keyof V, message: string) {
      setRefused((before) => ({ ...before, [name]: message }));
      focusNext.current = name;
    },
    inputOf,
    /** Props of a text field with its error. `otherwise` is an error to show if the schema finds none. */
    fieldOf(name: keyof V & string, otherwise?: string) {
      const message = errorOf(name) ?? otherwise;
      return { ...inputOf(name), error: message !== undefined, helperText: message };
    },
    /** For the form's `onSubmit`: `work` gets the parsed values. If there are errors, focuses the first wrong field. */
    onSubmit: (work: (values: V) => Promise<void>) => (event: SubmitEvent<HTMLElement>) => {
      event.preventDefault();
      void send(work);
    },
  };
}
