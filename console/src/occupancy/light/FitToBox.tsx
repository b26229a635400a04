// Scales its content down until it fits into the box.
import { styled } from "@mui/material/styles";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

/** Maximum number of steps. Each reduces the font size by 10 %. */
const steps = 18;

const Box = styled("div")({ minWidth: 0, minHeight: 0, display: "flex", flexDirection: "column", overflow: "hidden" });
const Inner = styled("div")({ flex: "none", display: "flex", flexDirection: "column", gap: "0.6em" });

function fit(box: HTMLElement, inner: HTMLElement): void {
  for (let step = 0; step <= steps; step += 1) {
    inner.style.fontSize = `${0.9 ** step}em`;
    if (inner.scrollHeight <= box.clientHeight && inner.scrollWidth <= box.clientWidth) return;
  }
}

type FittedProps = { className?: string; children: ReactNode };

export function FitToBox({ className, children }: FittedProps) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const refit = () => {
    if (box.current !== null && inner.current !== null) fit(box.current, inner.current);
  };
  // Measures after every render and before paint, because texts vary.
  useLayoutEffect(refit);
  useEffect(() => {
    let frame = 0;
    // One frame later, because the size of the box may depend on its content.
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(refit);
    });
    if (box.current !== null) observer.observe(box.current);
    // Measures again, because fonts may load after the first render.
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
