import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const root = "src";
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.(ts|svelte)$/.test(name) && !name.startsWith("ipc/generated/"));
const product = files.filter((name) => !name.startsWith("test/") && !name.endsWith(".test.ts"));
const text = (name: string) => readFileSync(join(root, name), "utf8");

/** From the ground up; a file imports from its own layer or one below. */
const layers = ["lib", "ipc", "platform", "state", "shared", "markdown", "features", "views"];
const layerOf = (name: string) => layers.indexOf(name.split("/")[0]!);

function imports(name: string): string[] {
  return [...text(name).matchAll(/(?:from|import)\s+"(\.[^"]+)"/g)].map(([, path]) =>
    relative(root, join(root, dirname(name), path!)).replaceAll("\\", "/"),
  );
}

describe("the house", () => {
  test("looks at every file", () => {
    expect(product.length).toBeGreaterThan(40);
  });

  test("imports point down the layers only", () => {
    const wrong = product.flatMap((name) =>
      layerOf(name) < 0
        ? []
        : imports(name)
            .filter((path) => layerOf(path) > layerOf(name))
            .map((path) => `${name} -> ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  test("features never import each other; they meet in a view", () => {
    // The chat area is one feature in four folders.
    const area = (path: string) => {
      const name = path.split("/")[1]!;
      return ["chat", "composer", "media", "transcript"].includes(name) ? "chat" : name;
    };
    const wrong = product
      .filter((name) => name.startsWith("features/"))
      .flatMap((name) =>
        imports(name)
          .filter((path) => path.startsWith("features/") && area(path) !== area(name))
          .map((path) => `${name} -> ${path}`),
      );
    expect(wrong).toEqual([]);
  });

  test("only the platform knows Tauri", () => {
    expect(
      product.filter((name) => !name.startsWith("platform/") && /["']@tauri-apps/.test(text(name))),
    ).toEqual([]);
  });

  test("the product never imports the host in memory", () => {
    expect(product.filter((name) => imports(name).some((path) => path.startsWith("test/")))).toEqual([]);
  });

  test("only the Markdown part writes HTML", () => {
    expect(
      product.filter(
        (name) => !name.startsWith("markdown/") && /\{@html|\.innerHTML|insertAdjacentHTML/.test(text(name)),
      ),
    ).toEqual([]);
  });

  test("no component writes a colour", () => {
    const colour = /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(|\boklch\(|:\s*(?:white|black|red|gray|grey)\b/i;
    const styles = product
      .filter((name) => name.endsWith(".svelte"))
      .flatMap((name) =>
        [...text(name).matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].flatMap(([, css]) =>
          css!
            .split("\n")
            .filter((line) => colour.test(line))
            .map((line) => `${name}: ${line.trim()}`),
        ),
      );
    expect(styles).toEqual([]);
  });

  test("no file is longer than 800 lines", () => {
    expect(files.filter((name) => text(name).split("\n").length > 800)).toEqual([]);
  });
});
