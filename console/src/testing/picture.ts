// Creates a picture for tests.

/** A red square of 4 × 4 pixels in base64, encoded by the browser. */
export async function redSquare(type: string): Promise<string> {
  const canvas = new OffscreenCanvas(4, 4);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  context.fillStyle = "#f00";
  context.fillRect(0, 0, 4, 4);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type })).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}
