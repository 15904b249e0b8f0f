import { test } from "node:test";
import assert from "node:assert/strict";
import { Cart } from "../src/cart.ts";
import { checkout } from "../src/checkout.ts";

const payments = { charge: async () => "ok" };

test("a receipt shows the tax", async () => {
  const cart = new Cart();
  cart.add("cheese");
  assert.deepEqual(await checkout(cart, payments), { total: 895, tax: 59 });
});
