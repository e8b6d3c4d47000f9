import { expect, test } from "vitest";
import { FakeHost, session } from "../test/fake";
import { SessionSearch } from "./search.svelte";

function titled(count: number): SessionSearch {
  const sessions = Array.from({ length: count }, (_, index) =>
    session(`m${index}`, { title: `Needle ${index}`, preview: "needle", last_active: 1_000_000 - index }),
  );
  return new SessionSearch(new FakeHost({ sessions }));
}

const ids = (search: SessionSearch) => search.titles.map((hit) => hit.row.id);

test("pages of titles come once each, and leave the messages as they are", async () => {
  const search = titled(67);
  search.query = "needle";
  await search.run();
  await search.nextTitles();
  expect(search.titles, "nobody asked for all").toHaveLength(20);
  const messages = search.messages;
  search.allTitles = true;
  for (let page = 0; page < 5; page += 1) await search.nextTitles();
  expect(ids(search)).toEqual(Array.from({ length: 67 }, (_, index) => `m${index}`));
  expect([search.moreTitles, search.titleCount.n]).toEqual([false, 67]);
  expect(search.messages).toBe(messages);
  await search.more();
  expect([search.messages.length, search.titles.length]).toEqual([40, 67]);
});

test("the same words asked again keep the titles in reach, other words begin anew", async () => {
  const search = titled(67);
  search.query = "needle";
  await search.run();
  search.allTitles = true;
  await search.nextTitles();
  await search.run();
  expect([search.titles.length, search.allTitles, search.moreTitles]).toEqual([40, true, true]);
  search.query = "needle 1";
  await search.run();
  expect([search.titles.length, search.allTitles, search.moreTitles]).toEqual([16, false, false]);
});

test("a page of titles that arrives after other words is dropped", async () => {
  const host = new FakeHost({
    sessions: Array.from({ length: 30 }, (_, index) => session(`m${index}`, { title: `Needle ${index}` })),
  });
  const search = new SessionSearch(host);
  search.query = "needle";
  await search.run();
  host.hold.add("session_search");
  search.showAllTitles();
  search.query = "needle 1";
  const other = search.run();
  host.release("session_search");
  host.release("session_search");
  await other;
  expect(search.titles.length).toBe(12);
});

test("a deleted hit is no longer counted", async () => {
  const search = titled(67);
  search.query = "needle";
  await search.run();
  const gone = { ...search.titles[3]!.row, deleted_at: 1 };
  search.patch(gone);
  search.patch(gone);
  expect([search.titles.length, search.titleCount.n]).toEqual([19, 66]);
  expect([search.messages.length, search.messageCount.n]).toEqual([19, 66]);
});
