// Choosing an account: by typing its name, among those that the asker may choose (spec 1 §5).
import { listAccounts } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { call } from "../api/call.ts";
import { useAccountName } from "../api/useNames.ts";
import { toOwner } from "../session/useCan.ts";
import { SearchSelect, type SelectOption } from "../ui/SearchSelect.tsx";

const everyone = () => true;
/** Rules are asked about at most this many at once; typing narrows the rest down. */
const asked = 500;
const shown = 50;

type AccountSelectProps = {
  label: string;
  value: string | null;
  /** Name of the chosen account where it is known already. */
  valueName?: string | undefined;
  onChange: (id: string | null, name: string) => void;
  /** Which accounts may be chosen; keep it stable. */
  allow?: (owner: Owner) => boolean;
  /** Chooses the only one by itself. */
  preselect?: boolean;
  id?: string;
  error?: string | undefined;
  helperText?: string | undefined;
  readOnly?: boolean;
  clearable?: boolean;
  required?: boolean;
  placeholder?: string;
};

function toOption(account: Account): SelectOption {
  return { id: account._id, label: account.name, hint: account.role?.name };
}

/** Props: `label`, `value` (id), `onChange(id, name)`, `allow?`, `preselect?` and the usual ones of a field. */
export function AccountSelect({
  value,
  valueName,
  onChange,
  allow = everyone,
  preselect = false,
  ...field
}: AccountSelectProps) {
  const [text, setText] = useState("");
  const { data, isFetching } = useQuery({
    queryKey: ["account", "select", text],
    queryFn: ({ signal }) =>
      call(listAccounts, {
        query: { limit: String(asked), sortBy: "name", includeTotals: "true", ...(text === "" ? {} : { name: text }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  const found = useAccountName(valueName === undefined ? value : null);
  const { options, total, only } = useMemo(() => {
    const list = data === undefined ? [] : Array.isArray(data) ? data : data.objects;
    const allowed = list.filter((account) => !account.isDeleted && allow(toOwner(account)));
    const beyond = data === undefined || Array.isArray(data) ? 0 : (data.total ?? 0) - list.length;
    return {
      options: allowed.slice(0, shown).map(toOption),
      total: allowed.length + beyond,
      only: beyond === 0 && allowed.length === 1 ? allowed[0] : undefined,
    };
  }, [data, allow]);
  useEffect(() => {
    if (preselect && value === null && text === "" && only !== undefined) onChange(only._id, only.name);
  }, [preselect, value, text, only, onChange]);
  const label = valueName ?? options.find((option) => option.id === value)?.label ?? found ?? "…";
  return (
    <SearchSelect
      {...field}
      value={value === null ? null : { id: value, label }}
      onChange={(option) => onChange(option?.id ?? null, option?.label ?? "")}
      options={options}
      total={total}
      loading={isFetching}
      onSearch={setText}
    />
  );
}
