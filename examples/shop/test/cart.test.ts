import { test } from "node:test";
import assert from "node:assert/strict";
import { Cart } from "../src/cart.ts";

test("a cart adds up its articles", () => {
  const cart = new Cart();
  cart.add("apple", 3);
  cart.add("bread");
  assert.equal(cart.total(), 440);
  assert.ok(cart.remove("bread"));
  assert.equal(cart.total(), 120);
});

test("nothing is not an amount", () => {
  assert.throws(() => new Cart().add("apple", 0), RangeError);
});
