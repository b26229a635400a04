// Formats whole numbers in sentences, tables and charts.
const format = new Intl.NumberFormat("en");

/** "1,234" */
export const formatNumber = (n: number): string => format.format(n);

/** "1 sensor", "1,234 sensors" */
export const formatCount = (n: number, one: string, many = `${one}s`): string =>
  `${formatNumber(n)} ${n === 1 ? one : many}`;
