// Names of objects inside what the server says, as links. Where they lead is said once, around everything.
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import { Link } from "@mui/material";
import { createContext, type MouseEvent, type ReactNode, useContext } from "react";

/** Where an object is looked at. */
export type LinkTo = (object: Pick<NamedObject, "type" | "id">) => {
  href: string;
  onClick: (event: MouseEvent<HTMLElement>) => void;
};

const LinkContext = createContext<LinkTo | null>(null);

/** Put once around the application. */
export function ObjectLinks({ linkTo, children }: { linkTo: LinkTo; children: ReactNode }) {
  return <LinkContext value={linkTo}>{children}</LinkContext>;
}

/** The text is the name by default. Outside of `ObjectLinks` it is only named. */
export function ObjectLink({ object, children = object.name }: { object: NamedObject; children?: ReactNode }) {
  const linkTo = useContext(LinkContext);
  if (linkTo === null) return <>{children}</>;
  return (
    <Link underline="always" {...linkTo(object)}>
      {children}
    </Link>
  );
}

/** A text in which `object`'s name is a link; a name that the text does not hold follows it. */
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

/** Where a name is a word of its own for the last time, or -1: the words before it are ours and may hold a short one by chance. */
function lastWord(text: string, name: string): number {
  for (let at = text.lastIndexOf(name); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(name, at - 1)) {
    const before = text.slice(0, at).at(-1) ?? "";
    const after = text.at(at + name.length) ?? "";
    if (!inWord.test(before) && !inWord.test(after)) return at;
  }
  return -1;
}
