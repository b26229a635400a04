// How large things to press are at least: 24 px where a mouse points (WCAG 2.5.8).

/** A text link that stands alone, not within words: as high as a target has to be, in a line that stays as high as it is. */
export const loneLink = { display: "inline-block", minWidth: 24, py: "2px", my: "-2px" } as const;
