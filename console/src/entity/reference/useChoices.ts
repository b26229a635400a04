// What a select that is searched by typing asks the server, and what its list says meanwhile.
import type { Endpoint } from "@psp/contract/kit/endpoint.ts";
import { useState } from "react";
import type { z } from "zod";
import type { Search } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import { type Listed, useListed } from "../../api/listed.ts";
import type { EntityType } from "../../api/query-client.ts";

/** How many are offered at once; typing narrows the rest down. */
export const shownChoices = 50;
/** How many are asked for where rules that the server does not know leave some of them out. */
export const judgedChoices = 500;

/** A list of the contract, and how it is asked; `searchBy` names the filter that what is typed goes into. */
type ChoiceSource = {
  type: EntityType;
  list: Endpoint<z.ZodUndefined, z.ZodType, z.ZodUndefined, z.ZodType>;
  query: Search;
  searchBy?: string;
  /** Asks before the list is opened: something else depends on the answer. */
  atOnce?: boolean;
};

/** The first page that matches what was typed; asked for when the list is first opened. */
export function useChoices<T>({ type, list, query, searchBy = "name", atOnce = false }: ChoiceSource) {
  const [text, setText] = useState("");
  const [isWanted, setWanted] = useState(false);
  const { data, isFetched, isFetching, isPlaceholderData, isError, refetch } = useListed<T>(
    [type, "select", query, text],
    (signal) => {
      const asked = { limit: String(shownChoices), ...query, includeTotals: "true" };
      // Which rows a list gives, its caller says.
      return call(list, { query: text === "" ? asked : { ...asked, [searchBy]: text }, signal }) as Promise<Listed<T>>;
    },
    isWanted || atOnce,
  );
  const rows: readonly T[] = data?.objects ?? [];
  return {
    data,
    rows,
    beyond: (data?.total ?? 0) - rows.length,
    /** Was there any answer yet, be it a failure? */
    isFetched,
    /** Is it the answer to no text at all? */
    isWhole: text === "" && data !== undefined && !isPlaceholderData,
    text,
    onOpen: () => setWanted(true),
    /** For `SearchSelect`. */
    search: { loading: isFetching, failed: isError, onSearch: setText, onRetry: () => void refetch() },
  };
}

export type Choices<T> = ReturnType<typeof useChoices<T>>;
