/**
 * Makes everything inside a row reachable by Tab only while the row is the transcript's current one, so that the
 * whole transcript is one stop. What is added later (a card that opened, code that arrived) follows the same rule.
 */
const STOPS = "a[href], button, input, select, textarea, summary, audio, video, [tabindex]";

export function oneStop(current: () => boolean): (node: HTMLElement) => () => void {
  return (node) => {
    const reachable = current();
    const apply = () => {
      for (const element of node.querySelectorAll<HTMLElement>(STOPS)) {
        if (reachable) {
          if (!("ownStop" in element.dataset)) continue;
          const own = element.dataset.ownStop ?? "";
          delete element.dataset.ownStop;
          if (own === "") element.removeAttribute("tabindex");
          else element.setAttribute("tabindex", own);
        } else if (element.getAttribute("tabindex") !== "-1") {
          element.dataset.ownStop = element.getAttribute("tabindex") ?? "";
          element.setAttribute("tabindex", "-1");
        }
      }
    };
    apply();
    const watch = new MutationObserver(apply);
    // A box that began to scroll became a stop.
    watch.observe(node, { childList: true, subtree: true, attributeFilter: ["data-overflows"] });
    return () => watch.disconnect();
  };
}
