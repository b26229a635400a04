// Choosing an account: by typing its name, among those that the asker may choose (spec 1 §5).
import { listAccounts } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { useEffect, useMemo } from "react";
import { call } from "../api/call.ts";
import { useChoices } from "../api/useChoices.ts";
import { useAccountName } from "../api/useNames.ts";
import { toOwner } from "../session/useCan.ts";
import { IdSelect, type IdSelectField } from "../ui/IdSelect.tsx";
import type { SelectOption } from "../ui/SearchSelect.tsx";
import { useNoChoice } from "../ui/useNoChoice.ts";

const everyone = () => true;
/** Rules are asked about at most this many at once; typing narrows the rest down. */
const asked = 500;
const shown = 50;

type AccountSelectProps = IdSelectField & {
  /** Which accounts may be chosen; keep it stable. */
  allow?: (owner: Owner) => boolean;
  /** The list was opened and offers nothing but the present choice: there is no account, or none is allowed. */
  onNoChoice?: (why: "none" | "notAllowed") => void;
  /** Chooses the only one by itself. */
  preselect?: boolean;
};

function toOption(account: Account): SelectOption {
  return { id: account._id, label: account.name, hint: account.role?.name };
}

/** Props: `label`, `value` (id), `onChange(id, name)`, `allow?`, `onNoChoice?`, `preselect?` and the usual ones of a field. */
export function AccountSelect({
  value,
  onChange,
  allow = everyone,
  preselect = false,
  onNoChoice,
  ...field
}: AccountSelectProps) {
  const { data, isWhole, search } = useChoices(["account", "select"], (typed, signal) =>
    call(listAccounts, {
      query: { limit: String(asked), sortBy: "name", includeTotals: "true", ...(typed === "" ? {} : { name: typed }) },
      signal,
    }),
  );
  const found = useAccountName(field.valueName === undefined ? value : null);
  const { options, total, only, none } = useMemo(() => {
    const list = data?.objects ?? [];
    const allowed = list.filter((account) => !account.isDeleted && allow(toOwner(account)));
    const beyond = (data?.total ?? 0) - list.length;
    return {
      options: allowed.slice(0, shown).map(toOption),
      total: allowed.length + beyond,
      only: beyond === 0 && allowed.length === 1 ? allowed[0] : undefined,
      none: list.every((account) => account.isDeleted || account._id === value),
    };
  }, [data, allow, value]);
  useEffect(() => {
    if (preselect && value === null && isWhole && only !== undefined) onChange(only._id, only.name);
  }, [preselect, value, isWhole, only, onChange]);
  const nothing = total === options.length && options.every(({ id }) => id === value);
  const why = nothing ? (none ? "none" : "notAllowed") : null;
  const opening = useNoChoice(isWhole ? why : undefined, onNoChoice);
  return (
    <IdSelect
      {...field}
      {...search}
      {...opening}
      value={value}
      found={found}
      onChange={onChange}
      options={options}
      total={total}
    />
  );
}
