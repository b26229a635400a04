// Brings the cursor into the page's search box, also when the page is still on its way.

const patienceMs = 3000;
const places = 'main input[inputmode="search"], [role="dialog"] input[inputmode="search"]';

/** Opens the filters when the box is in there; gives up after 3 s, and as soon as the person does something else. */
export function seekSearch(): void {
  const until = Date.now() + patienceMs;
  let frame = 0;
  let asked = false;
  const stop = () => {
    cancelAnimationFrame(frame);
    document.removeEventListener("keydown", stop, true);
    document.removeEventListener("pointerdown", stop, true);
  };
  const look = () => {
    const box = document.querySelector<HTMLInputElement>(places);
    box?.focus();
    if ((box !== null && document.activeElement === box) || Date.now() > until) return stop();
    if (box === null && !asked) asked = openFilters();
    frame = requestAnimationFrame(look);
  };
  document.addEventListener("keydown", stop, true);
  document.addEventListener("pointerdown", stop, true);
  look();
}

/** False when there are none to be opened. */
function openFilters(): boolean {
  const button = [...document.querySelectorAll<HTMLElement>("main button[aria-expanded=false]")].find((one) =>
    one.textContent?.startsWith("Filters"),
  );
  button?.click();
  return button !== undefined;
}
