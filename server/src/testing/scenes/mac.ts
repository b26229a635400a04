// Ids of sensors in tests.

export function macOf(n: number): string {
  return (0x020000010000 + n)
    .toString(16)
    .padStart(12, "0")
    .toUpperCase()
    .replaceAll(/..(?=.)/g, "$&:");
}
