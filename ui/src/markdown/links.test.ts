import { describe, expect, it } from "vitest";
import {
  displayHost,
  fileLink,
  isDataPicture,
  madeVisible,
  MAX_DATA_PICTURE,
  remoteAddress,
  safeLink,
} from "./links";
import { decodePunycode } from "./punycode";

describe("files", () => {
  it.each([
    ["file:///srv/a%20b.txt", "/srv/a b.txt"],
    ["FILE://localhost/srv/x#y?z", "/srv/x#y?z"],
    ["file:/srv/x", "/srv/x"],
    ["file:///C:/Users/x.txt", "C:/Users/x.txt"],
  ])("%s is a file of this computer", (href, path) => expect(fileLink(href)).toEqual({ href, path }));

  it.each([
    "file://host/share/x",
    "file:////host/x",
    "file:x",
    "file:///srv/%zz",
    "file:///a\nb",
    "/srv/x",
    "http:/x",
  ])("%s is none", (href) => expect(fileLink(href)).toBeNull());

  it("shows what is unseen", () => {
    expect(madeVisible("a b\u202ec\u200b\u0007.txt")).toBe("a b<U+202E>c<U+200B><U+0007>.txt");
  });
});

describe("links", () => {
  it.each([
    ["https://example.org/a?b=c#d", "https://example.org/a?b=c#d"],
    ["http://localhost:8080/x", "http://localhost:8080/x"],
    ["HTTPS://EXAMPLE.ORG", "https://example.org/"],
    ["mailto:a@example.org", "mailto:a@example.org"],
    ["https://example.org/a b\u202ec", "https://example.org/a%20b%E2%80%AEc"],
  ])("%s is opened", (href, url) => expect(safeLink(href)?.url).toBe(url));

  it.each([
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "https://exa\tmple.org",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://example.org/",
    "tauri://localhost",
    "hermes-media://localhost/x",
    "src/main.rs",
    "/etc/passwd",
    "//evil.example/x",
    "#top",
    "https://",
    "mailto:",
    "https://exa\u202emple.org",
    `https://example.org/${"a".repeat(9000)}`,
  ])("%s is not a link", (href) => expect(safeLink(href)).toBeNull());

  it("names the real host of an address that pretends another", () => {
    expect(safeLink("https://google.com@evil.example/x")?.host).toBe("evil.example");
    expect(safeLink("https://google.com%2f@evil.example:8443/x")?.host).toBe("evil.example:8443");
  });

  it("shows letters of one script with the wire form behind them", () => {
    expect(displayHost(new URL("https://bücher.example").hostname)).toBe(
      "bücher.example (xn--bcher-kva.example)",
    );
    expect(displayHost(new URL("https://例え.jp").hostname)).toMatch(/^例え\.jp \(xn--/);
  });

  it("keeps punycode when scripts mix in a label", () => {
    // The first letter is Cyrillic.
    expect(displayHost(new URL("https://аpple.com").hostname)).toBe("xn--pple-43d.com");
  });

  it("leaves plain and broken names alone", () => {
    expect(displayHost("example.org")).toBe("example.org");
    expect(displayHost("xn--!.example")).toBe("xn--!.example");
  });

  it("takes no mail address for a remote picture", () => {
    expect(remoteAddress("mailto:a@b.example")).toBeNull();
    expect(remoteAddress("https://a.example/x.png")?.host).toBe("a.example");
  });
});

// RFC 3492, section 7.1.
describe("punycode", () => {
  it.each([
    ["egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"],
    ["ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"],
    ["ls8h", "💩"],
    ["bcher-kva", "bücher"],
  ])("%s is %s", (wire, letters) => expect(decodePunycode(wire)).toBe(letters));

  it.each(["!", "99999999", "a-\u00e9"])("%s is refused", (wire) => expect(decodePunycode(wire)).toBeNull());
});

describe("pictures inside a message", () => {
  it("are png, jpeg, gif and webp in base64", () => {
    for (const type of ["png", "jpeg", "gif", "webp"])
      expect(isDataPicture(`data:image/${type};base64,AAAA`)).toBe(true);
    for (const address of [
      "data:image/svg+xml;base64,AAAA",
      "data:image/png,raw",
      "data:text/html;base64,AAAA",
      "data:image/png;base64,<x>",
      "https://a.example/x.png",
    ])
      expect(isDataPicture(address)).toBe(false);
  });

  it("are at most 2 MiB", () => {
    const of = (bytes: number) => `data:image/png;base64,${Buffer.alloc(bytes).toString("base64")}`;
    expect(isDataPicture(of(MAX_DATA_PICTURE))).toBe(true);
    expect(isDataPicture(of(MAX_DATA_PICTURE + 1))).toBe(false);
  });
});
