// Select for an account by typing its name.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { OwnerChoiceKind } from "@psp/contract/permission/standing.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/call.ts";
import { toListResult } from "../../api/listed.ts";
import { toOwner } from "../../api/session/useCan.ts";
import type { SearchSelectFieldProps } from "../../ui/choice/SearchSelect.tsx";
import type { OwnerChoice } from "../owner-choice.ts";
import { type NoChoiceReason, type ReferenceField, ReferenceSelect } from "./ReferenceSelect.tsx";
import { useChoices } from "./useChoices.ts";

const everyone = () => true;

type AccountSelectProps = ReferenceField & {
  /** Purpose of the choice, by which the server filters accounts. */
  choice?: OwnerChoiceKind | undefined;
  keep?: string | undefined;
  only?: string | undefined;
  exclude?: readonly string[];
  /** Additional filter on the client. */
  allow?: (owner: Owner) => boolean;
  onNoChoice?: (why: NoChoiceReason) => void;
  preselect?: boolean;
};

/** Whether any other account exists. Fetched for the message if there is nothing to select. */
function useAnybodyElse(value: string | null, wanted: boolean) {
  return useQuery({
    queryKey: ["account", "total", "else", value],
    queryFn: async ({ signal }) => {
      const query = { limit: "1", ...(value === null ? {} : { exclude: [value] }) };
      return toListResult<Account>(await call(listAccounts, { query, signal })).objects.length > 0;
    },
    enabled: wanted,
  }).data;
}

export function AccountSelect(props: AccountSelectProps) {
  const { choice, keep, only: onlyId, exclude, allow = everyone, preselect = false, onNoChoice, ...field } = props;
  const { value, onChange } = field;
  const query = {
    sortBy: "name",
    ...(choice === undefined ? {} : { choice, ...(keep === undefined ? {} : { keep }) }),
    ...(onlyId === undefined ? {} : { ids: [onlyId] }),
    ...(exclude === undefined ? {} : { exclude: [...exclude] }),
  };
  const choices = useChoices<Account>({
    type: "account",
    list: listAccounts,
    query,
    eager: preselect && value === null,
  });
  const { hiddenCount: beyond, isUnfiltered: isWhole } = choices;
  const rows = choices.rows.filter((account) => !account.isDeleted && allow(toOwner(account)));
  const only = beyond === 0 && rows.length === 1 ? rows[0] : undefined;
  useEffect(() => {
    if (preselect && value === null && isWhole && only !== undefined) onChange(only._id, only.name);
  }, [preselect, value, isWhole, only, onChange]);
  const nothing = isWhole && beyond === 0 && rows.every(({ _id }) => _id === value);
  const anybody = useAnybodyElse(value, nothing && onNoChoice !== undefined);
  const why = nothing ? (anybody === undefined ? undefined : anybody ? "notAllowed" : "none") : null;
  return (
    <ReferenceSelect
      {...field}
      type="account"
      choices={choices}
      rows={rows}
      toOption={({ _id, name, role }) => ({ id: _id, label: name, hint: role?.name })}
      why={isWhole ? why : undefined}
      onNoChoice={onNoChoice}
    />
  );
}

export type OwnerRef = { id: string; name: string };

type OwnerSelectProps = SearchSelectFieldProps & {
  value: OwnerRef | null;
  onChange: (owner: OwnerRef | null) => void;
  owners: OwnerChoice;
};

/** Hint while a new object has no owner. If the user's own account could be the owner, it would have been preselected. */
const ownCannot = "Your own account can't be the owner. Choose another one.";

export function OwnerSelect({ value, onChange, owners, ...field }: OwnerSelectProps) {
  return (
    <AccountSelect
      {...field}
      {...owners}
      value={value?.id ?? null}
      valueName={value?.name}
      helperText={value === null && owners.preselect === true ? ownCannot : field.helperText}
      onChange={(id, name) => onChange(id === null ? null : { id, name })}
      clearable={false}
      required
      opens
    />
  );
}
