// Runs before the first paint, so that a chosen theme never flashes the other one. The store's own setting follows
// with the first settings and is written back here (src/state/theme.ts).
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("talaria.theme");
  } catch (error) {
    chosen = null;
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-theme", dark ? "dark" : "light");
})();
