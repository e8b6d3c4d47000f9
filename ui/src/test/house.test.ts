/**
 * Rules of this folder alone. What holds for the whole house (layers, who knows Tauri, who writes HTML, the length of a
 * file) is judged by the test of the repository's structure.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

const root = "src";
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.(ts|svelte)$/.test(name) && !name.startsWith("ipc/generated/"));
const product = files.filter((name) => !/^(test|dev)\//.test(name) && !name.endsWith(".test.ts"));
const text = (name: string) => readFileSync(join(root, name), "utf8");

function imports(name: string): string[] {
  return [...text(name).matchAll(/(?:from|import)\s+"(\.[^"]+)"/g)].map(([, path]) =>
    relative(root, join(root, dirname(name), path!)).replaceAll("\\", "/"),
  );
}

describe("the house", () => {
  test("looks at every file", () => {
    expect(product.length).toBeGreaterThan(40);
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

  test("the product never imports the hosts in memory", () => {
    expect(product.filter((name) => imports(name).some((path) => /^(test|dev)\//.test(path)))).toEqual([]);
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
});
