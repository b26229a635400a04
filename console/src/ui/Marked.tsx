// Marks in a row what was searched for, wherever the row says its name.
import { styled } from "@mui/material/styles";
import { createContext, Fragment, type ReactNode, useContext } from "react";

const Searched = createContext("");

/** Put around what is searched: texts below show the match. */
export const SearchedFor = Searched;

const Mark = styled("mark")({
  color: "inherit",
  borderRadius: 2,
  backgroundColor: "color-mix(in srgb, var(--mui-palette-warning-light) 40%, transparent)",
});

const unsaid = /[:\-.\s]/gu;
const special = /[.*+?^${}()|[\]\\]/gu;

/** Where `searched` is in `text`, as the server finds it: without regard to case, and an id also without its colons. */
export function matchIn(text: string, searched: string): [from: number, to: number] | undefined {
  const escaped = searched.trim().replaceAll(special, String.raw`\$&`);
  const bare = searched.replaceAll(unsaid, "");
  const spread = [...bare].map((char) => char.replaceAll(special, String.raw`\$&`)).join("[:-]?");
  const found = [escaped, /^[0-9a-f]{2,}$/iu.test(bare) ? spread : ""]
    .filter((pattern) => pattern !== "")
    .map((pattern) => new RegExp(pattern, "iu").exec(text))
    .find((match) => match !== null);
  return found === undefined || found === null ? undefined : [found.index, found.index + found[0].length];
}

/** A text with the match marked; anything else as it is. */
export function useMarked(content: ReactNode): ReactNode {
  const searched = useContext(Searched);
  if (searched === "" || typeof content !== "string") return content;
  const match = matchIn(content, searched);
  if (match === undefined) return content;
  return (
    <Fragment>
      {content.slice(0, match[0])}
      <Mark>{content.slice(...match)}</Mark>
      {content.slice(match[1])}
    </Fragment>
  );
}
