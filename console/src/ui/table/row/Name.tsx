// A name in a list. If too long, its beginning is truncated, because names often differ at the end.
import rows from "../../theme/rows.module.css";
import { useHighlight } from "../../SearchHighlight.tsx";

/** The last words of a name, at most 14 characters, so that enough of its beginning stays visible. */
const ending = /^(.+?\s)(\S.{0,13})$/u;

export function Name({ children: name }: { children: string }) {
  const marked = useHighlight(name);
  const [, start, end] = ending.exec(name) ?? [];
  if (end === undefined || marked !== name) return <>{marked}</>;
  return (
    <span className={rows["name"]}>
      <span>{start}</span>
      <span>{end}</span>
    </span>
  );
}
