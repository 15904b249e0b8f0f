import { priceOf, type Cents } from "./prices.ts";

/** How many of each article somebody wants to buy. */
export class Cart {
  private readonly amounts = new Map<string, number>();

  add(article: string, amount = 1): void {
    if (amount < 1) throw new RangeError("add at least one");
    this.amounts.set(article, (this.amounts.get(article) ?? 0) + amount);
  }

  remove(article: string): boolean {
    return this.amounts.delete(article);
  }

  /** The sum of all articles before any discount. */
  total(): Cents {
    let sum = 0;
    for (const [article, amount] of this.amounts) sum += priceOf(article) * amount;
    return sum;
  }
}
