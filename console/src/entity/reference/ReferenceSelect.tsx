// Select that searches a list and stores the id of the selected object.
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type SearchSelectFieldProps, type SelectOption, SearchSelect } from "../../ui/choice/SearchSelect.tsx";
import { SelectWithOpenLink } from "./OpenLink.tsx";
import { type Choices, maxShownChoices } from "./useChoices.ts";
import { type NamedType, useName } from "./useNames.ts";

export type ReferenceField = SearchSelectFieldProps & {
  value: string | null;
  valueName?: string | undefined;
  onChange: (id: string | null, name: string) => void;
  /** Adds a link to the selected object, unless it is gone. */
  opens?: boolean;
};

export type NamedRef = { id: string; name: string };

export const toReferenceFieldProps = (value: NamedRef | null, onChange: (chosen: NamedRef | null) => void) => ({
  value: value?.id ?? null,
  valueName: value?.name,
  onChange: (id: string | null, name: string) => onChange(id === null ? null : { id, name }),
});

/** Why nothing but the current value can be selected. */
export type NoChoiceReason = "none" | "notAllowed";

type ReferenceSelectProps<T> = ReferenceField & {
  type: NamedType;
  choices: Choices<T>;
  rows: readonly T[];
  toOption: (row: T) => SelectOption;
  above?: readonly SelectOption[];
  /** Number of matches that are not in `rows`; `choices.hiddenCount` by default. */
  beyond?: number;
  /** Null if there is something to select, undefined while unknown. */
  why?: NoChoiceReason | null | undefined;
  onNoChoice?: ((why: NoChoiceReason) => void) | undefined;
};

const none: readonly SelectOption[] = [];

export function ReferenceSelect<T>(props: ReferenceSelectProps<T>) {
  const { type, choices, rows, toOption, above = none, beyond = choices.hiddenCount, why, onNoChoice, ...rest } = props;
  const { value, valueName, onChange, opens = false, ...field } = rest;
  const found = useName(type, valueName === undefined ? value : null);
  const { onOpen, onClose } = useNoChoice(why, onNoChoice);
  const options = [...above, ...rows.map(toOption)];
  const label = valueName ?? options.find(({ id }) => id === value)?.label ?? found ?? "…";
  const select = (
    <SearchSelect
      {...field}
      {...choices.search}
      onOpen={() => {
        choices.onOpen();
        onOpen();
      }}
      onClose={onClose}
      value={value === null ? null : { id: value, label }}
      onChange={(option) => onChange(option?.id ?? null, option?.label ?? "")}
      options={options.slice(0, above.length + maxShownChoices)}
      total={options.length + beyond}
    />
  );
  if (!opens) return select;
  return (
    <SelectWithOpenLink type={type} id={value}>
      {select}
    </SelectWithOpenLink>
  );
}

/** Returns open and close handlers for the select; calls `onNoChoice` at most once per opening. */
function useNoChoice(why: NoChoiceReason | null | undefined, onNoChoice: ((why: NoChoiceReason) => void) | undefined) {
  const [open, setOpen] = useState(false);
  const decided = useRef(false);
  const onNothing = useEffectEvent((reason: NoChoiceReason) => onNoChoice?.(reason));
  useEffect(() => {
    if (!open || why === undefined || decided.current) return;
    decided.current = true;
    if (why !== null) onNothing(why);
  }, [open, why]);
  return {
    onOpen: () => {
      decided.current = false;
      setOpen(true);
    },
    onClose: () => setOpen(false),
  };
}
