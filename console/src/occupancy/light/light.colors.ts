// Chooses black or white text for a custom background (WCAG 1.4.3).

const white = "#ffffff";
const black = "#000000";

export const isHexColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** WCAG relative luminance of `#rrggbb`. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** The better of black and white has a contrast of at least 4.5:1 on every color. */
export const readableTextColor = (color: string): string =>
  contrast(color, white) >= contrast(color, black) ? white : black;
