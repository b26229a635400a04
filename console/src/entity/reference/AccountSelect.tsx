// Choosing an account: by typing its name, among those that the asker may choose (spec 1 §5).
import { listAccounts } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { OwnerChoiceKind } from "@psp/contract/permission/standing.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { call } from "../../api/call.ts";
import { pageOf } from "../../api/listed.ts";
import { useChoices } from "./useChoices.ts";
import { useName } from "./useNames.ts";
import { toOwner } from "../../session/useCan.ts";
import { IdSelect, type IdSelectField } from "../../ui/form/IdSelect.tsx";
import type { SelectOption } from "../../ui/form/SearchSelect.tsx";
import { useNoChoice } from "../../ui/form/useNoChoice.ts";

const everyone = () => true;
const shown = 50;

type AccountSelectProps = IdSelectField & {
  /** What the account is chosen for; the server finds those that may be. */
  choice?: OwnerChoiceKind | undefined;
  /** Can be chosen whatever the rights say: the present one. */
  keep?: string | undefined;
  /** Nobody but this one. */
  only?: string | undefined;
  /** Not to be chosen; keep it stable. */
  exclude?: readonly string[];
  /** Further leaves out what was found; keep it stable. */
  allow?: (owner: Owner) => boolean;
  /** The list was opened and offers nothing but the present choice: there is no account, or none is allowed. */
  onNoChoice?: (why: "none" | "notAllowed") => void;
  /** Chooses the only one by itself. */
  preselect?: boolean;
};

function toOption(account: Account): SelectOption {
  return { id: account._id, label: account.name, hint: account.role?.name };
}

/** Is there an account at all but the chosen one? Asked once nothing can be chosen, to say why. */
function useAnybodyElse(value: string | null, wanted: boolean) {
  return useQuery({
    queryKey: ["account", "total", "else", value],
    queryFn: async ({ signal }) => {
      const query = { limit: "1", ...(value === null ? {} : { exclude: [value] }) };
      return pageOf<Account>(await call(listAccounts, { query, signal })).objects.length > 0;
    },
    enabled: wanted,
  }).data;
}

/** Props: `label`, `value` (id), `onChange(id, name)`, `choice?`, `keep?`, `only?`, `exclude?`, `allow?`, `onNoChoice?`, `preselect?` and the usual ones of a field. */
export function AccountSelect({
  value,
  onChange,
  choice,
  keep,
  only: onlyId,
  exclude,
  allow = everyone,
  preselect = false,
  onNoChoice,
  ...field
}: AccountSelectProps) {
  const { data, isWhole, search } = useChoices(["account", "select", choice, keep, onlyId, exclude], (typed, signal) =>
    call(listAccounts, {
      query: {
        limit: String(shown),
        sortBy: "name",
        includeTotals: "true",
        ...(typed === "" ? {} : { name: typed }),
        ...(choice === undefined ? {} : { choice, ...(keep === undefined ? {} : { keep }) }),
        ...(onlyId === undefined ? {} : { ids: [onlyId] }),
        ...(exclude === undefined ? {} : { exclude: [...exclude] }),
      },
      signal,
    }),
  );
  const found = useName("account", field.valueName === undefined ? value : null);
  const { options, total, only } = useMemo(() => {
    const list = data?.objects ?? [];
    const allowed = list.filter((account) => !account.isDeleted && allow(toOwner(account)));
    const beyond = (data?.total ?? 0) - list.length;
    return {
      options: allowed.map(toOption),
      total: allowed.length + beyond,
      only: beyond === 0 && allowed.length === 1 ? allowed[0] : undefined,
    };
  }, [data, allow]);
  useEffect(() => {
    if (preselect && value === null && isWhole && only !== undefined) onChange(only._id, only.name);
  }, [preselect, value, isWhole, only, onChange]);
  const nothing = isWhole && total === options.length && options.every(({ id }) => id === value);
  const anybody = useAnybodyElse(value, nothing && onNoChoice !== undefined);
  const why = nothing ? (anybody === undefined ? undefined : anybody ? "notAllowed" : "none") : null;
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
