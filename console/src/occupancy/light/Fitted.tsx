// Makes what it holds as large as it is meant to be, and smaller only where it would not fit: somebody else wrote the words.
import { styled } from "@mui/material/styles";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

/** Each step is a tenth smaller; what does not fit then never will. */
const steps = 18;

const Box = styled("div")({ minWidth: 0, minHeight: 0, display: "flex", flexDirection: "column", overflow: "hidden" });
/** As high as its words need. */
const Inner = styled("div")({ flex: "none", display: "flex", flexDirection: "column", gap: "0.6em" });

function fit(box: HTMLElement, inner: HTMLElement): void {
  for (let step = 0; step <= steps; step += 1) {
    inner.style.fontSize = `${0.9 ** step}em`;
    if (inner.scrollHeight <= box.clientHeight && inner.scrollWidth <= box.clientWidth) return;
  }
}

type FittedProps = { className?: string; children: ReactNode };

export function Fitted({ className, children }: FittedProps) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const refit = () => {
    if (box.current !== null && inner.current !== null) fit(box.current, inner.current);
  };
  // Other words may have another length: whatever is drawn is measured before it is seen.
  useLayoutEffect(refit);
  useEffect(() => {
    let frame = 0;
    // A frame later: the box may be as high as its words, and would be measured while it is.
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(refit);
    });
    if (box.current !== null) observer.observe(box.current);
    // The letters may come later than the words.
    void document.fonts.ready.then(refit);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, []);
  return (
    <Box ref={box} className={className}>
      <Inner ref={inner}>{children}</Inner>
    </Box>
  );
}
