// Links to objects named in server messages. `ObjectLinksProvider` provides the targets to everything below it.
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { Link } from "@mui/material";
import { createContext, type MouseEvent, type ReactNode, useContext } from "react";

export type ResolveLink = (object: Pick<NamedObject, "type" | "id">) => {
  href: string;
  onClick: (event: MouseEvent<HTMLElement>) => void;
};

const LinkContext = createContext<ResolveLink | null>(null);

/** Render once around the application. */
export function ObjectLinksProvider({ linkTo, children }: { linkTo: ResolveLink; children: ReactNode }) {
  return <LinkContext value={linkTo}>{children}</LinkContext>;
}

/** Renders plain text outside of `ObjectLinksProvider`. */
export function ObjectLink({ object, children = object.name }: { object: NamedObject; children?: ReactNode }) {
  const linkTo = useContext(LinkContext);
  if (linkTo === null) return <>{children}</>;
  return (
    <Link underline="always" {...linkTo(object)}>
      {children}
    </Link>
  );
}

/** Turns the name of `object` in a text into a link; appends the name if the text doesn't contain it. */
export function LinkedText({ text, object }: { text: string; object?: NamedObject | undefined }) {
  if (object === undefined) return <>{text}</>;
  const at = lastWord(text, object.name);
  return (
    <>
      {at === -1 ? `${text} ` : text.slice(0, at)}
      <ObjectLink object={object} />
      {at === -1 ? "" : text.slice(at + object.name.length)}
    </>
  );
}

const inWord = /[\p{L}\p{N}]/u;

/**
 * Index of the last occurrence of a name as a whole word, or -1. An earlier occurrence may be an ordinary word of the message.
 */
function lastWord(text: string, name: string): number {
  for (let at = text.lastIndexOf(name); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(name, at - 1)) {
    const before = text.slice(0, at).at(-1) ?? "";
    const after = text.at(at + name.length) ?? "";
    if (!inWord.test(before) && !inWord.test(after)) return at;
  }
  return -1;
}
