// Minimum size of controls: 24 px for mouse pointers (WCAG 2.5.8).

/** A standalone text link: as tall as the minimum target, without making its line taller. */
export const standaloneLinkStyles = { display: "inline-block", minWidth: 24, py: "2px", my: "-2px" } as const;
