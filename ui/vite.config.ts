import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  // The app embeds dist/, so every path in it is relative to the page.
  base: "./",
  clearScreen: false,
  server: { port: 1420, strictPort: true },
  build: {
    target: ["es2022", "safari16"],
    // The CSP has no inline script and no data: font; small assets stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.ts"],
    setupFiles: ["src/test-setup.ts"],
    restoreMocks: true,
  },
});
