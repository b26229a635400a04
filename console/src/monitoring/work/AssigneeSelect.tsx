// Select for a login that may view all chosen issues.
import type { Assignee } from "@psp/contract/monitoring/issue.ts";
import { useState } from "react";
import { SearchSelect } from "../../ui/choice/SearchSelect.tsx";
import { useAssignees } from "./work.queries.ts";
import { workText as text } from "./work.text.ts";

type AssigneeSelectProps = {
  /** Empty for any issues. */
  ids: readonly string[];
  value: Assignee | null;
  onChange: (assignee: Assignee | null) => void;
};

const toOption = ({ _id, email, account }: Assignee) => ({ id: _id, label: email, hint: account.name });

export function AssigneeSelect({ ids, value, onChange }: AssigneeSelectProps) {
  const [search, setSearch] = useState("");
  const [isWanted, setWanted] = useState(false);
  const { data, isFetching, isError, refetch } = useAssignees(ids, search, isWanted);
  const found = data?.objects ?? [];
  return (
    <SearchSelect
      label={text.assigneeLabel}
      helperText={text.assigneeHint}
      value={value && toOption(value)}
      onChange={(option) => onChange(found.find(({ _id }) => _id === option?.id) ?? null)}
      options={found.map(toOption)}
      total={found.length + (data?.hasMore ? 1 : 0)}
      loading={isFetching}
      failed={isError}
      onRetry={() => void refetch()}
      onSearch={setSearch}
      onOpen={() => setWanted(true)}
    />
  );
}
