/** Amounts are whole cents: fractions of a cent never exist, so nothing is lost by rounding. */
export type Cents = number;

const PRICES: Record<string, Cents> = { apple: 40, bread: 320, cheese: 895 };

/** What an article costs. Unknown articles are an error: a price of zero would give them away. */
export function priceOf(article: string): Cents {
  const price = PRICES[article];
  if (price === undefined) throw new Error(`no price for ${article}`);
  return price;
}

/** The tax contained in an amount, rounded half up to whole cents. */
export function taxOf(amount: Cents, percent: number): Cents {
  return Math.floor((amount * percent) / (100 + percent) + 0.5);
}
