/** A session at work, for the development page: what a turn brings, one piece after the other. */
import type { LiveChange } from "../ipc/generated/LiveChange";
import type { FakeLive } from "./fake-live";

const ANSWER = `Confirmed: reads overlap in run 37. A positioned read removes the shared cursor.

\`\`\`rust
pub fn read_at(&self, grant: Grant, offset: u64) -> io::Result<Bytes> {
    let file = self.open(grant)?;
    file.read_exact_at(&mut buf, offset)?;
}
\`\`\`

| run | before | after |
|-----|-------:|------:|
| 37 | 0.000 s | 30.000 s |

1. The element asks **twice**.
2. Both requests share one file cursor.

So the next step is the full suite, with the fallback`;

/** Everything at once: thinking, text, calls, a question, a queued prompt. */
export function fullTail(live: FakeLive, liveId: string): void {
  const all: LiveChange[] = [
    { change: "state", state: "running", since: Date.now() - 134_000 },
    { change: "reasoning", append: "The user wants the cause. I should look at `read_at` first." },
    { change: "text", append: ANSWER },
    {
      change: "call",
      call: {
        call_id: "t1",
        name: "terminal",
        arguments:
          '{"command":"for i in $(seq 200); do cargo test -p gst-hermes-media m4a_tail || exit; done"}',
        state: "running",
        started_at: Date.now() - 112_000,
        output: Array.from({ length: 40 }, (_, i) => `run ${i + 1}: ok`).join("\n"),
      },
    },
    {
      change: "call",
      call: {
        call_id: "t2",
        name: "write_file",
        arguments: '{"path":"src/read_at.rs","content":"pub fn',
        state: "written",
        started_at: null,
        output: "",
      },
    },
    {
      change: "call",
      call: {
        call_id: "t3",
        name: "terminal",
        arguments: '{"command":"git push"}',
        state: "waiting",
        started_at: null,
        output: "",
      },
    },
    {
      change: "asked",
      approval: {
        id: "ap1",
        call_id: "t3",
        tool: "terminal",
        text: "git push --force-with-lease origin fix/seek-past-end \u202e# harmless",
        folder: "/home/u/code/talaria",
        always: true,
        asked_at: Date.now(),
      },
    },
    {
      change: "usage",
      usage: {
        input_tokens: 48_211,
        output_tokens: 3_120,
        calls: 12,
        context_used: 31_400,
        context_max: 131_072,
        cost: 0.042,
      },
    },
    {
      change: "queued",
      text: "then run the full desktop suite once with the fallback, and post both timings",
    },
  ];
  for (const change of all) live.change(liveId, change);
}

/** How the last turn failed, and what it waits for before that. */
export function troubled(live: FakeLive, liveId: string): void {
  live.change(liveId, {
    change: "problem",
    problem: {
      title: "The model did not answer",
      message: "127.0.0.1:11434 refused the connection. Start the server, then try again.",
      retryable: true,
      settings: true,
    },
  });
}

/** Words as a quick model writes them: `perSecond` tokens, told every 33 ms. The answer stops it. */
export function stream(live: FakeLive, liveId: string, perSecond: number, tokens: number): () => void {
  live.change(liveId, { change: "state", state: "running", since: Date.now() });
  const words = ANSWER.split(/(?<= )/);
  let sent = 0;
  const began = performance.now();
  const timer = setInterval(() => {
    const due = Math.min(tokens, Math.floor(((performance.now() - began) / 1000) * perSecond));
    let append = "";
    for (; sent < due; sent++) {
      append += words[sent % words.length] ?? "";
      if (sent % words.length === words.length - 1) append += ".\n\n";
    }
    if (append !== "") live.change(liveId, { change: "text", append });
    if (sent >= tokens) clearInterval(timer);
  }, 33);
  return () => clearInterval(timer);
}
