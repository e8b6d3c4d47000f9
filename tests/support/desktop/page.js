// What a test sees of a page: elements by role and accessible name. The short form of the accessibility tree, enough
// for our own views: explicit roles, HTML's own roles, and names by label, by content or by title.
const page = (() => {
  const ROLES = {
    ARTICLE: "article", ASIDE: "complementary", BUTTON: "button", DIALOG: "dialog", FIELDSET: "group", FORM: "form",
    H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading", HR: "separator",
    IMG: "img", LI: "listitem", MAIN: "main", NAV: "navigation", OL: "list", OUTPUT: "status",
    PROGRESS: "progressbar", SECTION: "region", TABLE: "table", TD: "cell", TEXTAREA: "textbox", TH: "columnheader",
    TR: "row", UL: "list",
  };
  const INPUTS = {
    button: "button", checkbox: "checkbox", radio: "radio", range: "slider", reset: "button", search: "searchbox",
    submit: "button",
  };
  // Roles whose name is their text when nothing else names them.
  const NAMED_BY_TEXT = new Set([
    "button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "listitem", "menuitem",
    "menuitemcheckbox", "menuitemradio", "option", "radio", "row", "switch", "tab", "tooltip", "treeitem",
  ]);

  function role(element) {
    const given = element.getAttribute("role");
    if (given) return given.trim().split(/\s+/)[0];
    if (element.tagName === "A") return element.hasAttribute("href") ? "link" : "";
    if (element.tagName === "INPUT") return INPUTS[element.type] ?? "textbox";
    if (element.tagName === "SELECT") return element.multiple ? "listbox" : "combobox";
    return ROLES[element.tagName] ?? "";
  }

  function hidden(element) {
    return !element.checkVisibility({ visibilityProperty: true }) || element.closest("[aria-hidden=true],[inert]") !== null;
  }

  // Text as read aloud: without what is hidden from the tree, pictures by their alternative.
  function text(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    if (node.getAttribute("aria-hidden") === "true" || !node.checkVisibility({ visibilityProperty: true })) return "";
    if (node.tagName === "IMG") return node.alt;
    const label = node.getAttribute("aria-label");
    if (label) return label;
    const inner = [...node.childNodes].map(text).join("");
    return getComputedStyle(node).display.startsWith("inline") ? inner : ` ${inner} `;
  }

  const fold = (words) => words.replace(/\s+/g, " ").trim();

  function name(element) {
    const by = element.getAttribute("aria-labelledby");
    if (by) {
      const parts = by.trim().split(/\s+/).map((id) => document.getElementById(id));
      return fold(parts.map((part) => (part ? part.getAttribute("aria-label") ?? part.textContent : "")).join(" "));
    }
    const label = element.getAttribute("aria-label");
    if (label) return fold(label);
    if (element.labels?.length) return fold([...element.labels].map(text).join(" "));
    if (element.tagName === "IMG") return fold(element.alt);
    if (element.tagName === "FIELDSET") return fold(element.querySelector("legend")?.textContent ?? "");
    if (NAMED_BY_TEXT.has(role(element))) {
      const words = fold([...element.childNodes].map(text).join(""));
      if (words) return words;
    }
    return fold(element.getAttribute("title") ?? element.getAttribute("placeholder") ?? "");
  }

  // how: "is", "starts" or "holds"; without a wanted name every element of the role fits.
  function fits(element, wanted, how) {
    if (wanted === undefined || wanted === null) return true;
    const found = name(element);
    if (how === "starts") return found.startsWith(wanted);
    if (how === "holds") return found.includes(wanted);
    return found === wanted;
  }

  function all(wantedRole, wanted, how = "is", within = document) {
    return [...within.querySelectorAll("*")].filter(
      (element) => role(element) === wantedRole && !hidden(element) && fits(element, wanted, how),
    );
  }

  const first = (...query) => all(...query)[0] ?? null;

  // A player as its element sees it.
  function state(player) {
    const facts = ["currentTime", "duration", "paused", "ended", "seeking", "readyState", "networkState"];
    const said = facts.map((fact) => `${fact} ${player[fact]}`).join(", ");
    return `${player.tagName.toLowerCase()}: ${said}, error ${player.error?.code ?? "none"}`;
  }

  // For failure messages: every player, and every named thing in view.
  function outline() {
    const players = [...document.querySelectorAll("audio, video")].slice(0, 40).map(state);
    const lines = [...document.querySelectorAll("*")]
      .filter((element) => role(element) && !hidden(element))
      .slice(0, 200)
      .map((element) => `${role(element)} "${name(element).slice(0, 80)}"`);
    return [location.href, ...players, ...lines].join("\n");
  }

  // What stands inside an element; its own label is its name, not its text.
  const inside = (element) => fold([...element.childNodes].map(text).join(""));

  return { all, first, fold, hidden, name, outline, role, state, text: inside };
})();
