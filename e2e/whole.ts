// `npm run prove` looks at everything at every width and in both themes; `npm test` at each thing once.

export const isWhole = process.env["PROVE"] === "on";
