// Loads chunks with a timeout; failures name the chunk (ER-04).

/** Fixed (docs/rules/console.md#chunk-failures). */
const timeoutMs = 120_000;

/** The message is fixed (docs/rules/console.md#chunk-failures). */
export class ChunkError extends Error {
  constructor(id: string, cause: unknown) {
    super(`Loading chunk ${id} failed`, { cause });
    this.name = "ChunkError";
  }
}

/** Throws a ChunkError with the chunk's name on failure. */
export async function loadChunk<T>(name: string, load: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timeout")), timeoutMs);
  });
  try {
    return await Promise.race([load(), late]);
  } catch (error) {
    throw new ChunkError(name, error);
  } finally {
    clearTimeout(timer);
  }
}
