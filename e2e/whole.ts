// A full run (`npm run prove`) checks everything at all widths and in both themes. `npm test` checks each thing only once.

export const isFullRun = process.env["PROVE"] === "on";
