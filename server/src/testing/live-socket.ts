// A live socket of a test, which collects frames and waits for them.
export type LiveFrame = { type: string; op?: string; obj?: Record<string, unknown>; seq: number; cursor: string };
export type Live = {
  frames: LiveFrame[];
  /** Waits for the first matching frame; fails after 25 s. */
  heard(type: string, op: string, id: string): Promise<LiveFrame>;
  close(): void;
};

/** Resolves after the greeting, so that no later event is missed. */
export async function listen(socket: WebSocket): Promise<Live> {
  const frames: LiveFrame[] = [];
  let wake = () => {};
  let end: string | null = null;
  socket.addEventListener("message", ({ data }) => {
    frames.push(JSON.parse(String(data)) as LiveFrame);
    wake();
  });
  socket.addEventListener("close", ({ code }) => {
    end = `closed with ${code}`;
    wake();
  });
  async function wait(what: string, fits: (frame: LiveFrame) => boolean): Promise<LiveFrame> {
    const deadline = AbortSignal.timeout(100_000);
    deadline.addEventListener("abort", () => wake());
    for (;;) {
      const found = frames.find(fits);
      if (found) return found;
      if (end !== null || deadline.aborted) throw new Error(`${what}: ${end ?? "not within 100 s"}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  await wait("the greeting", ({ type }) => type === "hello");
  return {
    frames,
    heard: (type, op, id) =>
      wait(`${op} of ${type} ${id}`, (frame) => frame.type === type && frame.op === op && frame.obj?.["_id"] === id),
    close: () => socket.close(),
  };
}
