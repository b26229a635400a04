// Query parameters for the style of CSV files: for programs or for spreadsheets.
import { z } from "zod";
import { boundedText } from "./bounded-text.ts";

export const separators = { comma: ",", semicolon: ";", tab: "\t" } as const;
export type SeparatorName = keyof typeof separators;
export type Separator = (typeof separators)[SeparatorName];

/**
 * `style=people` adds a byte order mark, a title row, names and local times. It also uses decimal commas if the separator is a
 * semicolon, because spreadsheets that expect semicolons also expect decimal commas. By default, the file has machine-readable
 * columns, separated by commas.
 */
export const csvStyleQuery = {
  style: z.enum(["people"]).optional(),
  separator: z.enum(Object.keys(separators) as [SeparatorName, ...SeparatorName[]]).optional(),
};
/** File name without extension; derived from the content by default. */
export const fileNameQuery = { fileName: boundedText(200).min(1).optional() };
export type CsvStyleQuery = { style?: "people" | undefined; separator?: SeparatorName | undefined };
