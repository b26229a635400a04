// What a select that is searched by typing asks the server, and what its list says meanwhile.
import { useState } from "react";
import { type Listed, type ListedPage, useListed } from "../../api/listed.ts";

/** For `SearchSelect`. */
type ChoiceSearch = {
  loading: boolean;
  /** The answers could not be fetched. */
  failed: boolean;
  onSearch: (text: string) => void;
  onRetry: () => void;
};

/**
 * The first page that matches what was typed, whether there was any answer yet, be it a failure, whether it is the answer
 * to no text at all, the text, and `search` for the select. `queryKey` begins with the noun.
 */
export function useChoices<T>(
  queryKey: readonly unknown[],
  ask: (text: string, signal: AbortSignal) => Promise<Listed<T>>,
): { data: ListedPage<T> | undefined; isFetched: boolean; isWhole: boolean; text: string; search: ChoiceSearch } {
  const [text, setText] = useState("");
  const { data, isFetched, isFetching, isPlaceholderData, isError, refetch } = useListed(
    [...queryKey, text],
    (signal) => ask(text, signal),
  );
  const isWhole = text === "" && data !== undefined && !isPlaceholderData;
  const search = { loading: isFetching, failed: isError, onSearch: setText, onRetry: () => void refetch() };
  return { data, isFetched, isWhole, text, search };
}
