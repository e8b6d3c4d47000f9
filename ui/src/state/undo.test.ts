import { expect, test } from "vitest";
import { FakeHost, session } from "../test/fake";
import { App } from "./app.svelte";

test("what Undo does is not undone by the next: each reaches one action further back", async () => {
  const first = session("a", { title: "First", last_active: 2 });
  const second = session("b", { title: "Second", last_active: 1 });
  const host = new FakeHost({ sessions: [first, second] });
  const app = new App(host);
  await app.actions.archive(first);
  await app.actions.trash(second);
  await app.actions.restore(second);
  const stands = () => host.sessions.map((row) => [row.archived, row.deleted_at !== null]);
  const [archived, active, trashed] = [
    [true, false],
    [false, false],
    [false, true],
  ];
  expect(stands()).toEqual([archived, active]);
  await app.undo();
  expect(stands(), "the restore").toEqual([archived, trashed]);
  await app.undo();
  expect(stands(), "the delete").toEqual([archived, active]);
  await app.undo();
  expect(stands(), "the archive").toEqual([active, active]);
});
