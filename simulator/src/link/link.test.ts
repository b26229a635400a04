// Tests how a sensor leaves a broker that acknowledges nothing more.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { closeWithDeath, type Link } from "./link.ts";

const death = { online: false as const, sid: "s", n: 1, why: "shutdown" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection whose broker never acknowledges. */
function openSilentLink() {
  const { promise: closed, resolve: end } = Promise.withResolvers<void>();
  const link = { closed, publish: vi.fn(), subscribe: vi.fn(), close: vi.fn(), cut: vi.fn() } satisfies Link;
  return { link, end };
}

test("a sensor that says goodbye does not wait for a broker that ends the connection", async () => {
  const { link, end } = openSilentLink();
  const left = closeWithDeath(link, "02:00:00:00:00:01", death);
  expect(link.publish).toHaveBeenCalledOnce();
  end();
  await left;
  expect([vi.getTimerCount(), link.cut.mock.calls]).toEqual([0, []]);
});

test("a sensor cuts the connection to a broker that stays silent for two seconds", async () => {
  const { link } = openSilentLink();
  const left = closeWithDeath(link, "02:00:00:00:00:01", death);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(link.cut).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await left;
  expect(link.cut).toHaveBeenCalledOnce();
});
