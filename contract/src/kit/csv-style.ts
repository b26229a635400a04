// How a CSV file is written: for programs, or for people who open it in a spreadsheet.
import { z } from "zod";
import { boundedText } from "./bounded-text.ts";

export const separators = { comma: ",", semicolon: ";", tab: "\t" } as const;
export type SeparatorName = keyof typeof separators;
export type Separator = (typeof separators)[SeparatorName];

/**
 * `style=people`: byte order mark, a title row, names, local times and, between semicolons, decimal commas, as spreadsheets
 * of countries with decimal commas expect them. Without it the columns that programs read, comma by default.
 */
export const csvStyleQuery = {
  style: z.enum(["people"]).optional(),
  separator: z.enum(Object.keys(separators) as [SeparatorName, ...SeparatorName[]]).optional(),
};
/** What the file is called, without its ending; otherwise by what it holds. */
export const fileNameQuery = { fileName: boundedText(200).min(1).optional() };
export type CsvStyleQuery = { style?: "people" | undefined; separator?: SeparatorName | undefined };
