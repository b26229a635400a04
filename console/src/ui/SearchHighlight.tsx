// Highlights the search text in the names of rows.
import { styled } from "@mui/material/styles";
import { createContext, Fragment, type ReactNode, useContext } from "react";

/** Provides the search text; components below it highlight the match. */
export const SearchTextContext = createContext("");

const Mark = styled("mark")({
  color: "inherit",
  borderRadius: 2,
  backgroundColor: "color-mix(in srgb, var(--mui-palette-warning-light) 40%, transparent)",
});

const separators = /[:\-.\s]/gu;
const regexSpecials = /[.*+?^${}()|[\]\\]/gu;

/** Position of `searchText` in `text`. Like the server's search, this ignores case and, in ids, separators. */
export function findMatch(text: string, searchText: string): [from: number, to: number] | undefined {
  const escaped = searchText.trim().replaceAll(regexSpecials, String.raw`\$&`);
  const bare = searchText.replaceAll(separators, "");
  const spread = [...bare].map((char) => char.replaceAll(regexSpecials, String.raw`\$&`)).join("[:-]?");
  const found = [escaped, /^[0-9a-f]{2,}$/iu.test(bare) ? spread : ""]
    .filter((pattern) => pattern !== "")
    .map((pattern) => new RegExp(pattern, "iu").exec(text))
    .find((match) => match !== null);
  return found === undefined || found === null ? undefined : [found.index, found.index + found[0].length];
}

/** Highlights the match in a text; returns other content unchanged. */
export function useHighlight(content: ReactNode): ReactNode {
  const searchText = useContext(SearchTextContext);
  if (searchText === "" || typeof content !== "string") return content;
  const match = findMatch(content, searchText);
  if (match === undefined) return content;
  return (
    <Fragment>
      {content.slice(0, match[0])}
      <Mark>{content.slice(...match)}</Mark>
      {content.slice(match[1])}
    </Fragment>
  );
}
