/**
 * The chat area alone, on samples. `?total=5000`, `?theme=dark`, `?show=draft|media|fail`, `?jump=m10`;
 * `?live=tail|problem|elsewhere|moved|stream` is a session at work (`stream`: `&rate=200`, `&tokens=20000`).
 */
import { mount } from "svelte";
import Page from "./LiveChat.svelte";
import { LiveSessions } from "../state/live.svelte";
import { Turns } from "../state/turns";
import { ConversationFind } from "../state/find.svelte";
import { MediaSaves } from "../state/saves.svelte";
import "../styles/base.css";
import { fakeChat, ipcError, sessionRow } from "./fake-chat";
import { fullTail, stream, troubled } from "./live-script";
import { longTranscript, mediaTranscript, sampleMedia, sampleTranscript, workTranscript } from "./samples";

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme) document.documentElement.dataset.theme = theme;

const total = Number(query.get("total") ?? 0);
const show = query.get("show");
const rows =
  total > 0
    ? longTranscript(total)
    : show === "media"
      ? mediaTranscript()
      : query.has("live")
        ? workTranscript()
        : sampleTranscript();
const platform = fakeChat(rows, sessionRow({ message_count: rows.length }));
if (show === "fail")
  platform.pageError = ipcError("damaged", "The store could not be read. Close other programs that use it.");
if (show === "media") for (const [path, answer] of await sampleMedia()) platform.media.set(path, answer);

const say = (title: string, message: string) => console.warn(title, message);
const live = new LiveSessions(platform, { onPlace: () => Promise.resolve() });
const turns = new Turns(platform, live, say);
await platform.attach(({ event }) => {
  if (event.type === "live_changed" || event.type === "session_moved") live.receive(event);
});
const how = query.get("live");
if (how === "elsewhere") platform.live.elsewhere.add(platform.session.id);
const standing = how === null ? null : await live.resume(platform.session.id);
const liveId = standing?.at === "here" ? standing.live.id : null;

const jump = query.get("jump");
const target = document.getElementById("app");
if (target) {
  mount(Page, {
    target,
    props: {
      live,
      platform,
      session: show === "draft" ? null : platform.session,
      draftFolder: show === "draft" ? "/home/u/code/orchard-api" : null,
      draftBranch: show === "draft" ? "main" : null,
      jump: jump ? { messageId: jump } : null,
      find: new ConversationFind(platform),
      saves: new MediaSaves(platform, { toast: () => 0, closeToast: () => undefined }),
      system: "linux",
      onMenu: () => undefined,
      ...(how === null
        ? {}
        : { turns, model: "hermes-4-70b", onModel: () => undefined, onOpenWindow: () => undefined }),
      ...(query.has("narrow") ? { onOpenSidebar: () => undefined } : {}),
    },
  });
}
Object.assign(window, { platform });
if (liveId !== null) {
  if (how === "tail") fullTail(platform.live, liveId);
  if (how === "problem") troubled(platform.live, liveId);
  if (how === "moved") platform.live.move(liveId);
  if (how === "stream") {
    const number = (name: string, fallback: number) => Number(query.get(name) ?? fallback);
    setTimeout(() => stream(platform.live, liveId, number("rate", 200), number("tokens", 20_000)), 1_000);
  }
}
