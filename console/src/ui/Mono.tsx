// Ids, MACs, versions and tokens in the mono font.
import type { ComponentProps } from "react";
import rows from "./theme/rows.module.css";
import { useMarked } from "./Marked.tsx";

export function Mono({ children, className, ...props }: ComponentProps<"span">) {
  return (
    <span {...props} className={className === undefined ? rows["mono"] : `${rows["mono"]} ${className}`}>
      {useMarked(children)}
    </span>
  );
}
