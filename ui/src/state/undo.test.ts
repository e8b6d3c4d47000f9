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

test("Undo of a branch puts it into the trash without a word, and the next reaches what was done before it", async () => {
  const first = session("a", { title: "First", last_active: 2 });
  const second = session("b", { title: "Second", last_active: 1 });
  const host = new FakeHost({ sessions: [first, second] });
  const app = new App(host);
  await app.actions.archive(first);
  await app.copies.branch(second);
  const made = host.sessions.find((row) => row.id !== "a" && row.id !== "b");
  const stands = () =>
    [made, first].map((row) => {
      const now = host.sessions.find((other) => other.id === row?.id);
      return [now?.archived, now?.deleted_at !== null];
    });
  expect(stands()).toEqual([
    [false, false],
    [true, false],
  ]);
  await app.undo();
  expect(stands(), "the branch").toEqual([
    [false, true],
    [true, false],
  ]);
  await app.undo();
  expect(stands(), "the archive").toEqual([
    [false, true],
    [false, false],
  ]);
  expect(app.toasts.map((toast) => toast.kind)).not.toContain("deleted");
});
