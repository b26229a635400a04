// `npm run prove` checks everything at all widths and in both themes, `npm test` each thing once.

export const isFullRun = process.env["PROVE"] === "on";
