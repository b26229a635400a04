// Ids, MACs, versions and tokens in the mono font.
import type { ComponentProps } from "react";
import rows from "./theme/rows.module.css";
import { useHighlight } from "./SearchHighlight.tsx";

export function Mono({ children, className, ...props }: ComponentProps<"span">) {
  return (
    <span {...props} className={className === undefined ? rows["mono"] : `${rows["mono"]} ${className}`}>
      {useHighlight(children)}
    </span>
  );
}
