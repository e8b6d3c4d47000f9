import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AppEvent } from "../ipc";
import { FakeHost } from "../test/fake";
import { ACK_EVERY_MS, EventStream, STALL_MS } from "./events";

const changed: AppEvent = { type: "sessions_changed", ids: [] };

describe("the event stream", () => {
  let host: FakeHost;
  let stream: EventStream;
  let events: AppEvent[];
  let reattached: number;

  beforeEach(async () => {
    vi.useFakeTimers();
    host = new FakeHost();
    events = [];
    reattached = 0;
    stream = new EventStream(host, {
      onEvent: (event) => events.push(event),
      onReattached: () => (reattached += 1),
    });
    await stream.start();
  });
  afterEach(() => {
    stream.stop();
    vi.useRealTimers();
  });

  const acks = () => host.calls.filter((call) => call.name === "events_ack").map((call) => call.request);

  test("delivers what follows and acknowledges every 2 s", async () => {
    host.send(changed);
    host.send(changed);
    expect(events).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(ACK_EVERY_MS);
    expect(acks()).toEqual([{ seq: 2 }]);
  });

  test("acknowledges at 64 events without waiting", () => {
    for (let i = 0; i < 64; i++) host.send(changed);
    expect(acks()).toEqual([{ seq: 64 }]);
  });

  test("attaches again after a hole and asks for everything, without delivering what came behind it", async () => {
    host.send(changed);
    host.send(changed, 3);
    await vi.advanceTimersByTimeAsync(0);
    expect(host.attached).toBe(2);
    expect(events).toHaveLength(1);
    expect(reattached).toBe(1);
  });

  test("attaches again when the numbers start over", async () => {
    host.send(changed);
    host.send(changed, 1);
    await vi.advanceTimersByTimeAsync(0);
    expect(host.attached).toBe(2);
  });

  test("attaches again when the head stays ahead for 5 s", async () => {
    host.seq = 7;
    await vi.advanceTimersByTimeAsync(ACK_EVERY_MS + STALL_MS - 1);
    expect(host.attached).toBe(1);
    await vi.advanceTimersByTimeAsync(ACK_EVERY_MS);
    expect(host.attached).toBe(2);
    expect(reattached).toBe(1);
  });

  test("a head that is caught up with in time changes nothing", async () => {
    host.seq = 1;
    await vi.advanceTimersByTimeAsync(ACK_EVERY_MS);
    host.seq = 0;
    host.send(changed);
    await vi.advanceTimersByTimeAsync(STALL_MS * 2);
    expect(host.attached).toBe(1);
  });

  test("events of a replaced stream are not heard", async () => {
    const seen: AppEvent[] = [];
    let old: ((envelope: { seq: number; event: AppEvent }) => void) | undefined;
    const attach = host.attach.bind(host);
    const spy = vi.spyOn(host, "attach").mockImplementation(async (onEvent) => {
      old ??= onEvent;
      await attach(onEvent);
    });
    const other = new EventStream(host, { onEvent: (event) => seen.push(event), onReattached: () => {} });
    await other.start();
    host.send(changed, 5);
    await vi.advanceTimersByTimeAsync(0);
    old?.({ seq: 1, event: changed });
    expect(spy).toHaveBeenCalledTimes(2);
    expect(seen).toEqual([]);
    other.stop();
  });
});
