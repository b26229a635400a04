// Tests that truncated responses are errors.
import { listRoles } from "@psp/contract/role/role.api.ts";
import { afterEach, expect, test } from "vitest";
import { call } from "./call.ts";

const network = globalThis.fetch;
afterEach(() => void (globalThis.fetch = network));

function answerCut(): { cut: () => void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  globalThis.fetch = async () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(made) {
          controller = made;
          made.enqueue(new TextEncoder().encode('[{"_id":'));
        },
      }),
      { status: 200 },
    );
  return { cut: () => controller?.error(new TypeError("network error")) };
}

test("ER-01 an answer that breaks off while it is read is a server that could not be reached (11)", async () => {
  const { cut } = answerCut();
  const asked = call(listRoles, {}).catch((error: unknown) => error);
  setTimeout(cut);
  expect(await asked).toMatchObject({ name: "CallError", code: 11, status: 0 });
});

test("a call that was given up while its answer was read ends as given up, not as an empty answer", async () => {
  const { cut } = answerCut();
  const stop = new AbortController();
  const asked = call(listRoles, { signal: stop.signal }).then(
    () => "answered",
    (error: unknown) => (error as Error).name,
  );
  stop.abort();
  setTimeout(cut);
  expect(await asked).toBe("TypeError");
});
