// Choosing an account: by typing its name, among those that the asker may choose.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { OwnerChoiceKind } from "@psp/contract/permission/standing.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/call.ts";
import { pageOf } from "../../api/listed.ts";
import { toOwner } from "../../session/useCan.ts";
import type { SelectField } from "../../ui/choice/SearchSelect.tsx";
import type { OwnerChoice } from "../owner-choice.ts";
import { type NoChoice, type ReferenceField, ReferenceSelect } from "./ReferenceSelect.tsx";
import { useChoices } from "./useChoices.ts";

const everyone = () => true;

type AccountSelectProps = ReferenceField & {
  /** What the account is chosen for; the server finds those that may be. */
  choice?: OwnerChoiceKind | undefined;
  /** Can be chosen whatever the rights say: the present one. */
  keep?: string | undefined;
  /** No other than this one. */
  only?: string | undefined;
  exclude?: readonly string[];
  /** Further leaves out what was found. */
  allow?: (owner: Owner) => boolean;
  onNoChoice?: (why: NoChoice) => void;
  /** Chooses the only one by itself. */
  preselect?: boolean;
};

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
    atOnce: preselect && value === null,
  });
  const { beyond, isWhole } = choices;
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

type OwnerSelectProps = SelectField & {
  value: OwnerRef | null;
  onChange: (owner: OwnerRef | null) => void;
  owners: OwnerChoice;
};

/** Said while a new object has no owner yet, which it has from the start where one's own account may be it. */
const ownCannot = "Your own account can't be the owner. Choose another one.";

/** Choosing the owner of something: one account, always, among those that may own it. */
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
