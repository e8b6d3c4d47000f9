import { expect, test } from "vitest";
import { cycleTab, tabStops } from "./cycle";

function dialog(inside: string): HTMLElement {
  document.body.innerHTML = `<div>${inside}</div>`;
  return document.body.firstElementChild as HTMLElement;
}

function tab(root: HTMLElement, shiftKey = false): boolean {
  const event = new KeyboardEvent("keydown", { key: "Tab", shiftKey, cancelable: true });
  cycleTab(event, root);
  return event.defaultPrevented;
}

test("Tab goes from the last stop to the first and back, and is left alone between them", () => {
  const root = dialog("<button>One</button><input><button>Three</button>");
  const [one, two, three] = tabStops(root);
  three?.focus();
  expect(tab(root)).toBe(true);
  expect(document.activeElement).toBe(one);
  expect(tab(root, true)).toBe(true);
  expect(document.activeElement).toBe(three);
  two?.focus();
  expect([tab(root), tab(root, true)]).toEqual([false, false]);
});

test("what takes no focus is no stop, and of radio buttons the chosen one is", () => {
  const root = dialog(
    `<button disabled>No</button><button tabindex="-1">No</button><div hidden><button>No</button></div>
     <input type="radio" name="a" id="off"><input type="radio" name="a" id="on" checked><button id="yes">Yes</button>`,
  );
  expect(tabStops(root).map((stop) => stop.id)).toEqual(["on", "yes"]);
});

test("a focus that was lost comes back to the first stop", () => {
  const root = dialog("<button>One</button><button>Two</button>");
  (document.activeElement as HTMLElement | null)?.blur();
  expect(tab(root)).toBe(true);
  expect(document.activeElement?.textContent).toBe("One");
});
