// A search select over the list of some noun, for those who keep ids: it finds the name that belongs to the chosen one, and
// reports why there is nothing to choose, as soon as that is known while the list is open.
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { type SelectField, type SelectOption, SearchSelect } from "../../ui/choice/SearchSelect.tsx";
import { WithOpenLink } from "./OpenLink.tsx";
import { type Choices, shownChoices } from "./useChoices.ts";
import { type NamedType, useName } from "./useNames.ts";

/** What a select of some noun leaves to its user. */
export type ReferenceField = SelectField & {
  /** Id of the chosen one. */
  value: string | null;
  /** Its name where it is known already. */
  valueName?: string | undefined;
  onChange: (id: string | null, name: string) => void;
  /** With a link to what is chosen beside it; not while that is known to be gone. */
  opens?: boolean;
};

/** What is chosen, with its name. */
export type Ref = { id: string; name: string };

/** Value and change of a field in a form that keeps what is chosen with its name. */
export const refField = (value: Ref | null, onChange: (chosen: Ref | null) => void) => ({
  value: value?.id ?? null,
  valueName: value?.name,
  onChange: (id: string | null, name: string) => onChange(id === null ? null : { id, name }),
});

/** Why a list that was opened offers nothing but the present choice: there is nothing at all, or nothing is allowed. */
export type NoChoice = "none" | "notAllowed";

type ReferenceSelectProps<T> = ReferenceField & {
  type: NamedType;
  choices: Choices<T>;
  /** Those of them that may be chosen. */
  rows: readonly T[];
  toOption: (row: T) => SelectOption;
  above?: readonly SelectOption[];
  /** How many match beyond `rows`; as far as `choices` knows by default. */
  beyond?: number;
  /** Null while there is something to choose, undefined while that is not known. */
  why?: NoChoice | null | undefined;
  onNoChoice?: ((why: NoChoice) => void) | undefined;
};

const none: readonly SelectOption[] = [];

export function ReferenceSelect<T>(props: ReferenceSelectProps<T>) {
  const { type, choices, rows, toOption, above = none, beyond = choices.beyond, why, onNoChoice, ...rest } = props;
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
      options={options.slice(0, above.length + shownChoices)}
      total={options.length + beyond}
    />
  );
  if (!opens) return select;
  return (
    <WithOpenLink type={type} id={value}>
      {select}
    </WithOpenLink>
  );
}

/**
 * `why` there is nothing to choose: null while there is something, undefined while that is not known. Answers what the
 * select calls when its list opens and closes; `onNoChoice` is called once at most for each opening.
 */
function useNoChoice(why: NoChoice | null | undefined, onNoChoice: ((why: NoChoice) => void) | undefined) {
  const [open, setOpen] = useState(false);
  const decided = useRef(false);
  const onNothing = useEffectEvent((reason: NoChoice) => onNoChoice?.(reason));
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
