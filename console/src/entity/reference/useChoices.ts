// Query behind searchable selects.
import type { Endpoint } from "@psp/contract/kit/endpoint.ts";
import { useState } from "react";
import type { z } from "zod";
import type { SearchParams } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import { type ListResponse, useListQuery } from "../../api/listed.ts";
import type { EntityType } from "../../api/query-client.ts";

/** Options shown at once; typing narrows them down. */
export const maxShownChoices = 50;
/** Rows fetched if the client filters them. */
export const maxFetchedChoices = 500;

/** A list call and its query; `searchBy` is the filter for the typed text. */
type ChoiceSource = {
  type: EntityType;
  list: Endpoint<z.ZodUndefined, z.ZodType, z.ZodUndefined, z.ZodType>;
  query: SearchParams;
  searchBy?: string;
  /** Fetches before the select is opened. */
  eager?: boolean;
};

/** The first matching page, fetched on first opening. */
export function useChoices<T>({ type, list, query, searchBy = "name", eager = false }: ChoiceSource) {
  const [text, setText] = useState("");
  const [isWanted, setWanted] = useState(false);
  const { data, isFetched, isFetching, isPlaceholderData, isError, refetch } = useListQuery<T>(
    [type, "select", query, text],
    (signal) => {
      const asked = { limit: String(maxShownChoices), ...query, includeTotals: "true" };
      // Only the caller knows the row type.
      return call(list, { query: text === "" ? asked : { ...asked, [searchBy]: text }, signal }) as Promise<
        ListResponse<T>
      >;
    },
    isWanted || eager,
  );
  const rows: readonly T[] = data?.objects ?? [];
  return {
    data,
    rows,
    hiddenCount: (data?.total ?? 0) - rows.length,
    isFetched,
    isUnfiltered: text === "" && data !== undefined && !isPlaceholderData,
    text,
    onOpen: () => setWanted(true),
    search: { loading: isFetching, failed: isError, onSearch: setText, onRetry: () => void refetch() },
  };
}

export type Choices<T> = ReturnType<typeof useChoices<T>>;
