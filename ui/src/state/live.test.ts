import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeLive, liveSession } from "../dev/fake-live";
import type { AppEvent } from "../ipc";
import type { LiveChange } from "../ipc/generated/LiveChange";
import type { LiveSession } from "../ipc/generated/LiveSession";
import { follow, reduceLive, resync, settled, viewOf, type LiveView, type Numbered } from "./live";

const ids = fc.constantFrom("a", "b", "c");
const call = fc.record({
  call_id: ids,
  name: fc.constant("terminal"),
  arguments: fc.string(),
  state: fc.constantFrom("written" as const, "waiting" as const, "running" as const),
  started_at: fc.constant(null),
  output: fc.constant(""),
});
const change: fc.Arbitrary<LiveChange> = fc.oneof(
  fc.record({ change: fc.constant("text" as const), append: fc.string() }),
  fc.record({ change: fc.constant("reasoning" as const), append: fc.string() }),
  fc.record({
    change: fc.constant("state" as const),
    state: fc.constantFrom("idle" as const, "running" as const, "stopping" as const),
    since: fc.option(fc.nat(), { nil: null }),
  }),
  fc.record({
    change: fc.constant("stored" as const),
    session_id: fc.constant("s1"),
    total: fc.nat(),
    ended: fc.uniqueArray(ids),
    answer: fc.boolean(),
  }),
  fc.record({ change: fc.constant("call" as const), call }),
  fc.record({ change: fc.constant("output" as const), call_id: ids, append: fc.string() }),
  fc.record({ change: fc.constant("queued" as const), text: fc.option(fc.string(), { nil: null }) }),
  fc.record({
    change: fc.constant("asked" as const),
    approval: fc.record({
      id: ids,
      call_id: ids,
      tool: fc.constant("terminal"),
      text: fc.string(),
      folder: fc.constant(null),
      always: fc.boolean(),
      asked_at: fc.nat(),
    }),
  }),
  fc.record({ change: fc.constant("answered" as const), approval_id: ids }),
  fc.record({ change: fc.constant("waiting" as const), words: fc.option(fc.string(), { nil: null }) }),
  fc.constant({ change: "refetch" as const }),
);

/** What the way from the host to the page does to one change. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("change" as const), change, fate: fc.constant("told" as const) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("change" as const),
      change,
      fate: fc.constantFrom("lost" as const, "twice" as const),
    }),
  },
  /** The page asks; the answer leaves the host now and comes a few steps later. */
  { weight: 2, arbitrary: fc.record({ do: fc.constant("ask" as const), late: fc.nat({ max: 5 }) }) },
);

const host = () => {
  const told: Numbered[] = [];
  const live = new FakeLive({
    send: (event: AppEvent) => {
      if (event.type === "live_changed") told.push({ rev: event.rev, change: event.change });
    },
    prompt: () => ({ sessionId: "s1", total: 1 }),
    undo: () => ({ text: "", removed: 0, total: 0 }),
  });
  const { live_id } = live.answers().session_create({});
  return { live, told, id: live_id };
};

const at = (rev: number, part: LiveChange): Numbered => ({ rev, change: part });
const text = (append: string): LiveChange => ({ change: "text", append });
const stored = (part: Partial<Extract<LiveChange, { change: "stored" }>>): LiveChange => ({
  change: "stored",
  session_id: "s1",
  total: 2,
  ended: [],
  answer: false,
  ...part,
});

describe("a live session", () => {
  test("is the host's record after every change, or asks for it", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { live, told, id } = host();
        let view: LiveView = viewOf(structuredClone(live.get(id)));
        const coming: { at: number; record: LiveSession }[] = [];
        steps.forEach((one, time) => {
          for (const { record } of coming.filter((answer) => answer.at === time)) view = resync(view, record);
          if (one.do === "ask") {
            coming.push({ at: time + 1 + one.late, record: structuredClone(live.get(id)) });
            return;
          }
          live.change(id, one.change, one.fate === "lost");
          const numbered = one.fate === "lost" ? undefined : told.at(-1);
          for (let i = 0; numbered && i < (one.fate === "twice" ? 2 : 1); i++) view = follow(view, numbered);
          // Whatever happened: what is shown is the record as it was at that number, never a mixture.
          if (!view.behind && view.session.rev === live.get(id).rev)
            expect(view.session).toEqual(live.get(id));
        });
        // One more change tells of every loss, and one answer mends it.
        live.change(id, text("end"));
        const last = told.at(-1);
        if (last) view = follow(view, last);
        if (view.behind) view = resync(view, structuredClone(live.get(id)));
        expect(view.behind).toBe(false);
        expect(view.session).toEqual(live.get(id));
      }),
      { numRuns: 500 },
    );
  });

  test("asks again after a hole, and takes what came meanwhile once", () => {
    let view = viewOf(liveSession({ rev: 1, text: "a" }));
    view = follow(view, at(3, text("c")));
    expect(view.behind).toBe(true);
    expect(view.session.text).toBe("a");
    view = follow(view, at(4, text("d")));
    view = resync(view, liveSession({ rev: 3, text: "abc" }));
    expect(view.behind).toBe(false);
    expect(view.session.text).toBe("abcd");
    // Late, and known already.
    expect(follow(view, at(4, text("d")))).toBe(view);
  });

  test("an answer that is older than what is known changes nothing", () => {
    const view = viewOf(liveSession({ rev: 7, text: "new" }));
    expect(resync(view, liveSession({ rev: 5, text: "old" }))).toBe(view);
  });

  test("what falls out of too many early changes is asked for once more", () => {
    let view = follow(viewOf(liveSession()), at(2, text("x")));
    for (let rev = 3; rev < 700; rev++) view = follow(view, at(rev, text("x")));
    view = resync(view, liveSession({ rev: 3 }));
    expect(view.behind).toBe(true);
  });

  test("a change that is too large for an event asks for the record", () => {
    expect(reduceLive(liveSession(), at(1, { change: "refetch" }))).toBe("refetch");
    let view = follow(viewOf(liveSession()), at(1, { change: "refetch" }));
    expect(view.behind).toBe(true);
    view = resync(view, liveSession({ rev: 1, text: "much" }));
    expect(view).toMatchObject({ behind: false, session: { text: "much" } });
  });

  test("what was stored stays in view until its rows are read, and is never there twice", () => {
    let view = viewOf(
      liveSession({
        text: "Done.",
        calls: [
          { call_id: "a", name: "terminal", arguments: "{}", state: "running", started_at: 1, output: "" },
        ],
      }),
    );
    view = follow(view, at(1, stored({ answer: true, ended: ["a"] })));
    expect(view.session).toMatchObject({ text: "", calls: [] });
    expect(view.settling).toMatchObject({ text: "Done.", calls: [{ call_id: "a" }] });
    view = follow(view, at(2, text("Next")));
    expect(view.settling?.text).toBe("Done.");
    // Rows that were asked for before that was stored do not hold it.
    expect(settled(view, 0).settling).not.toBeNull();
    expect(settled(view, 1).settling).toBeNull();
    expect(settled(view, 1).session.text).toBe("Next");
  });
});
