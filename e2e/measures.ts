// Measures target sizes, and the effects of wide text spacing.

import type { Page } from "@playwright/test";

const interactive = [
  "a[href], button, input, select, textarea, summary, [tabindex='0'], [role^=menuitem]",
  ..."button link checkbox switch radio combobox tab option slider treeitem".split(" ").map((role) => `[role=${role}]`),
].join(", ");

/** Rows that are touch targets as a whole, not only their controls. */
const rows = "main li[data-row-id], main [data-line], [role=option], [role=menuitem], [role=treeitem]";

/**
 * Lists targets smaller than `least` px and rows lower than `leastRow` px, with size and label. Links within text are exempt
 * (WCAG 2.5.8). Inputs are measured with their container. A small target passes if its
 * clickable area is large enough.
 */
const smallTargets = (least: number, leastRow: number) => `(() => {
  const shown = (one) => one.checkVisibility({ checkVisibilityCSS: true }) && !one.closest("[aria-hidden=true], [inert]");
  const name = (one) => (one.getAttribute("aria-label") || one.textContent || one.id || one.outerHTML).trim().slice(0, 60);
  const size = ({ width, height }) => Math.round(width * 10) / 10 + "x" + Math.round(height * 10) / 10;
  const isLow = ({ width, height }, px) => Math.min(width, height) < px - 0.05;
  const inWords = (one) => {
    if (getComputedStyle(one).display !== "inline") return false;
    let line = one.parentElement;
    while (getComputedStyle(line).display === "inline") line = line.parentElement;
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      if (one.contains(node) || !/\\p{L}/u.test(node.data)) continue;
      let block = node.parentElement;
      while (getComputedStyle(block).display === "inline") block = block.parentElement;
      if (block === line) return true;
    }
    return false;
  };
  const holds = (one) => one.closest("label") ??
    one.closest(".MuiInputBase-root, .MuiCheckbox-root, .MuiSwitch-root, .MuiRadio-root") ?? one;
  const answers = (one) => {
    one.scrollIntoView({ block: "center", inline: "nearest" });
    const { left, top, width, height } = one.getBoundingClientRect();
    const [x, y, by] = [left + width / 2, top + height / 2, ${least} / 2 - 0.5];
    return [[-by, -by], [by, -by], [-by, by], [by, by]].every(([dx, dy]) => {
      const hit = document.elementFromPoint(x + dx, y + dy);
      return hit !== null && (one.contains(hit) || hit.closest("label")?.control === one);
    });
  };
  const found = [];
  const place = [scrollX, scrollY];
  for (const one of document.querySelectorAll(${JSON.stringify(interactive)})) {
    if (!shown(one)) continue;
    const target = one.matches("input, select, textarea, [role=combobox]") ? holds(one) : one;
    const box = target.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1 || !isLow(box, ${least}) || inWords(one) || answers(target)) continue;
    found.push("target of " + size(box) + ": " + name(one));
  }
  for (const one of document.querySelectorAll(${JSON.stringify(rows)})) {
    const box = one.getBoundingClientRect();
    if (shown(one) && box.height > 1 && box.height < ${leastRow} - 0.05) found.push("row of " + size(box) + ": " + name(one));
  }
  scrollTo(...place);
  return [...new Set(found)];
})()`;

/** Targets must have 24 px, and rows 44 px with touch input. */
export const findSmallTargets = (page: Page, by: "mouse" | "finger") =>
  page.evaluate<string[]>(smallTargets(24, by === "finger" ? 44 : 24));

/** Text spacing according to WCAG 1.4.12. */
const spacing = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }`;

/** Lists elements that scroll horizontally, including the page. Elements that contain a table may scroll. */
const sideways = `[...document.querySelectorAll("*")].flatMap((one) => {
  const isPage = one === document.documentElement;
  const over = one.scrollWidth - (isPage ? innerWidth : one.clientWidth);
  if (over <= 1 || (!isPage && !["auto", "scroll"].includes(getComputedStyle(one).overflowX))) return [];
  if (!isPage && (one.querySelector("table") !== null || !one.checkVisibility())) return [];
  return [(isPage ? "the page" : one.outerHTML.slice(0, 160)) + " scrolls sideways by " + over + " px"];
})`;

/** Lists truncated buttons, labels and headings without tooltip. */
const cut = `[...document.querySelectorAll("button, [role=button], [role=tab], label, h1, h2, h3, th")]
  .filter((one) => one.checkVisibility() && !one.closest("[data-cut], [title]"))
  .filter((one) => getComputedStyle(one).overflow !== "visible" && one.clientWidth > 1 &&
    (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1))
  .map((one) => "cut off: " + one.outerHTML.slice(0, 160))`;

/** Lists problems before and after applying wide text spacing. */
export const findWidthFaults = (page: Page) =>
  page.evaluate<string[]>(`(async () => {
    // Waits, because pages react to resizing one frame later.
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    let before = ${sideways};
    for (const end = performance.now() + 10_000; before.length > 0 && performance.now() < end; before = ${sideways})
      await new Promise((done) => setTimeout(done, 100));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(spacing)});
    document.adoptedStyleSheets.push(sheet);
    const spaced = [...${sideways}, ...${cut}].filter((fault) => !before.includes(fault));
    document.adoptedStyleSheets.pop();
    return [...before, ...spaced.map((fault) => "spaced widely, " + fault)];
  })()`);
