/** Sample transcripts for the development page. */
import type { IpcError } from "../ipc/generated/IpcError";
import type { MediaOpenResponse } from "../ipc/generated/MediaOpenResponse";
import type { MessageRow } from "../ipc/generated/MessageRow";
import { ipcError, messageRow, withTags } from "./fake-chat";

type Change = Partial<MessageRow>;

function number(rows: Change[]): MessageRow[] {
  return rows.map((row, index) => withTags(messageRow(index, row)));
}

function tool(
  name: string,
  args: unknown,
  text: string,
  change: Partial<NonNullable<MessageRow["tool"]>> = {},
): Change {
  return {
    role: "tool",
    text,
    tool: {
      call_id: null,
      name,
      arguments: JSON.stringify(args),
      state: "done",
      duration_ms: 120,
      change: null,
      ...change,
    },
  };
}

const RUST = `pub fn read_at(&self, grant: Grant, offset: u64, len: usize) -> io::Result<Bytes> {
    // no shared cursor
    let file = self.open(grant)?;
    let mut buf = vec![0u8; len];
    file.read_exact_at(&mut buf, offset)?;
    println!("{} bytes at {}", buf.len(), offset);
    Ok(Bytes::from(buf))
}`;

const DIFF = ` pub fn read_at(&self, grant: Grant, offset: u64) -> io::Result<Bytes> {
-    let mut file = self.open(grant)?;
-    file.seek(SeekFrom::Start(offset))?;
+    let file = self.open(grant)?;
+    file.read_exact_at(&mut buf, offset)?;`;

/** What a session at work has behind it. */
export function workTranscript(): MessageRow[] {
  return number([
    {
      text: "The seek test fails about one run in twenty, only for m4a with the index at the end. Find out why. Leave the loopback fallback alone.",
    },
    {
      role: "assistant",
      text: "The element asks for the `moov` box twice. The second request starts while the first is still open, and both share one file cursor.",
      tool_calls: [{ id: "a", name: "read_file", arguments: "{}" }],
    },
    tool("read_file", { path: "src-tauri/crates/media/src/read_at.rs" }, RUST, { call_id: "a" }),
    tool("write_file", { path: "src-tauri/crates/media/src/read_at.rs" }, "Written.", {
      call_id: "w",
      change: {
        path: "src-tauri/crates/media/src/read_at.rs",
        diff: `--- a/read_at.rs\n+++ b/read_at.rs\n@@ -1,4 +1,4 @@\n${DIFF}\n`,
        undone: false,
      },
    }),
  ]);
}

export function sampleTranscript(): MessageRow[] {
  return number([
    { role: "summary", text: "Earlier: the **seek test** was isolated to `m4a` files." },
    {
      text: "The seek test fails about one run in twenty, only for m4a with the index at the end. Find out why. Leave the loopback fallback alone.",
    },
    {
      role: "assistant",
      reasoning: "The user wants the cause. I should look at `read_at` first.",
      text: "The element asks for the `moov` box twice. The second request starts while the first is still open, and both share one file cursor. I will confirm it with a log first.",
      tool_calls: [
        { id: "a", name: "read_file", arguments: '{"path":"src-tauri/crates/media/src/read_at.rs"}' },
        { id: "b", name: "search", arguments: '{"query":"seek("}' },
        { id: "c", name: "terminal", arguments: '{"command":"cargo test"}' },
      ],
    },
    tool("read_file", { path: "src-tauri/crates/media/src/read_at.rs" }, RUST, { call_id: "a" }),
    { role: "assistant", text: "", tool_calls: [{ id: "b2", name: "search", arguments: "{}" }] },
    tool("search", { query: "“seek(” in src-tauri/crates, 12 hits in 4 files" }, "12 hits", {
      call_id: "b2",
      duration_ms: 310,
      change: null,
    }),
    tool(
      "terminal",
      {
        command: "for i in $(seq 200); do cargo test -p gst-hermes-media m4a_tail || exit; done",
        timeout: 600,
      },
      Array.from(
        { length: 40 },
        (_, i) => `\u001b[32mok\u001b[0m run ${i} \u001b[33mwarning: slow\u001b[0m`,
      ).join("\n") + "\n\u001b]0;title\u0007\u001b[1;31merror\u001b[0m: position 0.000 s",
      { call_id: "c", state: "failed", duration_ms: 112_000 },
    ),
    {
      role: "notice",
      text: "",
      notice: {
        kind: "completion",
        source_id: "proc_1",
        state: "exit 101",
        failed: true,
        command: "cargo test -p gst-hermes-media m4a_tail",
        output:
          "running 1 test\ntest m4a_tail ... FAILED\n\nthread 'm4a_tail_seek' panicked at seek.rs:88:\nexpected position 30.000 s, got 0.000 s",
        child_session_id: null,
      },
    },
    {
      role: "assistant",
      text: `Confirmed: reads overlap in run 37. A positioned read removes the shared cursor.

\`\`\`rust title=crates/media/src/read_at.rs
${RUST}
\`\`\`

\`\`\`diff
${DIFF}
\`\`\`

The relative error, with $\\varepsilon$ = 1 ms, was $5 or $6 before:

$$R_{50} = \\frac{1}{N} \\sum_{k=1}^{N} \\frac{|t_k - \\hat t_k|}{\\max(t_k, \\varepsilon)}$$

| Format | Index | Runs | Failed | Median, ms |
|---|---|---|---|---|
| \`mp4\` | start | 200 | 0 | 38 |
| \`mp4\` | end | 200 | 0 | 61 |
| \`m4a\` | end | 200 | 11 | 64 |
| \`webm\` | cues | 200 | 0 | 42 |`,
    },
    {
      role: "notice",
      text: "",
      notice: {
        kind: "delegation",
        source_id: "d1",
        state: "done, 3 min 08 s",
        failed: false,
        command: "Collect the seek timings of all formats and return one table",
        output: "",
        child_session_id: "s2",
      },
    },
    { text: "では、修正前後の二つの図を並べてください。\nThen this, on a second line: `figures/3-2.svg`" },
    {
      role: "assistant",
      text: `# What is left

1. Look at [the report](https://example.org/report?id=1) and [a trick](javascript:alert(1)), or [аpple](https://аpple.com/)
2. A list with **bold**, *em*, ~~gone~~
   - nested one
   - nested two with \`code\`
3. Last

- [x] Done task
- [ ] Open task

> Quoted words, with <b>raw bold</b> and <img src=x onerror=alert(1)> as text.

![A chart](https://charts.example.org/seek/median.png)

<script>alert(1)</script>

| A very wide table | with | a | lot | of | columns | so | that | it | has | to | scroll | inside | its | box |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
| ${Array.from({ length: 15 }, (_, i) => `some words ${i}`).join(" | ")} |

\`\`\`python
${Array.from({ length: 60 }, (_, i) => `def function_${i}(value: int = ${i}) -> str:  # comment`).join("\n")}
\`\`\`

Done.`,
      tool_calls: [{ id: "z", name: "terminal", arguments: '{"command":"git push --force-with-lease"}' }],
      finish_reason: "interrupted",
    },
  ]);
}

export function longTranscript(total: number): MessageRow[] {
  const words =
    "The element asks for the box twice and both requests share one cursor so the second one moves it. ";
  return number(
    Array.from({ length: total }, (_, index): Change => {
      if (index % 4 === 0) return { text: `Question ${index}. ${words.repeat(index % 3)}` };
      if (index % 4 === 2) return tool("read_file", { path: `src/file_${index}.rs` }, RUST);
      if (index % 12 === 5)
        return { role: "assistant", text: `Answer ${index}.\n\n\`\`\`rust\n${RUST}\n\`\`\`\n` };
      return { role: "assistant", text: `Answer ${index}. ${words.repeat(1 + (index % 7))}\n\n- one\n- two` };
    }),
  );
}

export function mediaTranscript(): MessageRow[] {
  const out = "/home/u/out";
  return number([
    { text: "Show me what you made." },
    {
      role: "assistant",
      text: `The interview:\nMEDIA:${out}/interview-take-3.wav\nand the picture:\nMEDIA:${out}/median-seek.png`,
    },
    { role: "assistant", text: `The animation:\nMEDIA:${out}/seek-latency-animation.webm` },
    {
      role: "assistant",
      text: `MEDIA:${out}/${"podcast-episode-12-raw-export-from-the-recorder-before-cleaning-and-cutting-".repeat(2)}.wav\nMEDIA:${out}/رسم بياني للزمن.png`,
    },
    {
      role: "assistant",
      text: [
        `MEDIA:${out}/renders/final cut.mp4`,
        `MEDIA:${out}/notes.mp3`,
        "MEDIA:/home/u/.ssh/clip.mp4",
        `MEDIA:${out}/render-0042.mkv`,
        `MEDIA:${out}/trailer.mkv`,
        `MEDIA:${out}/report.pdf`,
        "MEDIA:https://media.example.org/talk-2026.webm",
      ].join("\n"),
    },
  ]);
}

function wave(seconds: number): Blob {
  const rate = 8000;
  const data = new DataView(new ArrayBuffer(44 + rate * seconds));
  const ascii = (at: number, text: string) =>
    [...text].forEach((c, i) => data.setUint8(at + i, c.charCodeAt(0)));
  ascii(0, "RIFF");
  data.setUint32(4, 36 + rate * seconds, true);
  ascii(8, "WAVEfmt ");
  data.setUint32(16, 16, true);
  data.setUint16(20, 1, true);
  data.setUint16(22, 1, true);
  data.setUint32(24, rate, true);
  data.setUint32(28, rate, true);
  data.setUint16(32, 1, true);
  data.setUint16(34, 8, true);
  ascii(36, "data");
  data.setUint32(40, rate * seconds, true);
  for (let i = 0; i < rate * seconds; i++) data.setUint8(44 + i, 128 + 60 * Math.sin(i / 3));
  return new Blob([data.buffer], { type: "audio/wav" });
}

function draw(width: number, height: number, words: string): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  if (context !== null) {
    context.fillStyle = "#dde2db";
    context.fillRect(0, 0, width, height);
    context.fillStyle = "#0b675d";
    for (let i = 0; i < 5; i++)
      context.fillRect(60 + (i * width) / 6, height / 2 - 20 * i, 40, height / 2 + 20 * i);
    context.font = "20px sans-serif";
    context.fillText(words, 40, 40);
  }
  return canvas;
}

const picture = (canvas: HTMLCanvasElement) =>
  new Promise<Blob>((resolve) => canvas.toBlob((blob) => resolve(blob ?? new Blob())));

/** Null where the browser cannot record: the card then shows a missing file. */
async function clip(): Promise<Blob | null> {
  if (typeof MediaRecorder === "undefined" || !MediaRecorder.isTypeSupported("video/webm")) return null;
  const canvas = draw(640, 360, "Seek latency, run 1 to 200");
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: "video/webm" });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const ended = new Promise<void>((resolve) => (recorder.onstop = () => resolve()));
  recorder.start();
  for (let i = 0; i < 8; i++) {
    canvas.getContext("2d")?.fillRect(i * 20, 300, 18, 40);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  recorder.stop();
  await ended;
  return new Blob(parts, { type: "video/webm" });
}

/** Media made in the page, and each way of not being shown. */
export async function sampleMedia(): Promise<[string, MediaOpenResponse | IpcError][]> {
  const out = "/home/u/out";
  const open = (name: string, kind: MediaOpenResponse["kind"], blob: Blob): [string, MediaOpenResponse] => [
    `${out}/${name}`,
    {
      url: URL.createObjectURL(blob),
      fallback_url: null,
      kind,
      mime: blob.type,
      size: blob.size,
      name,
      position: 0,
    },
  ];
  const long = `${"podcast-episode-12-raw-export-from-the-recorder-before-cleaning-and-cutting-".repeat(2)}.wav`;
  const recorded = await clip();
  return [
    ...(recorded === null ? [] : [open("seek-latency-animation.webm", "video", recorded)]),
    open("interview-take-3.wav", "audio", wave(30)),
    open(long, "audio", wave(5)),
    open("median-seek.png", "picture", await picture(draw(600, 300, "Median seek, ms"))),
    open("رسم بياني للزمن.png", "picture", await picture(draw(900, 1400, "Tall"))),
    open("trailer.mkv", "video", new Blob([new Uint8Array(500)], { type: "video/x-matroska" })),
    [`${out}/notes.mp3`, ipcError("unsupported", "Not a media file.")],
    ["/home/u/.ssh/clip.mp4", ipcError("blocked", "Blocked.")],
    [`${out}/render-0042.mkv`, ipcError("remote", "On another computer.")],
    [`${out}/report.pdf`, ipcError("unsupported", "Not a media file.")],
  ];
}
