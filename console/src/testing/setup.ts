// Before every console test: no animation to wait for, and an empty browser memory.
import { beforeEach } from "vitest";

const style = document.createElement("style");
style.textContent = "*, *::before, *::after { animation-duration: 0s !important; transition-duration: 0s !important; }";
document.head.append(style);

beforeEach(() => {
  localStorage.clear();
});
