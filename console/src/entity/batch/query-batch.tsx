// A batch over the objects selected in a list, executed by the server in one call.
import { Alert } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EntityType } from "../../api/query-client.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import { selectionChangedText } from "./batch.text.ts";
import type { Selection } from "../../ui/table/Selection.ts";

/** Request fields for a selection of `count` objects; `fields` are the call's names for ids and for filters. */
export function toBatchTarget<Target>(
  { selection, filters }: { selection: Selection; filters: object },
  count: number,
  fields: { ids: keyof Target & string; query: keyof Target & string },
): Target {
  const expected = { expectedCount: count };
  if (selection.mode === "page") return { [fields.ids]: [...selection.ids], ...expected } as Target;
  const exclude = selection.excluded.size === 0 ? {} : { exclude: [...selection.excluded] };
  const all = Object.keys(filters).length === 0 ? { all: true } : {};
  return { [fields.query]: { ...filters, ...exclude }, ...all, ...expected } as Target;
}

type QueryBatch<Changes> = {
  /** Sends the batch; `onCount` gets the actual number of objects if it is not the expected one. */
  run: (expected: number, changes: Changes, onCount: (count: number) => void) => BatchRun;
  /** Types whose queries are refetched afterwards, including those of pages opened meanwhile. */
  invalidates: readonly EntityType[];
  /** As in "3 sensors". */
  counted: (count: number) => string;
};

export function useQueryBatch<Changes>(count: number, { run, invalidates: refreshes, counted }: QueryBatch<Changes>) {
  const client = useQueryClient();
  const [expected, setExpected] = useState(count);
  const refresh = () => {
    for (const type of refreshes) void client.invalidateQueries({ queryKey: [type] });
  };
  return {
    expected,
    differs:
      expected === count ? null : <Alert severity="warning">{selectionChangedText(counted(expected), expected)}</Alert>,
    runWith:
      (changes: Changes): BatchRun =>
      (control) =>
        run(expected, changes, setExpected)(control).finally(refresh),
  };
}
