import { Cart } from "./cart.ts";
import { taxOf, type Cents } from "./prices.ts";

export interface Receipt {
  total: Cents;
  tax: Cents;
}

export interface Payments {
  charge(amount: Cents): Promise<string>;
}

/** Charges for a cart and hands out the receipt. An empty cart is refused before anything is charged. */
export async function checkout(cart: Cart, payments: Payments): Promise<Receipt> {
  const total = cart.total();
  if (total === 0) {
    throw new Error("the cart is empty");
  }
  await payments.charge(total);
  return { total, tax: taxOf(total, 7) };
}
