/** The chat area alone, on samples. `?total=5000`, `?theme=dark`, `?show=draft|media|fail`, `?jump=m10`. */
import { mount } from "svelte";
import Chat from "../features/chat/Chat.svelte";
import { ConversationFind } from "../state/find.svelte";
import { MediaSaves } from "../state/saves.svelte";
import "../styles/base.css";
import { fakeChat, ipcError, sessionRow } from "./fake-chat";
import { longTranscript, mediaTranscript, sampleMedia, sampleTranscript } from "./samples";

const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme) document.documentElement.dataset.theme = theme;

const total = Number(query.get("total") ?? 0);
const show = query.get("show");
const rows = total > 0 ? longTranscript(total) : show === "media" ? mediaTranscript() : sampleTranscript();
const platform = fakeChat(rows, sessionRow({ message_count: rows.length }));
if (show === "fail")
  platform.pageError = ipcError("damaged", "The store could not be read. Close other programs that use it.");
if (show === "media") for (const [path, answer] of await sampleMedia()) platform.media.set(path, answer);

const jump = query.get("jump");
const target = document.getElementById("app");
if (target) {
  mount(Chat, {
    target,
    props: {
      platform,
      session: show === "draft" ? null : platform.session,
      draftFolder: show === "draft" ? "/home/u/code/orchard-api" : null,
      draftBranch: show === "draft" ? "main" : null,
      jump: jump ? { messageId: jump } : null,
      find: new ConversationFind(platform),
      saves: new MediaSaves(platform, { toast: () => 0, closeToast: () => undefined }),
      system: "linux",
      onMenu: () => undefined,
      ...(query.has("narrow") ? { onOpenSidebar: () => undefined } : {}),
    },
  });
}
Object.assign(window, { platform });
