// Exact sums of sales. Currencies are never added up (docs/rules/sales.md#sums).

/** `thousandths` of the currency. */
export type Revenue = { currency: string; thousandths: bigint };

export type Amounts = {
  transactions: number;
  /** One element per currency, sorted by it. */
  revenue: readonly Revenue[];
  /** Hundredths of hours, null if an entry has none. */
  staffHundredths: number | null;
};

type Row = { transactions: number; revenue: string; currency: string; staff_hours: string | null };

export function toAmounts({ transactions, revenue, currency, staff_hours: staff }: Row): Amounts {
  return {
    transactions,
    revenue: [{ currency, thousandths: parseThousandths(revenue) }],
    staffHundredths: staff === null ? null : Math.round(Number(staff) * 100),
  };
}

/** Null is nothing. */
export function addAmounts(one: Amounts | null, more: Amounts): Amounts {
  if (one === null) return more;
  const isKnown = one.staffHundredths !== null && more.staffHundredths !== null;
  return {
    transactions: one.transactions + more.transactions,
    revenue: addRevenue(one.revenue, more.revenue),
    staffHundredths: isKnown ? (one.staffHundredths ?? 0) + (more.staffHundredths ?? 0) : null,
  };
}

function addRevenue(one: readonly Revenue[], more: readonly Revenue[]): readonly Revenue[] {
  const [first, second] = [one[0], more[0]];
  if (one.length === 1 && more.length === 1 && first && first.currency === second?.currency)
    return [{ currency: first.currency, thousandths: first.thousandths + second.thousandths }];
  const sums = new Map(one.map(({ currency, thousandths }) => [currency, thousandths]));
  for (const { currency, thousandths } of more) sums.set(currency, (sums.get(currency) ?? 0n) + thousandths);
  return [...sums]
    .map(([currency, thousandths]) => ({ currency, thousandths }))
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** Parses an exact decimal with at most three decimal places, such as `-12.5`. */
function parseThousandths(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(3, "0"));
}
