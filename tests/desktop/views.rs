//! Every view of the window, and how a person gets to it, at any width. A new view is one line of [`VIEWS`] and its
//! steps in [`View::open`]: the tests of accessibility then walk it too.

use crate::steps::media_folder;
use app_tests::demo;
use app_tests::desktop::{App, Page, Stage};
use fantoccini::key::Key;
use serde_json::json;

/// What the window can show, with sessions at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Draft,
    Chat,
    Media,
    Results,
    RowMenu,
    Question,
    Rename,
    Toast,
    Sidebar,
    General,
    Archived,
    Shortcuts,
    About,
    /// The store is open for reading only, without and with an open session. These two come last: nothing undoes them.
    Trouble,
    TroubleInChat,
}

/// All of them, in an order in which each can follow the one before.
pub const VIEWS: &[View] = &[
    View::Draft,
    View::Chat,
    View::Media,
    View::Results,
    View::RowMenu,
    View::Question,
    View::Rename,
    View::Toast,
    View::Sidebar,
    View::General,
    View::Archived,
    View::Shortcuts,
    View::About,
    View::Trouble,
    View::TroubleInChat,
];

/// A session with a notice.
const NOTICE: &str = "Auto title fafa";
/// The session whose menu, question and so on are shown: the first of the list.
const TITLE: &str = demo::TITLE;
const DELETED: &str = "Plain chat";

/// The app on the demo's sessions, one archived, one deleted.
pub async fn open_with_all(stage: &Stage) -> App {
    let store = stage.files().join("hermes.db");
    demo::write_store(&store, &media_folder(stage)).expect("the demo's store");
    crate::steps::bring_in(stage, &store).await;
    let app = crate::steps::open_app(stage).await;
    crate::steps::choose_for(&app.page, DELETED, "Delete").await;
    app.page.find_holding("dialog", DELETED).await;
    app.page.click("button", "Delete").await;
    app.page.no_row(DELETED).await;
    app.page.reads("status", "Deleted").await;
    close_toasts(&app.page).await;
    app
}

impl View {
    /// From any other view to this one. What has to be read before it is whole is waited for.
    pub async fn open(self, page: &Page) {
        if self != View::TroubleInChat {
            go_home(page).await;
        }
        match self {
            View::Draft => {
                page.find("textbox", "Message").await;
            }
            View::Chat => {
                choose(page, NOTICE).await;
                page.wait_for("the notice", "return document.querySelector('[data-role=notice]')").await;
            }
            View::Media => {
                choose(page, demo::TITLE).await;
                page.find("group", "Video: test-card.mp4").await;
            }
            View::Results => {
                page.press(&[Key::Control.into(), Key::Shift.into(), 'f']).await;
                page.wait_for("the search", "return document.activeElement.type === 'search'").await;
                for letter in "echo".chars() {
                    page.press(&[letter]).await;
                }
                page.find("treegrid", "Messages").await;
            }
            View::RowMenu => open_menu(page).await,
            View::Question => {
                open_menu(page).await;
                press(page, "menuitem", "Delete").await;
                page.find_holding("dialog", TITLE).await;
            }
            View::Rename => {
                open_menu(page).await;
                press(page, "menuitem", "Rename").await;
                page.find("textbox", "Session title").await;
            }
            View::Toast => {
                open_menu(page).await;
                press(page, "menuitem", "Archive").await;
                page.find("button", "Undo").await;
            }
            View::Sidebar => show_sidebar(page).await,
            View::General => settings(page, "General", "General").await,
            View::Archived => {
                settings(page, "Archived Chats", "Archived sessions").await;
                page.find_holding("button", "Unarchive").await;
                page.find("button", "Restore").await;
            }
            View::Shortcuts => settings(page, "Keyboard", "Keyboard").await,
            View::About => settings(page, "About", "About").await,
            View::Trouble => {
                page.run(IN_TROUBLE, &[]).await;
                page.find("button", "Recover what reads").await;
            }
            View::TroubleInChat => {
                choose(page, NOTICE).await;
                page.find("button", "Details").await;
            }
        }
    }
}

/// The host's answers say from now on that the store is damaged, and a head of the stream that cannot be makes the page
/// ask for everything anew. What is said of a really damaged file is the store's tests' to show.
const IN_TROUBLE: &str = "if (window.troubled) return;
    window.troubled = true;
    const ask = window.fetch;
    window.fetch = async (...request) => {
        const answer = await ask(...request);
        const url = request[0] instanceof Request ? request[0].url : String(request[0]);
        const change = (body) => new Response(JSON.stringify(body), { headers: answer.headers });
        if (url.endsWith('events_ack') && !window.reattached) {
            window.reattached = true;
            return change({ head: -1 });
        }
        if (!url.endsWith('boot_status')) return answer;
        const status = await answer.json();
        status.trouble = {
            code: 'damaged', title: 'The session store is damaged', message: 'A part of it does not read.',
            path: '/home/u/.local/share/talaria/talaria.db', bytes: 1400000000, readable: 20, total: 23,
            found: ['page 81: wrong checksum', 'search index: unreadable'], recoverable: true,
        };
        return change(status);
    };";

/// A click by script: at another zoom than 100 % the driver's pointer misses what it aims at (measured).
async fn press(page: &Page, role: &str, name: &str) {
    let click = "const found = page.all(args[0], args[1], 'starts')[0];
        found?.click();
        return found !== undefined";
    page.wait_with(&format!("{role} {name:?} to click"), click, &[json!(role), json!(name)]).await;
}

/// Back to a fresh draft with the list beside it, whatever stood before.
async fn go_home(page: &Page) {
    let back = "for (const part of [document.querySelector('[role=menu]'), page.first('textbox', 'Session title')])
            part?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
        const open = document.querySelector('dialog[open]');
        if (open) page.first('button', 'Cancel', 'is', open)?.click();
        document.querySelector('.scrim')?.click();
        for (const name of ['Undo', 'Back to sessions', 'Clear search']) page.all('button', name)[0]?.click();
        return !document.querySelector('dialog[open], [role=menu], .scrim')
            && !page.first('button', 'Undo') && !page.first('textbox', 'Session title')
            && !!(page.first('button', 'Open sidebar') ?? page.first('navigation', 'Sidebar'))";
    page.wait_for("the sessions", back).await;
    page.press(&[Key::Control.into(), 'n']).await;
    page.wait_for("a fresh draft", "return !page.first('log', 'Transcript')").await;
    close_toasts(page).await;
}

async fn close_toasts(page: &Page) {
    let close = "const toasts = page.first('region', 'Notifications');
        for (const button of page.all('button', 'Close', 'is', toasts)) button.click();
        return !toasts.children.length";
    page.wait_for("no toast", close).await;
}

/// In a narrow window the sidebar is a drawer.
async fn show_sidebar(page: &Page) {
    let show = "const sidebar = page.first('navigation', 'Sidebar');
        if (!sidebar) page.first('button', 'Open sidebar')?.click();
        return sidebar !== null";
    page.wait_for("the sidebar", show).await;
}

async fn choose(page: &Page, title: &str) {
    show_sidebar(page).await;
    // The list draws what is in view only.
    let click = "const row = page.all('row', args[0], 'starts')[0];
        const list = document.querySelector('nav .scroller');
        if (row) row.click();
        else if (list.scrollTop + list.clientHeight >= list.scrollHeight) list.scrollTop = 0;
        else list.scrollTop += list.clientHeight / 2;
        return row !== undefined";
    page.wait_with(&format!("the row {title:?}"), click, &[json!(title)]).await;
    page.find("heading", title).await;
    page.find("log", "Transcript").await;
}

async fn open_menu(page: &Page) {
    show_sidebar(page).await;
    page.run("document.querySelector('nav .scroller').scrollTop = 0", &[]).await;
    press(page, "button", &format!("Actions for {TITLE}")).await;
    page.find_starting("menuitem", "Archive").await;
}

async fn settings(page: &Page, entry: &str, heading: &str) {
    page.press(&[Key::Control.into(), ',']).await;
    press(page, "button", entry).await;
    page.find_starting("heading", heading).await;
}
